package io.hudizorder.spark.fit;

import io.hudizorder.key.OrderedBytes;
import io.hudizorder.key.WordSet;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.query.AskedQuery;
import io.hudizorder.layout.query.AskedQuery.Values;
import io.hudizorder.layout.query.Query;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.expression.WordColumns;
import io.hudizorder.spark.shuffle.ColumnRanks;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** The queries of a plan in the words of a layout that is being learnt. */
public final class QueryWords {

  /** More ranges of one column are taken together where they lie closest. */
  private static final int MOST_RANGES = 1_000;

  private final LayoutSpec spec;
  private final List<SortColumn> columns;
  private final ColumnRanks ranks;

  /** Of boxes, which queries of several partitions share. */
  private final Map<Map<String, List<Values>>, Map<Integer, WordSet>> known =
      new IdentityHashMap<>();

  QueryWords(LayoutSpec spec, List<SortColumn> columns, ColumnRanks ranks) {
    this.spec = spec;
    this.columns = columns;
    this.ranks = ranks;
  }

  /**
   * The queries of a layout.
   *
   * @throws IllegalArgumentException for a literal that is no value of its column
   */
  static List<Query> of(LayoutSpec spec, List<SortColumn> columns, ColumnRanks ranks) {
    return new QueryWords(spec, columns, ranks).of(spec.queries());
  }

  /**
   * Gives literals their types and words.
   *
   * @param some of the layout's queries
   * @throws IllegalArgumentException for a literal that is no value of its column
   */
  List<Query> of(List<AskedQuery> some) {
    List<Query> queries = new ArrayList<>();
    for (AskedQuery asked : some) {
      List<Map<Integer, WordSet>> boxes = new ArrayList<>();
      for (Map<String, List<Values>> box : asked.boxes()) {
        Map<Integer, WordSet> sets = known.computeIfAbsent(box, this::sets);
        if (sets.values().stream().noneMatch(WordSet::isEmpty)) {
          boxes.add(sets);
        }
      }
      if (!boxes.isEmpty()) {
        queries.add(new Query(asked.weight(), boxes, asked.when()));
      }
    }
    return queries;
  }

  /**
   * Refuses queries whose literals are no values of their columns.
   *
   * @throws IllegalArgumentException with the first of these
   */
  public static void require(LayoutSpec spec, List<SortColumn> columns) {
    QueryWords words = new QueryWords(spec, columns, null);
    for (AskedQuery asked : spec.queries()) {
      for (Map<String, List<Values>> box : asked.boxes()) {
        for (int c = 0; c < columns.size(); c++) {
          for (Values values : box.getOrDefault(spec.columns().get(c), List.of())) {
            for (String end : new String[] {values.low(), values.high()}) {
              if (end != null) {
                words.value(c, end);
              }
            }
          }
        }
      }
    }
  }

  private Map<Integer, WordSet> sets(Map<String, List<Values>> box) {
    Map<Integer, WordSet> sets = new HashMap<>();
    for (int c = 0; c < columns.size(); c++) {
      // By the name in the options, which spell it as they like.
      List<Values> asked = box.get(spec.columns().get(c));
      if (asked != null) {
        int column = c;
        sets.put(c, WordSet.union(asked.stream().map(one -> set(column, one))).atMost(MOST_RANGES));
      }
    }
    return sets;
  }

  private WordSet set(int c, Values asked) {
    if (asked.areNulls()) {
      return WordSet.NULL;
    }
    long low = asked.low() == null ? 1 : word(c, asked.low());
    long high = asked.high() == null ? -1L : word(c, asked.high());
    // Several values may share a word of a wide column, of which the other ones are asked.
    boolean apart = spec.ranked() || !columns.get(c).wide();
    boolean above = apart && asked.lowOpen();
    boolean below = apart && asked.highOpen();
    return above && low == -1L
        ? WordSet.NONE
        : WordSet.range(low + (above ? 1 : 0), high - (below ? 1 : 0));
  }

  private long word(int c, String text) {
    SortColumn column = columns.get(c);
    Object value = value(c, text);
    if (spec.ranked() && column.wide()) {
      return ranks.word(c, bytes(value));
    }
    Literal literal = new Literal(value, column.type());
    long direct = (Long) WordColumns.directWord(literal, column.type()).eval(null);
    return spec.ranked() ? ranks.word(c, direct) : direct;
  }

  private Object value(int c, String text) {
    DataType type = columns.get(c).type();
    try {
      return value(text, type);
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster for queries: one asks '%s' of '%s', which is no value of type %s;"
                  + " give queries on the table as it is now, or 'none'",
              text, columns.get(c).name(), type.simpleString()),
          e);
    }
  }

  /** A value as Spark holds it. */
  private static Object value(String text, DataType type) {
    if (type instanceof StringType) {
      return UTF8String.fromString(text);
    } else if (type instanceof BinaryType) {
      return hexadecimal(text);
    } else if (type instanceof BooleanType) {
      return Boolean.valueOf(text);
    } else if (type instanceof ByteType) {
      return Byte.valueOf(text);
    } else if (type instanceof ShortType) {
      return Short.valueOf(text);
    } else if (type instanceof IntegerType) {
      return Integer.valueOf(text);
    } else if (type instanceof FloatType) {
      return Float.valueOf(text);
    } else if (type instanceof DoubleType) {
      return Double.valueOf(text);
    } else if (type instanceof DecimalType) {
      DecimalType decimal = (DecimalType) type;
      BigDecimal number = new BigDecimal(text).setScale(decimal.scale(), RoundingMode.HALF_UP);
      if (number.precision() > decimal.precision()) {
        throw new NumberFormatException(text);
      }
      return Decimal.apply(number, decimal.precision(), decimal.scale());
    } else if (type instanceof DateType) {
      return Math.toIntExact(LocalDate.parse(text).toEpochDay());
    } else if (type instanceof TimestampType) {
      return micros(Instant.parse(text));
    } else if (type instanceof TimestampNTZType) {
      return micros(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC));
    }
    return Long.valueOf(text);
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static byte[] bytes(Object value) {
    if (value instanceof Decimal) {
      return OrderedBytes.ofDecimal(((Decimal) value).toJavaBigDecimal().unscaledValue());
    }
    return value instanceof UTF8String
        ? value.toString().getBytes(StandardCharsets.UTF_8)
        : (byte[]) value;
  }

  private static byte[] hexadecimal(String digits) {
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }
}
