package io.hudizorder.layout.tree;

import io.hudizorder.layout.query.Holdout;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A {@link SplitTree} for queries that are known, guarded against those that are not.
 *
 * <p>Half of the queries ({@link Holdout}) are held back while it is decided how to cut: the tree
 * of the others must read less than the plain tree of them. Nor may an equality on a sort column
 * that is seldom asked, or never, read more than {@value #MOST} times of the plain tree's, or than
 * a file more where files are few. Where this fails for some columns, equalities on these are mixed
 * in with rising weight; where the queries themselves read too much, those on all columns, and in
 * the end the plain tree is what remains. Once the queries held back have read more, it takes more
 * than chance to win: of as many trees as are tried, one may well read less of so few. The tree
 * itself is then cut for all queries.
 */
final class QueriedTree {
  /** How many times of the plain tree's share a query may read that the layout has not seen. */
  private static final double MOST = 1.2;

  /** How many times of the mean rows a file may have. */
  private static final double LARGE_FILE = 1.2;

  /** What equalities weigh, all together, against all queries. */
  private static final double[] BLENDS = {0, 0.05, 0.1, 0.2, 0.4, 1, 2.5, 6, 15};

  /** Trees for queries are judged by so many rows a file; more take longer and read no less. */
  private static final int ROWS_PER_FILE = 1_200;

  /** So many at least, however few files there are. */
  private static final int LEAST_ROWS = 40_000;

  private final double[] weights;
  private final NumberedColumn[] columns;
  private final int[] seldomAsked;

  private final List<Query> queries;
  private final List<Query> seen;
  private final List<Query> heldBack;

  private final TreesForQueries ofAll;
  private final TreesForQueries ofSeen;

  /** What remains where no tree for queries serves them better, and what is read under it. */
  private final SplitTree plain;

  private final FileReads plainReads;

  /** What is read under the plain tree: by all, by those held back, by those varied. */
  private final double plainAll;

  private final double plainHeldBack;
  private final double plainVaried;

  /** By column that is seldom asked. */
  private final double[] plainEquality;

  private QueriedTree(
      SplitTree plain,
      long[][] sample,
      double[] weights,
      int files,
      List<Query> queries,
      BitSet askedElsewhere) {
    this.plain = plain;
    this.weights = weights;
    this.queries = queries;
    Holdout halves = new Holdout(queries);
    boolean one = !halves.isTelling();
    seen = one ? queries : halves.known();
    heldBack = one ? queries : halves.heldBack();
    seldomAsked =
        IntStream.range(0, weights.length)
            .filter(c -> weights[c] > 0)
            .filter(c -> !askedElsewhere.get(c) && isSeldomAsked(c))
            .toArray();
    columns = NumberedColumn.all(sample);
    ofAll = new TreesForQueries(sample, columns, weights, files, queries);
    ofSeen = one ? ofAll : new TreesForQueries(sample, columns, weights, files, seen);
    plainReads = new FileReads(plain, sample, columns);
    plainAll = plainReads.share(queries);
    plainHeldBack = plainReads.share(heldBack);
    plainVaried = plainReads.share(ofAll.varied());
    plainEquality =
        Arrays.stream(seldomAsked).mapToDouble(c -> plainReads.equality(c, columns[c])).toArray();
  }

  /**
   * Learns a tree.
   *
   * @param sample words by column, then by row, 0 for null
   * @param weights what skipping on each column is worth where queries say nothing
   * @param askedElsewhere columns that are not seldom asked, though not by these queries
   */
  static SplitTree build(
      long[][] sample, double[] weights, int files, List<Query> queries, BitSet askedElsewhere) {
    SplitTree plain = SplitTree.build(sample, weights, files);
    if (queries.isEmpty() || files == 1 || WordTable.rows(sample) == 0) {
      return plain;
    }
    long[][] judged =
        WordTable.randomRows(sample, Math.max(LEAST_ROWS, (long) ROWS_PER_FILE * files));
    return new QueriedTree(plain, judged, weights, files, queries, askedElsewhere).build();
  }

  /** The tree that queries are served by: the plain one where it serves them better. */
  private SplitTree build() {
    BitSet mixedIn = new BitSet();
    boolean hasLost = false;
    for (double weight : BLENDS) {
      double[] equality = equality(weight, mixedIn);
      TreesForQueries.Grown seenAlone = ofSeen.best(equality);
      double chance = hasLost ? seenAlone.reads.standardError(heldBack, plainReads) : 0;
      boolean wins = seenAlone.reads.share(heldBack) < plainHeldBack - chance;
      hasLost |= !wins;
      BitSet wanting = wanting(seenAlone, wins);
      if (wanting.isEmpty()) {
        TreesForQueries.Grown all = ofAll == ofSeen ? seenAlone : ofAll.best(equality);
        wanting = wanting(all, all.reads.share(queries) < plainAll);
        if (wanting.isEmpty()) {
          return all.tree.with(shares(seenAlone.reads));
        }
      }
      mixedIn.or(wanting);
    }
    return plain.with(shares(plainReads));
  }

  private boolean isSeldomAsked(int c) {
    double all = queries.stream().mapToDouble(Query::weight).sum();
    double own = queries.stream().filter(query -> query.asks(c)).mapToDouble(Query::weight).sum();
    return own < Query.SELDOM * all;
  }

  /** What is read where the tree is cut for the queries that are not held back. */
  private QueryShares shares(FileReads reads) {
    Map<Integer, QueryShares.Pair> equality = new HashMap<>();
    for (int i = 0; i < seldomAsked.length; i++) {
      int c = seldomAsked[i];
      equality.put(c, new QueryShares.Pair(plainEquality[i], reads.equality(c, columns[c])));
    }
    return new QueryShares(
        new QueryShares.Pair(plainReads.share(seen), reads.share(seen)),
        heldBack.equals(seen) ? null : new QueryShares.Pair(plainHeldBack, reads.share(heldBack)),
        equality);
  }

  /**
   * By column, what equalities weigh that weigh so much, all together, against all queries.
   *
   * @param on the columns that they are on
   */
  private double[] equality(double blend, BitSet on) {
    double all = queries.stream().mapToDouble(Query::weight).sum();
    double sum = on.stream().mapToDouble(c -> weights[c]).sum();
    double[] equality = new double[weights.length];
    on.stream().forEach(c -> equality[c] = blend * all * weights[c] / sum);
    return equality;
  }

  /**
   * The columns that a tree lacks equalities on; none where it is sound.
   *
   * @param wins whether queries read less than of the plain tree
   */
  private BitSet wanting(TreesForQueries.Grown tried, boolean wins) {
    BitSet found = new BitSet();
    if (!wins || tried.reads.share(ofAll.varied()) > MOST * plainVaried) {
      found.set(0, weights.length);
    }
    for (int i = 0; i < seldomAsked.length; i++) {
      int c = seldomAsked[i];
      if (tried.reads.equality(c, columns[c]) > most(plainEquality[i])) {
        found.set(c);
      }
    }
    return found;
  }

  /**
   * What an equality may read at most. Of few files a cut more or less is more than a fifth: two of
   * two files are read, not one, where another column is cut.
   */
  private double most(double plainShare) {
    return Math.max(MOST * plainShare, plainShare + LARGE_FILE / plain.files());
  }
}
