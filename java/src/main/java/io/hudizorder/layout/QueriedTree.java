package io.hudizorder.layout;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A {@link SplitTree} for queries that are known, guarded against those that are not.
 *
 * <p>Half of the queries are held back while it is decided how to cut: the tree of the others must
 * read less than the plain tree of them. Nor may an equality on a sort column that no query asks
 * read more than {@value #MOST} times of the plain tree's. Where either fails, equalities on all
 * columns are mixed in with rising weight, and in the end the plain tree is what remains. The tree
 * itself is then cut for all queries.
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
  private final List<Query> queries;
  private final List<Query> seen;
  private final List<Query> heldBack;
  private final int[] neverAsked;
  private final SplitTree plain;
  private final FileReads plainReads;

  private QueriedTree(long[][] sample, double[] weights, int files, List<Query> queries) {
    this.sample = sample;
    this.weights = weights;
    this.files = files;
    this.queries = queries;
    List<Query> even = half(queries, 0);
    List<Query> odd = half(queries, 1);
    boolean some = queries.size() < LEAST_QUERIES || even.isEmpty() || odd.isEmpty();
    seen = some ? queries : even;
    heldBack = some ? queries : odd;
    neverAsked =
        IntStream.range(0, weights.length)
            .filter(c -> weights[c] > 0)
            .filter(c -> queries.stream().noneMatch(query -> query.asks(c)))
            .toArray();
    plain = SplitTree.build(sample, weights, files);
    plainReads = new FileReads(plain, sample);
  }

  private static List<Query> half(List<Query> queries, long lastBit) {
    return queries.stream()
        .filter(query -> (query.hash() & 1) == lastBit)
        .collect(Collectors.toList());
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
    for (double blend : BLENDS) {
      QueryBlend near = blend(false, blend);
      QueryBlend far = blend(true, blend);
      if (servesOthers(near) || blend == 0 && servesOthers(far)) {
        Optional<SplitTree> best =
            Stream.of(near, far)
                .map(one -> tree(one, queries))
                .filter(tree -> isSound(new FileReads(tree, sample), queries))
                .min(Comparator.comparingDouble(this::share));
        if (best.isPresent()) {
          return best.get();
        }
      }
    }
    return plain;
  }

  /** Whether queries gain that the tree was not cut for. */
  private boolean servesOthers(QueryBlend blend) {
    return isSound(new FileReads(tree(blend, seen), sample), heldBack);
  }

  private double share(SplitTree tree) {
    return new FileReads(tree, sample).share(queries);
  }

  private SplitTree tree(QueryBlend blend, List<Query> asked) {
    return new SplitTreeBuilder(sample, weights, files, asked, blend).build();
  }

  private QueryBlend blend(boolean farSighted, double blend) {
    double all = queries.stream().mapToDouble(Query::weight).sum();
    double columns = Arrays.stream(weights).sum();
    double[] equality =
        Arrays.stream(weights).map(weight -> blend * all * weight / columns).toArray();
    return new QueryBlend(farSighted, equality);
  }

  private boolean isSound(FileReads reads, List<Query> asked) {
    return reads.share(asked) < plainReads.share(asked)
        && Arrays.stream(neverAsked)
            .allMatch(c -> reads.equality(c) <= MOST * plainReads.equality(c));
  }
}
