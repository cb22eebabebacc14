package io.hudizorder.spark.shuffle;

import io.hudizorder.spark.SparkCalls;
import io.hudizorder.spark.expression.FunctionExpression;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.EmptyBlock$;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A function of a row's words. Spark's own {@code Invoke} would take the words as an SQL array,
 * built and copied once a row; this one hands over the same {@code long[]} each time, filled anew:
 * a tenth of a clustering's task time less.
 */
final class WordFunction extends FunctionExpression {

  private static final long serialVersionUID = 1L;

  /** What can be asked; each names a method of {@link FittedLayout}, which takes the words last. */
  enum Question {
    /** Asked with the path of the row's partition. */
    TASK("task", DataTypes.IntegerType, 1) {
      @Override
      Object answer(FittedLayout layout, Object[] before, long[] words) {
        return layout.task((UTF8String) before[0], words);
      }
    },
    /** Asked with the path of the row's partition and the row's task. */
    SHORT_KEY("shortKey", DataTypes.LongType, 2) {
      @Override
      Object answer(FittedLayout layout, Object[] before, long[] words) {
        return layout.shortKey((UTF8String) before[0], (Integer) before[1], words);
      }
    },
    /** Asked with the path of the row's partition and the row's task. */
    KEY("key", DataTypes.BinaryType, 2) {
      @Override
      Object answer(FittedLayout layout, Object[] before, long[] words) {
        return layout.key((UTF8String) before[0], (Integer) before[1], words);
      }
    };

    private final String method;
    private final DataType type;

    /** How many arguments come before the words. */
    private final int before;

    Question(String method, DataType type, int before) {
      this.method = method;
      this.type = type;
      this.before = before;
    }

    abstract Object answer(FittedLayout layout, Object[] before, long[] words);
  }

  private final FittedLayout layout;
  private final Question question;

  /**
   * @param arguments what comes before the words, then the words
   */
  private WordFunction(FittedLayout layout, Question question, List<Expression> arguments) {
    super(List.of(layout, question), arguments);
    this.layout = layout;
    this.question = question;
  }

  /**
   * Asks a fitted layout about each row.
   *
   * @param words the words of the sort columns, the tie-breaker last; longs that are never null
   * @param before what the question takes before the words, never null
   */
  static Column of(FittedLayout layout, Question question, List<Column> words, Column... before) {
    List<Expression> arguments =
        Stream.concat(Arrays.stream(before), words.stream())
            .map(SparkCalls.here()::expression)
            .collect(Collectors.toList());
    return SparkCalls.here().column(new WordFunction(layout, question, arguments));
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    int words = arguments().size() - question.before;
    String layoutName =
        context.addReferenceObj("layout", layout, FittedLayout.class.getCanonicalName());
    String wordsName = wordsIn(context, words);
    List<ExprCode> values =
        arguments().stream().map(e -> e.genCode(context)).collect(Collectors.toList());
    StringBuilder call = new StringBuilder();
    Block before = EmptyBlock$.MODULE$;
    for (ExprCode value : values) {
      before = before.$plus(value.code());
    }
    for (int w = 0; w < words; w++) {
      String word = values.get(question.before + w).value().toString();
      call.append(String.format(Locale.ROOT, "%s[%d] = %s;%n", wordsName, w, word));
    }
    String parameters =
        Stream.concat(
                values.stream().limit(question.before).map(value -> value.value().toString()),
                Stream.of(wordsName))
            .collect(Collectors.joining(", "));
    call.append(
        String.format(
            "%s %s = %s.%s(%s);",
            CodeGenerator.javaType(question.type),
            code.value(),
            layoutName,
            question.method,
            parameters));
    Block all = before.$plus(SparkCalls.here().code(call.toString()));
    return code.copy(all, FalseLiteral$.MODULE$, code.value());
  }

  @Override
  public Object eval(InternalRow row) {
    Object[] values = arguments().stream().map(e -> e.eval(row)).toArray();
    long[] words =
        Arrays.stream(values).skip(question.before).mapToLong(word -> (Long) word).toArray();
    return question.answer(layout, values, words);
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public DataType dataType() {
    return question.type;
  }

  @Override
  protected Expression of(List<Expression> others) {
    return new WordFunction(layout, question, others);
  }
}
