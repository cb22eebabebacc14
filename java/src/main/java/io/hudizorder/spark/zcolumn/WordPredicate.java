package io.hudizorder.spark.zcolumn;

import static scala.collection.JavaConverters.setAsJavaSet;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.spark.SparkCalls;
import io.hudizorder.spark.expression.WordColumns;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Like;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.StartsWith;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Where in words the rows lie of which a predicate is true.
 *
 * <p>A part of the predicate that is not about these columns, or not understood, is true of all
 * rows. Words keep the order of values and no more: of a comparison both ends are inside, as values
 * beside each other may share a word. A literal counts when it is of the column's very type, as it
 * is after Spark's own casts; it gets its word by the expression that gave the rows theirs.
 */
final class WordPredicate {

  /** More values of an IN are taken together where they lie closest. */
  private static final int MOST_VALUES = 256;

  private final List<? extends Attribute> columns;

  WordPredicate(List<? extends Attribute> columns) {
    this.columns = columns;
  }

  WordRegion region(Expression predicate) {
    if (predicate instanceof And) {
      return region(((And) predicate).left()).and(region(((And) predicate).right()));
    } else if (predicate instanceof Or) {
      return region(((Or) predicate).left()).or(region(((Or) predicate).right()));
    } else if (predicate instanceof BinaryComparison) {
      return comparison((BinaryComparison) predicate);
    } else if (predicate instanceof In) {
      In in = (In) predicate;
      List<Expression> values = SparkCalls.here().alternatives(in);
      return values.stream().allMatch(value -> isLiteral(value, in.value()))
          ? among(in.value(), values.stream().map(value -> ((Literal) value).value()))
          : all();
    } else if (predicate instanceof InSet) {
      InSet in = (InSet) predicate;
      return among(in.child(), setAsJavaSet(in.hset()).stream());
    } else if (predicate instanceof IsNull) {
      return of(((IsNull) predicate).child(), WordSet.NULL);
    } else if (predicate instanceof IsNotNull) {
      return of(((IsNotNull) predicate).child(), WordSet.VALUES);
    } else if (predicate instanceof StartsWith) {
      StartsWith startsWith = (StartsWith) predicate;
      return isLiteral(startsWith.right(), startsWith.left())
          ? of(startsWith.left(), prefix(text(startsWith.right())))
          : all();
    } else if (predicate instanceof Like) {
      Like like = (Like) predicate;
      return isLiteral(like.right(), like.left())
          ? of(like.left(), prefix(literalPart(text(like.right()), like.escapeChar())))
          : all();
    } else if (predicate instanceof Not) {
      return negation(((Not) predicate).child());
    } else if (predicate instanceof Attribute && predicate.dataType() instanceof BooleanType) {
      return of(predicate, WordSet.word(word(true, predicate.dataType())));
    } else if (predicate instanceof Literal && predicate.dataType() instanceof BooleanType) {
      return Boolean.TRUE.equals(((Literal) predicate).value())
          ? all()
          : WordRegion.none(columns.size());
    }
    return all();
  }

  private WordRegion comparison(BinaryComparison comparison) {
    Expression left = comparison.left();
    Expression right = comparison.right();
    boolean swapped = left instanceof Literal;
    Expression column = swapped ? right : left;
    Expression other = swapped ? left : right;
    if (!isLiteral(other, column)) {
      return all();
    }
    Object value = ((Literal) other).value();
    if (value == null) {
      return comparison instanceof EqualNullSafe ? of(column, WordSet.NULL) : all();
    }
    long word = word(value, column.dataType());
    if (comparison instanceof EqualTo || comparison instanceof EqualNullSafe) {
      return of(column, WordSet.word(word));
    }
    boolean below = comparison instanceof LessThan || comparison instanceof LessThanOrEqual;
    boolean above = comparison instanceof GreaterThan || comparison instanceof GreaterThanOrEqual;
    if (!below && !above) {
      return all();
    }
    return of(column, below != swapped ? WordSet.range(1, word) : WordSet.range(word, -1L));
  }

  /** Of what is false: comparisons of null are not, so that a value must be there. */
  private WordRegion negation(Expression predicate) {
    if (predicate instanceof Attribute && predicate.dataType() instanceof BooleanType) {
      return of(predicate, WordSet.word(word(false, predicate.dataType())));
    } else if (predicate instanceof IsNull) {
      return region(new IsNotNull(((IsNull) predicate).child()));
    } else if (predicate instanceof EqualTo) {
      return of(((EqualTo) predicate).left(), WordSet.VALUES);
    } else if (predicate instanceof In) {
      return of(((In) predicate).value(), WordSet.VALUES);
    } else if (predicate instanceof InSet) {
      return of(((InSet) predicate).child(), WordSet.VALUES);
    }
    return all();
  }

  private WordRegion among(Expression column, Stream<?> values) {
    if (index(column) < 0) {
      return all();
    }
    return of(
        column,
        WordSet.union(
                values
                    .filter(Objects::nonNull)
                    .map(value -> WordSet.word(word(value, column.dataType()))))
            .atMost(MOST_VALUES));
  }

  /** The words of all texts that begin with one. */
  private static WordSet prefix(UTF8String text) {
    if (text == null) {
      return WordSet.NONE; // of null neither true nor false
    }
    long low = Words.ofLeadingBytes(text.getPrefix());
    int free = Long.SIZE - Byte.SIZE * Math.min(Long.BYTES, text.numBytes());
    return WordSet.range(low, free == Long.SIZE ? -1L : low | (1L << free) - 1);
  }

  /** What a pattern begins with before its first sign of a meaning. */
  private static UTF8String literalPart(UTF8String pattern, char escape) {
    if (pattern == null) {
      return null;
    }
    String text = pattern.toString();
    int end = 0;
    while (end < text.length()
        && "%_".indexOf(text.charAt(end)) < 0
        && text.charAt(end) != escape) {
      end++;
    }
    return UTF8String.fromBytes(text.substring(0, end).getBytes(StandardCharsets.UTF_8));
  }

  private static UTF8String text(Expression literal) {
    return (UTF8String) ((Literal) literal).value();
  }

  private WordRegion of(Expression column, WordSet words) {
    int index = index(column);
    return index < 0 ? all() : WordRegion.column(columns.size(), index, words);
  }

  private WordRegion all() {
    return WordRegion.all(columns.size());
  }

  private int index(Expression column) {
    for (int i = 0; i < columns.size(); i++) {
      if (column instanceof Attribute
          && ((Attribute) column).exprId().equals(columns.get(i).exprId())) {
        return i;
      }
    }
    return -1;
  }

  private boolean isLiteral(Expression value, Expression column) {
    return value instanceof Literal
        && index(column) >= 0
        && value.dataType().equals(column.dataType());
  }

  /** The word of a value that is not null, as Spark holds it. */
  private static long word(Object value, DataType type) {
    return (Long) WordColumns.directWord(new Literal(value, type), type).eval(null);
  }
}
