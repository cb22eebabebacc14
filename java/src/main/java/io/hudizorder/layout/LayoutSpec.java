package io.hudizorder.layout;

import io.hudizorder.layout.query.AskedQuery;
import io.hudizorder.layout.query.ReachingQueries;
import java.io.Serializable;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What layout is asked for: the validated values, free of any configuration system. */
public final class LayoutSpec implements Serializable {

  private static final long serialVersionUID = 1L;

  /** How a value becomes a word; Hudi's names. */
  public enum BuildMethod {
    /** The value's own leading bits. */
    DIRECT,
    /** The value's rank among boundaries learnt from a sample, its leading bits below. */
    SAMPLE
  }

  /** How rows are assigned to files. */
  public enum Cuts {
    /** A split tree: disjoint boxes of equally full files. */
    TREE,
    /** Equal counts along the curve. */
    EQUAL
  }

  /** Where rows lie inside a file of a split tree. */
  public enum FileOrder {
    /** In tiles, unless the curve is Hilbert's. */
    AUTO,
    /** In tiles of a page each. */
    TILES,
    /** Along a Hilbert curve through the file. */
    HILBERT,
    /** Along a Z curve through the file. */
    ZORDER;

    /** The order that is meant under a curve; never {@link #AUTO}. */
    FileOrder under(Curve curve) {
      if (this != AUTO) {
        return this;
      }
      return curve == Curve.HILBERT ? HILBERT : TILES;
    }
  }

  private final List<String> columns;
  private final double[] weights;
  private final List<AskedQuery> queries;
  private final Set<String> askedElsewhere;
  private final Curve curve;
  private final BuildMethod build;
  private final Cuts cuts;
  private final FileOrder fileOrder;
  private final long pageRows;
  private final long sampleSize;
  private final long seed;

  private LayoutSpec(Builder builder) {
    this.columns = List.copyOf(builder.columns);
    this.weights = builder.weights.clone();
    this.curve = builder.curve;
    this.build = builder.build;
    this.cuts = builder.cuts;
    // By others it would be another layout of the very same files.
    this.queries = splits() ? List.copyOf(builder.queries) : List.of();
    this.askedElsewhere = Set.copyOf(builder.askedElsewhere);
    this.fileOrder = builder.fileOrder.under(builder.curve);
    this.pageRows = builder.pageRows;
    this.sampleSize = builder.sampleSize;
    this.seed = builder.seed;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** The same but for the weights. */
  public LayoutSpec withWeights(double[] others) {
    return copied().weights(others).create();
  }

  /** The same but for no queries. */
  public LayoutSpec withoutQueries() {
    return copied().queries(List.of()).create();
  }

  /** The same for those of the queries that reach a partition. */
  public LayoutSpec withQueries(ReachingQueries own) {
    return copied().queries(own.queries()).askedElsewhere(own.askedElsewhere()).create();
  }

  private Builder copied() {
    return builder()
        .columns(columns)
        .weights(weights)
        .queries(queries)
        .askedElsewhere(askedElsewhere)
        .curve(curve)
        .build(build)
        .cuts(cuts)
        .fileOrder(fileOrder)
        .pageRows(pageRows)
        .sampleSize(sampleSize)
        .seed(seed);
  }

  /** Sort columns in the user's order, nested fields as {@code a.b}. */
  public List<String> columns() {
    return columns;
  }

  /** One positive weight a column. */
  public double[] weights() {
    return weights.clone();
  }

  /**
   * What the tree is cut for; where they say nothing, and there are none, it is by weights. None
   * where there is no tree.
   */
  public List<AskedQuery> queries() {
    return queries;
  }

  /** Columns that queries ask of other partitions, and not seldom; none where nobody told. */
  public Set<String> askedElsewhere() {
    return askedElsewhere;
  }

  /** The queries as a text, with columns in lower case; "" where there are none. */
  public String queriesInLowerCase() {
    return queries.isEmpty()
        ? ""
        : queries.stream().map(AskedQuery::inLowerCase).collect(Collectors.toList()).toString();
  }

  public Curve curve() {
    return curve;
  }

  public BuildMethod build() {
    return build;
  }

  /** Whether a value's word is its rank in the sample rather than its own leading bits. */
  public boolean ranked() {
    return build == BuildMethod.SAMPLE;
  }

  public Cuts cuts() {
    return cuts;
  }

  /** Where rows lie inside a file; never {@link FileOrder#AUTO}. */
  public FileOrder fileOrder() {
    return fileOrder;
  }

  /** Most rows of a page. */
  public long pageRows() {
    return pageRows;
  }

  /** Whether files are the leaves of a split tree; a lexical order has no use for one. */
  public boolean splits() {
    return cuts == Cuts.TREE && curve != Curve.LINEAR;
  }

  /** Rows to sample from a group; more are taken where many files need them. */
  public long sampleSize() {
    return sampleSize;
  }

  public long seed() {
    return seed;
  }

  /** Collects the values of a {@link LayoutSpec}; all but queries must be set. */
  public static final class Builder {
    private List<String> columns;
    private double[] weights;
    private List<AskedQuery> queries = List.of();
    private Set<String> askedElsewhere = Set.of();
    private Curve curve;
    private BuildMethod build;
    private Cuts cuts;
    private FileOrder fileOrder;
    private long pageRows;
    private long sampleSize;
    private long seed;

    private Builder() {}

    public Builder columns(List<String> value) {
      this.columns = value;
      return this;
    }

    public Builder weights(double[] value) {
      this.weights = value.clone();
      return this;
    }

    /** None unless set. */
    public Builder queries(List<AskedQuery> value) {
      this.queries = value;
      return this;
    }

    private Builder askedElsewhere(Set<String> value) {
      this.askedElsewhere = value;
      return this;
    }

    public Builder curve(Curve value) {
      this.curve = value;
      return this;
    }

    public Builder build(BuildMethod value) {
      this.build = value;
      return this;
    }

    public Builder cuts(Cuts value) {
      this.cuts = value;
      return this;
    }

    public Builder fileOrder(FileOrder value) {
      this.fileOrder = value;
      return this;
    }

    public Builder pageRows(long value) {
      this.pageRows = value;
      return this;
    }

    public Builder sampleSize(long value) {
      this.sampleSize = value;
      return this;
    }

    public Builder seed(long value) {
      this.seed = value;
      return this;
    }

    public LayoutSpec create() {
      return new LayoutSpec(this);
    }
  }
}
