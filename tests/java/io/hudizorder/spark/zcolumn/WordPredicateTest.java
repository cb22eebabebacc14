package io.hudizorder.spark.zcolumn;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.spark.expression.WordColumns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractPartialFunction;

class WordPredicateTest {

  private static final AttributeReference A = attribute("a", DataTypes.IntegerType);
  private static final AttributeReference S = attribute("s", DataTypes.StringType);
  private static final AttributeReference B = attribute("b", DataTypes.BooleanType);

  private static final List<Integer> NUMBERS = Arrays.asList(null, Integer.MIN_VALUE, 4, 5, 6);
  private static final List<String> TEXTS =
      Arrays.asList(null, "", "a", "a_b", "ab", "a%c", "a\\", "a/", "nine letters", "\uD83D\uDE00");
  private static final List<Boolean> FLAGS = Arrays.asList(null, true, false);

  @SuppressWarnings("unchecked")
  private static AttributeReference attribute(String name, DataType type) {
    Seq<String> qualifier = (Seq<String>) (Seq<?>) Nil$.MODULE$;
    return new AttributeReference(
        name, type, true, Metadata.empty(), NamedExpression$.MODULE$.newExprId(), qualifier);
  }

  /** All of them leave rows out. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a = 5",
        "5 > a",
        "5 >= a",
        "5 < a",
        "a <= 4",
        "a > 5",
        "a IN (4, 6)",
        "a <=> 5",
        "a IS NULL",
        "NOT a IS NULL",
        "NOT a = 5",
        "NOT a IN (4, 5)",
        "a IS NULL OR a > 5",
        "a > 4 AND s LIKE 'a%' OR a < 4",
        "b",
        "NOT b",
        "s LIKE 'a%'",
        "s LIKE 'a\\\\_%'",
        "s LIKE 'a/_b' ESCAPE '/'",
        "s LIKE 'a_b'",
        "s LIKE 'ab'",
        "s LIKE 'nine letters%'",
        "s > 'ab'",
        "s <= ''",
      })
  void noRowIsLeftOutOfWhichAPredicateIsTrue(String text) {
    Expression predicate = new CatalystSqlParser().parseExpression(text);
    WordRegion region = new WordPredicate(List.of(A, S, B)).region(with(predicate, of(A, S, B)));
    List<Object> outside = new ArrayList<>();
    for (Integer number : NUMBERS) {
      for (String letters : TEXTS) {
        for (Boolean flag : FLAGS) {
          Literal a = new Literal(number, A.dataType());
          Literal s = new Literal(UTF8String.fromString(letters), S.dataType());
          Literal b = new Literal(flag, B.dataType());
          boolean holds = Boolean.TRUE.equals(with(predicate, of(a, s, b)).eval(null));
          boolean within = region.contains(WordRegion.box(word(a), word(s), word(b)));
          assertThat(within || !holds).as("%s, %s, %s", number, letters, flag).isTrue();
          if (!within) {
            outside.add(List.of(a, s, b));
          }
        }
      }
    }
    assertThat(outside).isNotEmpty();
  }

  private static Map<String, Expression> of(Expression a, Expression s, Expression b) {
    return Map.of("a", a, "s", s, "b", b);
  }

  private static WordSet word(Literal value) {
    return WordSet.word(
        value.value() == null
            ? Words.NULL
            : (Long) WordColumns.directWord(value, value.dataType()).eval(null));
  }

  private static Expression with(Expression predicate, Map<String, Expression> columns) {
    Function<Expression, Expression> replaced =
        part -> columns.get(((UnresolvedAttribute) part).name());
    return (Expression)
        predicate.transform(
            new AbstractPartialFunction<>() {
              @Override
              public boolean isDefinedAt(Expression part) {
                return part instanceof UnresolvedAttribute;
              }

              @Override
              public Expression apply(Expression part) {
                return replaced.apply(part);
              }
            });
  }
}
