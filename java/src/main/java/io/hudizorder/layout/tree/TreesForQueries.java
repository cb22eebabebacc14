package io.hudizorder.layout.tree;

import io.hudizorder.layout.query.NumberedQueries;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.query.QueryVariations;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Trees that are cut for some queries. Two are grown, one for the queries alone and one for what
 * may be asked next, too ({@link QueryVariations}), and the better of them is taken: where a tree
 * is cut, little may decide for much.
 */
final class TreesForQueries {

  /** A tree, and what is read under it. */
  static final class Grown {
    final SplitTree tree;
    final FileReads reads;

    private Grown(SplitTree tree, FileReads reads) {
      this.tree = tree;
      this.reads = reads;
    }
  }

  private final long[][] sample;
  private final NumberedColumn[] columns;
  private final double[] weights;
  private final int files;
  private final List<Query> varied;
  private final List<NumberedQueries> judges;

  /**
   * @param sample words by column, then by row, 0 for null
   * @param columns of the sample
   * @param weights what skipping on each column is worth where queries say nothing
   */
  TreesForQueries(
      long[][] sample, NumberedColumn[] columns, double[] weights, int files, List<Query> queries) {
    this.sample = sample;
    this.columns = columns;
    this.weights = weights;
    this.files = files;
    this.varied = QueryVariations.with(queries, columns);
    this.judges =
        List.of(new NumberedQueries(queries, columns), new NumberedQueries(varied, columns));
  }

  /** The queries, and what may be asked next. */
  List<Query> varied() {
    return varied;
  }

  /**
   * The tree that reads less of the queries and of what may be asked next.
   *
   * @param equality by column, what an equality with any of its values weighs beside the queries
   */
  Grown best(double[] equality) {
    Stream<Grown> grown = judges.parallelStream().map(judge -> grow(judge, equality));
    return grown.min(Comparator.comparingDouble(one -> one.reads.share(varied))).orElseThrow();
  }

  private Grown grow(NumberedQueries judge, double[] equality) {
    NumberedColumn[] own =
        Arrays.stream(columns).map(NumberedColumn::copy).toArray(NumberedColumn[]::new);
    SplitTree tree = new SplitTreeBuilder(own, weights, files, judge, equality).build();
    return new Grown(tree, new FileReads(tree, sample, columns));
  }
}
