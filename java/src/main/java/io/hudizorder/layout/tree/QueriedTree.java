package io.hudizorder.layout.tree;

import io.hudizorder.layout.query.Holdout;
import io.hudizorder.layout.query.NumberedQueries;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.query.QueryBlend;
import io.hudizorder.layout.query.QueryVariations;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A {@link SplitTree} for queries that are known, guarded against those that are not.
 *
 * <p>Half of the queries ({@link Holdout}) are held back while it is decided how to cut: the tree
 * of the others must read less than the plain tree of them. Nor may an equality on a sort column
 * that is seldom asked, or never, read more than {@value #MOST} times of the plain tree's. Where
 * this fails for some columns, equalities on these are mixed in with rising weight; where the
 * queries themselves read too much, those on all columns, and in the end the plain tree is what
 * remains. Once the queries held back have read more, it takes more than chance to win: of as many
 * trees as are tried, one may well read less of so few. The tree itself is then cut for all
 * queries.
 */
final class QueriedTree {
  /** How many times of the plain tree's share a query may read that the layout has not seen. */
  private static final double MOST = 1.2;

  /** What equalities weigh, all together, against all queries. */
  private static final double[] BLENDS = {0, 0.05, 0.15, 0.4, 1, 2.5, 6, 15};

  /** Of fewer queries nothing is learnt by holding half of them back. */
  private static final int LEAST_QUERIES = 8;

  /** Trees for queries are judged by so many rows a file; more take longer and read no less. */
  private static final int ROWS_PER_FILE = 1_200;

  /** So many at least, however few files there are. */
  private static final int LEAST_ROWS = 40_000;

  /** A tree for queries, and what is read under it. */
  private final class Tried {
    final QueryBlend blend;
    final SplitTree tree;
    final FileReads reads;
    final double ofVaried;

    Tried(QueryBlend blend, NumberedQueries judges) {
      this.blend = blend;
      tree = grow(blend, judges);
      reads = new FileReads(tree, sample, columns);
      ofVaried = reads.share(varied);
    }
  }

  private final long[][] sample;
  private final double[] weights;
  private final int files;
  private final NumberedColumn[] columns;
  private final int[] seldomAsked;

  private final List<Query> queries;
  private final List<Query> seen;
  private final List<Query> heldBack;

  /** Those of {@link #queries}, and what may be asked next. */
  private final List<Query> varied;

  private final NumberedQueries asNumbers;
  private final NumberedQueries variedAsNumbers;
  private final NumberedQueries seenAsNumbers;
  private final NumberedQueries seenVariedAsNumbers;

  private final SplitTree plain;
  private final FileReads plainReads;

  /** What is read under the plain tree: by all, by those held back, by those varied. */
  private final double plainAll;

  private final double plainHeldBack;
  private final double plainVaried;

  /** By column that is seldom asked. */
  private final double[] plainEquality;

  /**
   * @param plain the tree of all that was sampled, of which the trees for queries need not be
   */
  private QueriedTree(
      SplitTree plain,
      long[][] sample,
      double[] weights,
      int files,
      List<Query> queries,
      BitSet askedElsewhere) {
    this.plain = plain;
    this.sample = sample;
    this.weights = weights;
    this.files = files;
    this.queries = queries;
    Holdout halves = new Holdout(queries);
    boolean one =
        queries.size() < LEAST_QUERIES || halves.known().isEmpty() || halves.heldBack().isEmpty();
    seen = one ? queries : halves.known();
    heldBack = one ? queries : halves.heldBack();
    seldomAsked =
        IntStream.range(0, weights.length)
            .filter(c -> weights[c] > 0)
            .filter(c -> !askedElsewhere.get(c) && isSeldomAsked(c))
            .toArray();
    columns = NumberedColumn.all(sample);
    varied = QueryVariations.with(queries, columns);
    asNumbers = new NumberedQueries(queries, columns);
    variedAsNumbers = new NumberedQueries(varied, columns);
    seenAsNumbers = new NumberedQueries(seen, columns);
    seenVariedAsNumbers = new NumberedQueries(QueryVariations.with(seen, columns), columns);
    plainReads = new FileReads(plain, sample, columns);
    plainAll = plainReads.share(queries);
    plainHeldBack = plainReads.share(heldBack);
    plainVaried = plainReads.share(varied);
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

  private SplitTree build() {
    Tried best =
        Stream.of(blend(false), blend(true))
            .map(this::ofAll)
            .min(Comparator.comparingDouble(tried -> tried.ofVaried))
            .orElseThrow();
    BitSet mixedIn = new BitSet();
    boolean hasLost = false;
    for (double weight : BLENDS) {
      QueryBlend blend = weight == 0 ? best.blend : best.blend.with(equality(weight, mixedIn));
      Tried ofSeen = ofSeen(blend);
      double chance = hasLost ? ofSeen.reads.standardError(heldBack, plainReads) : 0;
      boolean wins = ofSeen.reads.share(heldBack) < plainHeldBack - chance;
      hasLost |= !wins;
      BitSet wanting = wanting(ofSeen, wins);
      if (wanting.isEmpty()) {
        Tried blended = weight == 0 ? best : ofAll(blend);
        wanting = wanting(blended, blended.reads.share(queries) < plainAll);
        if (wanting.isEmpty()) {
          return blended.tree.with(shares(ofSeen.reads));
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

  private QueryBlend blend(boolean isVaried) {
    return new QueryBlend(isVaried, new double[weights.length]);
  }

  private Tried ofAll(QueryBlend blend) {
    return new Tried(blend, blend.varied() ? variedAsNumbers : asNumbers);
  }

  private Tried ofSeen(QueryBlend blend) {
    return new Tried(blend, blend.varied() ? seenVariedAsNumbers : seenAsNumbers);
  }

  private SplitTree grow(QueryBlend blend, NumberedQueries judges) {
    NumberedColumn[] own =
        Arrays.stream(columns).map(NumberedColumn::copy).toArray(NumberedColumn[]::new);
    return new SplitTreeBuilder(own, weights, files, judges, blend).build();
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
  private BitSet wanting(Tried tried, boolean wins) {
    BitSet found = new BitSet();
    if (!wins || tried.ofVaried > MOST * plainVaried) {
      found.set(0, weights.length);
    }
    for (int i = 0; i < seldomAsked.length; i++) {
      int c = seldomAsked[i];
      if (tried.reads.equality(c, columns[c]) > MOST * plainEquality[i]) {
        found.set(c);
      }
    }
    return found;
  }
}
