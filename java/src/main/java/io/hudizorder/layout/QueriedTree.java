package io.hudizorder.layout;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A {@link SplitTree} for queries that are known, guarded against those that are not.
 *
 * <p>Half of the queries, the later one where times are known, are held back while it is decided
 * how to cut: the tree of the others must read less than the plain tree of them. Nor may an
 * equality on a sort column that no query asks read more than {@value #MOST} times of the plain
 * tree's. Where either fails, equalities on all columns are mixed in with rising weight, and in the
 * end the plain tree is what remains. The tree itself is then cut for all queries.
 */
final class QueriedTree {
  /** How many times of the plain tree's share a query may read that the layout has not seen. */
  private static final double MOST = 1.2;

  /** What equalities weigh, all together, against all queries. */
  private static final double[] BLENDS = {0, 0.05, 0.15, 0.4, 1, 2.5, 6, 15};

  /** Of fewer queries nothing is learnt by holding half of them back. */
  private static final int LEAST_QUERIES = 8;

  private final long[][] sample;
  private final double[] weights;
  private final int files;
  private final NumberedColumn[] columns;
  private final int[] neverAsked;

  private final List<Query> queries;
  private final List<Query> seen;
  private final List<Query> heldBack;

  /** Those of {@link #queries} and of {@link #seen}, and what may be asked next. */
  private final List<Query> varied;

  private final List<Query> seenVaried;

  private final SplitTree plain;

  /** What is read under the plain tree: by all, by those held back, by those varied. */
  private final double plainAll;

  private final double plainHeldBack;
  private final double plainVaried;

  /** By column that is never asked. */
  private final double[] plainEquality;

  private QueriedTree(long[][] sample, double[] weights, int files, List<Query> queries) {
    this.sample = sample;
    this.weights = weights;
    this.files = files;
    this.queries = queries;
    Map<Boolean, List<Query>> halves =
        queries.stream().collect(Collectors.partitioningBy(laterHalf(queries)));
    boolean some = queries.size() < LEAST_QUERIES || halves.containsValue(List.of());
    seen = some ? queries : halves.get(false);
    heldBack = some ? queries : halves.get(true);
    neverAsked =
        IntStream.range(0, weights.length)
            .filter(c -> weights[c] > 0)
            .filter(c -> queries.stream().noneMatch(query -> query.asks(c)))
            .toArray();
    columns = NumberedColumn.all(sample);
    varied = QueryVariations.with(queries, columns);
    seenVaried = QueryVariations.with(seen, columns);
    plain = tree(null, List.of());
    FileReads reads = new FileReads(plain, sample);
    plainAll = reads.share(queries);
    plainHeldBack = reads.share(heldBack);
    plainVaried = reads.share(varied);
    plainEquality =
        Arrays.stream(neverAsked).mapToDouble(c -> reads.equality(c, columns[c])).toArray();
  }

  /** The half to hold back: the one that the plan names, as it knows times, or one by a hash. */
  private static Predicate<Query> laterHalf(List<Query> queries) {
    return queries.stream().anyMatch(Query::isHeldBack)
        ? Query::isHeldBack
        : query -> (query.hash() & 1) == 1;
  }

  /**
   * Learns a tree.
   *
   * @param sample words by column, then by row, 0 for null
   * @param weights what skipping on each column is worth where queries say nothing
   */
  static SplitTree build(long[][] sample, double[] weights, int files, List<Query> queries) {
    return queries.isEmpty() || files == 1 || WordTable.rows(sample) == 0
        ? SplitTree.build(sample, weights, files)
        : new QueriedTree(sample, weights, files, queries).build();
  }

  private SplitTree build() {
    QueryBlend best = null;
    SplitTree tree = null;
    double least = Double.MAX_VALUE;
    for (QueryBlend blend :
        List.of(blend(false, false), blend(false, true), blend(true, false), blend(true, true))) {
      SplitTree tried = ofAll(blend);
      double share = new FileReads(tried, sample).share(varied);
      if (share < least) {
        least = share;
        best = blend;
        tree = tried;
      }
    }
    for (double weight : BLENDS) {
      QueryBlend blend = weight == 0 ? best : best.with(equality(weight));
      if (isSound(ofSeen(blend), heldBack, plainHeldBack)) {
        SplitTree blended = weight == 0 ? tree : ofAll(blend);
        if (isSound(blended, queries, plainAll)) {
          return blended;
        }
      }
    }
    return plain;
  }

  private QueryBlend blend(boolean farSighted, boolean isVaried) {
    return new QueryBlend(farSighted, isVaried, new double[weights.length]);
  }

  private SplitTree ofAll(QueryBlend blend) {
    return tree(blend, blend.varied() ? varied : queries);
  }

  private SplitTree ofSeen(QueryBlend blend) {
    return tree(blend, blend.varied() ? seenVaried : seen);
  }

  private SplitTree tree(QueryBlend blend, List<Query> judges) {
    NumberedColumn[] own =
        Arrays.stream(columns).map(NumberedColumn::copy).toArray(NumberedColumn[]::new);
    return new SplitTreeBuilder(own, weights, files, judges, blend).build();
  }

  /** By column, what equalities weigh that weigh so much, all together, against all queries. */
  private double[] equality(double blend) {
    double all = queries.stream().mapToDouble(Query::weight).sum();
    double sum = Arrays.stream(weights).sum();
    return Arrays.stream(weights).map(weight -> blend * all * weight / sum).toArray();
  }

  private boolean isSound(SplitTree tree, List<Query> asked, double plainAsked) {
    FileReads reads = new FileReads(tree, sample);
    return reads.share(asked) < plainAsked
        && reads.share(varied) <= MOST * plainVaried
        && IntStream.range(0, neverAsked.length).allMatch(i -> isSound(reads, i));
  }

  private boolean isSound(FileReads reads, int i) {
    int c = neverAsked[i];
    return reads.equality(c, columns[c]) <= MOST * plainEquality[i];
  }
}
