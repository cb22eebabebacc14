package io.hudizorder.layout.query;

import io.hudizorder.layout.query.AskedQuery.Values;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The values that all rows of a partition have, by column. What is not known is left out, and then
 * nothing that queries ask of it is false.
 */
public final class PartitionValues {

  /** What values of a column are, and how texts are read as such. */
  public enum Kind {
    /** In the order of their bytes, as Spark has it. */
    TEXT {
      @Override
      Comparable<?> read(String text) {
        return new Utf8(text);
      }
    },
    NUMBER {
      @Override
      Comparable<?> read(String text) {
        return Long.valueOf(text);
      }
    },
    DAY {
      @Override
      Comparable<?> read(String text) {
        return LocalDate.parse(text);
      }
    };

    abstract Comparable<?> read(String text);
  }

  /** Nothing is known. */
  public static final PartitionValues UNKNOWN = new PartitionValues(new TreeMap<>());

  private static final class Utf8 implements Comparable<Utf8> {
    private final byte[] bytes;

    Utf8(String text) {
      bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(Utf8 other) {
      return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public String toString() {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** The ends of what is asked of a column, read as values of one kind. */
  static final class Ends {
    private final Kind kind;

    /** Null where there is no such end. */
    private final Comparable<?> low;

    private final Comparable<?> high;
    private final boolean readable;

    Ends(Kind kind, Values asked) {
      Comparable<?> least = null;
      Comparable<?> greatest = null;
      boolean read = true;
      try {
        least = asked.low() == null ? null : kind.read(asked.low());
        greatest = asked.high() == null ? null : kind.read(asked.high());
      } catch (NumberFormatException | DateTimeException notOfThisKind) {
        read = false;
      }
      this.kind = kind;
      this.low = least;
      this.high = greatest;
      this.readable = read;
    }

    boolean areOf(Kind other) {
      return kind == other;
    }
  }

  /** That of one column; equal where text and kind are. */
  static final class Value {
    private final Kind kind;
    private final Comparable<?> value;

    Value(Kind kind, Comparable<?> value) {
      this.kind = kind;
      this.value = value;
    }

    /** How it compares with another one: less than 0 where it comes before. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private int compareTo(Comparable<?> other) {
      return ((Comparable) value).compareTo(other);
    }

    boolean isOf(Values asked) {
      if (asked.areNulls()) {
        return false;
      }
      Ends ends = asked.ends(kind);
      if (!ends.readable) {
        return true;
      }
      boolean isAbove = ends.low == null || compareTo(ends.low) >= (asked.lowOpen() ? 1 : 0);
      return isAbove && (ends.high == null || compareTo(ends.high) <= (asked.highOpen() ? -1 : 0));
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Value
          && kind == ((Value) other).kind
          && toString().equals(other.toString());
    }

    @Override
    public int hashCode() {
      return toString().hashCode();
    }

    @Override
    public String toString() {
      return value.toString();
    }
  }

  private final Map<String, Value> values;

  private PartitionValues(Map<String, Value> values) {
    this.values = values;
  }

  /**
   * The same with the value of one more column.
   *
   * @param column in any case
   * @param text the same without it where this is no such value
   */
  public PartitionValues with(String column, Kind kind, String text) {
    return read(kind, text)
        .map(
            value -> {
              Map<String, Value> more = new TreeMap<>(values);
              more.put(column.toLowerCase(Locale.ROOT), new Value(kind, value));
              return new PartitionValues(more);
            })
        .orElse(this);
  }

  private static Optional<Comparable<?>> read(Kind kind, String text) {
    try {
      return Optional.of(kind.read(text));
    } catch (NumberFormatException | DateTimeException notOfThisKind) {
      return Optional.empty();
    }
  }

  boolean areUnknown() {
    return values.isEmpty();
  }

  /** That of a column, in any case; null where it is not known. */
  Value of(String column) {
    return values.get(column.toLowerCase(Locale.ROOT));
  }

  /** Whether a row may have a value that is asked of a column. */
  boolean mayBe(String column, List<Values> asked) {
    Value own = of(column);
    return own == null || asked.stream().anyMatch(own::isOf);
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
