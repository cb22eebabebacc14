package io.hudizorder.spark.expression;

import io.hudizorder.key.Hilbert;
import io.hudizorder.key.Words;
import io.hudizorder.key.ZValue;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.SparkCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NullType;
import scala.collection.immutable.Map;

/**
 * The SQL functions {@code zorder_value} and {@code hilbert_value}: the key of a row's values, of
 * their direct words, as binary. Never null, as null is a word of its own.
 */
public final class KeyFunction extends FunctionExpression {

  private static final long serialVersionUID = 1L;

  private static final String ACCEPTED =
      "(\"BOOLEAN\" or \"NUMERIC\" or \"DATE\" or \"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"STRING\""
          + " or \"BINARY\")";

  /** Keys by the curve along which they count. */
  public enum Kind {
    ZORDER("zorder_value", ZValue.class, "interleave", ZValue::interleave),
    HILBERT("hilbert_value", Hilbert.class, "key", Hilbert::key);

    private final String function;
    private final String method;
    private final Function<long[], byte[]> key;

    Kind(String function, Class<?> owner, String method, Function<long[], byte[]> key) {
      this.function = function;
      this.method = owner.getCanonicalName() + "." + method;
      this.key = key;
    }

    /** The name in SQL. */
    String function() {
      return function;
    }
  }

  private final Kind kind;

  public KeyFunction(Kind kind, List<Expression> values) {
    super(List.of(kind), values);
    this.kind = kind;
  }

  @Override
  public TypeCheckResult checkInputDataTypes() {
    List<Expression> values = arguments();
    for (int i = 0; i < values.size(); i++) {
      DataType type = values.get(i).dataType();
      if (!(type instanceof NullType) && !SortColumn.hasOrder(type)) {
        return new TypeCheckResult.DataTypeMismatch(
            "UNEXPECTED_INPUT_TYPE",
            new Map.Map4<>(
                "paramIndex", Integer.toString(i + 1),
                "requiredType", ACCEPTED,
                "inputSql", Cast$.MODULE$.toSQLExpr(values.get(i)),
                "inputType", Cast$.MODULE$.toSQLType(type)));
      }
    }
    return super.checkInputDataTypes();
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    String words = wordsIn(context, arguments().size());
    List<String> statements = new ArrayList<>();
    for (Expression value : arguments()) {
      ExprCode word = word(value).genCode(context);
      statements.add(
          String.format(
              Locale.ROOT,
              "%s%n%s[%d] = %s ? %dL : %s;",
              word.code(),
              words,
              statements.size(),
              word.isNull(),
              Words.NULL,
              word.value()));
    }
    // The values of 128 columns are more code than the JVM compiles in one method.
    String all = SparkCalls.here().split(context, statements, "words");
    String call = String.format("%nbyte[] %s = %s(%s);", code.value(), kind.method, words);
    return code.copy(SparkCalls.here().code(all + call), FalseLiteral$.MODULE$, code.value());
  }

  @Override
  public Object eval(InternalRow row) {
    List<Expression> values = arguments();
    long[] words = new long[values.size()];
    for (int i = 0; i < words.length; i++) {
      Object word = word(values.get(i)).eval(row);
      words[i] = word == null ? Words.NULL : (Long) word;
    }
    return kind.key.apply(words);
  }

  private static Expression word(Expression value) {
    return value.dataType() instanceof NullType
        ? Literal.create(Words.NULL, DataTypes.LongType)
        : WordColumns.directWord(value, value.dataType());
  }

  @Override
  public String prettyName() {
    return kind.function;
  }

  @Override
  public boolean foldable() {
    return arguments().stream().allMatch(Expression::foldable);
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public DataType dataType() {
    return DataTypes.BinaryType;
  }

  @Override
  protected Expression of(List<Expression> others) {
    return new KeyFunction(kind, others);
  }
}
