package io.hudizorder.layout.query;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A query as a plan tells it: conditions on sort columns, whose literals are texts until the types
 * of the columns are known, and of which partitions they are asked.
 */
public final class AskedQuery implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Values of one column, or its nulls. */
  public static final class Values implements Serializable {
    private static final long serialVersionUID = 1L;

    /** What {@code IS NULL} asks for. */
    public static final Values NULLS = new Values(null, null, false, false, true);

    private final String low;
    private final String high;
    private final boolean lowOpen;
    private final boolean highOpen;
    private final boolean nulls;

    /** As they were read last: a column has values of one kind. */
    private transient PartitionValues.Ends ends;

    /**
     * The values between two.
     *
     * @param low null where there is no least one
     * @param high null where there is no greatest one
     * @param lowOpen whether the low end itself is outside
     * @param highOpen the same of the high end
     */
    public Values(String low, String high, boolean lowOpen, boolean highOpen) {
      this(low, high, lowOpen, highOpen, false);
    }

    private Values(String low, String high, boolean lowOpen, boolean highOpen, boolean nulls) {
      this.low = low;
      this.high = high;
      this.lowOpen = lowOpen;
      this.highOpen = highOpen;
      this.nulls = nulls;
    }

    /** The low end, or null. */
    public String low() {
      return low;
    }

    /** The high end, or null. */
    public String high() {
      return high;
    }

    public boolean lowOpen() {
      return lowOpen;
    }

    public boolean highOpen() {
      return highOpen;
    }

    @Override
    public String toString() {
      return nulls ? "null" : (lowOpen ? "(" : "[") + low + "," + high + (highOpen ? ")" : "]");
    }

    /** Whether these are the nulls of a column; without ends they are all its values otherwise. */
    public boolean areNulls() {
      return nulls;
    }

    /** The ends as values of a kind, which are read once. */
    PartitionValues.Ends ends(PartitionValues.Kind kind) {
      PartitionValues.Ends read = ends;
      if (read == null || !read.areOf(kind)) {
        read = new PartitionValues.Ends(kind, this);
        ends = read;
      }
      return read;
    }

    /** How they are asked for, whatever the literals. */
    String template() {
      if (nulls) {
        return "null";
      }
      return low != null && low.equals(high)
          ? "="
          : (low == null ? "" : ">") + (high == null ? "" : "<");
    }
  }

  private final double weight;
  private final List<Map<String, List<Values>>> boxes;
  private final AskedWhen when;
  private final List<AskedPartitions> partitions;

  /** Found out when somebody asks. */
  private transient Set<String> columns;

  /**
   * A query of every partition.
   *
   * @param weight above 0
   * @param boxes by column; a row of which all these hold of one box is read
   */
  public AskedQuery(double weight, List<Map<String, List<Values>>> boxes, AskedWhen when) {
    this(weight, boxes, when, new ArrayList<>());
  }

  /**
   * @param weight above 0
   * @param boxes by column; a row of which all these hold of one box is read
   * @param partitions which of them it asks for; what their shares leave is asked of every one
   */
  public AskedQuery(
      double weight,
      List<Map<String, List<Values>>> boxes,
      AskedWhen when,
      List<AskedPartitions> partitions) {
    this.weight = weight;
    this.boxes = boxes;
    this.when = when;
    this.partitions = partitions;
  }

  /**
   * A part of the query, of every partition.
   *
   * @param share of its weight
   * @param some of the boxes, by number
   */
  AskedQuery part(double share, BitSet some) {
    return new AskedQuery(
        share * weight, some.stream().mapToObj(boxes::get).collect(Collectors.toList()), when);
  }

  public double weight() {
    return weight;
  }

  public List<Map<String, List<Values>>> boxes() {
    return boxes;
  }

  public AskedWhen when() {
    return when;
  }

  /** The columns of which a box asks for some values, as {@link Query#asks} has it. */
  Set<String> columns() {
    if (columns == null) {
      columns = askedColumns();
    }
    return columns;
  }

  private Set<String> askedColumns() {
    Set<String> asked = new TreeSet<>();
    for (Map<String, List<Values>> box : boxes) {
      box.forEach(
          (column, values) -> {
            if (values.stream().anyMatch(one -> one.low != null || one.high != null)) {
              asked.add(column);
            }
          });
    }
    return asked;
  }

  List<AskedPartitions> partitions() {
    return partitions;
  }

  /**
   * As a text, with columns in lower case; literals are as they are. Of which partitions it is
   * asked is no part of it: as days go on, files stay of the layout that they are of.
   */
  public String inLowerCase() {
    List<Map<String, Object>> named = new ArrayList<>();
    for (Map<String, List<Values>> box : boxes) {
      Map<String, Object> columns = new LinkedHashMap<>();
      box.forEach((column, values) -> columns.put(column.toLowerCase(Locale.ROOT), values));
      named.add(columns);
    }
    return weight + " " + named;
  }

  @Override
  public String toString() {
    return weight + " " + boxes + (partitions.isEmpty() ? "" : " of " + partitions);
  }
}
