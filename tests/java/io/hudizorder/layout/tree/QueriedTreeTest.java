package io.hudizorder.layout.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.layout.query.AskedWhen;
import io.hudizorder.layout.query.Holdout;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueriedTreeTest {
  private static final int ROWS = 60_000;
  private static final long[][] TABLE = Tables.uniform(ROWS, 4, 7);
  private static final NumberedColumn[] COLUMNS = NumberedColumn.all(TABLE);
  private static final double[] WEIGHTS = Tables.equalWeights(4);
  private static final Map<Integer, SplitTree> KNOWN = new HashMap<>();

  private static WordSet between(double low, double high) {
    return WordSet.range(Words.ofDouble(low), Words.ofDouble(high));
  }

  private static WordSet value(double value) {
    return between(value, value);
  }

  private static Query query(Map<Integer, WordSet> box) {
    return new Query(1, List.of(box));
  }

  /** Ranges of a tenth on the first column, of a quarter on the second beside it. */
  private static List<Query> ranges(int number, long seed) {
    Random random = new Random(seed);
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      double a = random.nextInt(10) / 10.0;
      double b = random.nextInt(4) / 4.0;
      queries.add(
          i % 2 == 0
              ? query(Map.of(0, between(a, a + 0.1)))
              : query(Map.of(0, between(a, a + 0.1), 1, between(b, b + 0.25))));
    }
    return queries;
  }

  private static double share(SplitTree tree, long[][] table, List<Query> queries) {
    return FileReads.ofAllRows(tree, table).share(queries);
  }

  /** Cut for ranges; made once, when the first test asks for so many files. */
  private static SplitTree known(int files) {
    return KNOWN.computeIfAbsent(
        files, some -> SplitTree.build(TABLE, WEIGHTS, some, ranges(60, 1)));
  }

  private static SplitTree plain(int files) {
    return SplitTree.build(TABLE, WEIGHTS, files);
  }

  @Test
  void queriesThatWereNeverSeenReadLess() {
    double[] asked = {1, 1, 0, 0, 0};
    for (int files : new int[] {40, 200}) {
      SplitTree tree = SplitTree.build(TABLE, asked, files, ranges(60, 1));
      SplitTree plain = SplitTree.build(TABLE, asked, files);
      List<Query> others = ranges(60, 2);
      assertThat(share(plain, TABLE, others) / share(tree, TABLE, others)).isGreaterThan(1.2);
      // A query on both matches a fortieth of the rows, one on the first alone a tenth.
      assertThat(share(tree, TABLE, others)).isLessThan(0.11);
    }
  }

  @Test
  void whatEitherHalfAndAColumnNeverAskedReadIsKnown() {
    QueryShares shares = known(100).queryShares().orElseThrow();
    FileReads plain = FileReads.ofAllRows(plain(100), TABLE);
    List<Query> later = new Holdout(ranges(60, 1)).heldBack();
    QueryShares.Pair heldBack = shares.heldBack().orElseThrow();
    assertThat(heldBack.plain()).isEqualTo(plain.share(later));
    assertThat(heldBack.cut()).isLessThan(heldBack.plain());
    assertThat(shares.known().cut()).isLessThan(shares.known().plain());
    assertThat(shares.seldomAsked()).containsOnlyKeys(2, 3);
    QueryShares.Pair equality = shares.seldomAsked().get(2);
    assertThat(equality.plain()).isEqualTo(plain.equality(2, COLUMNS[2]));
    assertThat(equality.cut()).isBetween(0.9 * equality.plain(), 1.2 * equality.plain());
  }

  @Test
  void ofFewQueriesNoneIsHeldBackAndWithoutThemNothingIsKnown() {
    SplitTree tree = SplitTree.build(TABLE, WEIGHTS, 20, ranges(7, 1));
    assertThat(tree.queryShares().orElseThrow().heldBack()).isEmpty();
    assertThat(SplitTree.build(TABLE, WEIGHTS, 20, List.of()).queryShares()).isEmpty();
    assertThat(plain(20).queryShares()).isEmpty();
  }

  @Test
  void ofFourQueriesThatEitherHalfAskedNoneIsHeldBack() {
    List<Query> asked = new ArrayList<>();
    for (AskedWhen when : new AskedWhen[] {AskedWhen.EARLIER, AskedWhen.LATER}) {
      unlike(4, 1).forEach(query -> asked.add(new Query(1, query.boxes(), when)));
    }
    long[][] table = Tables.uniform(2_000, 6, 7);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(6), 8, asked);
    assertThat(tree.queryShares().orElseThrow().heldBack()).isEmpty();
  }

  /** A tree that is cut for the earlier ones alone serves the later no better than a plain one. */
  @Test
  void whereTheLaterQueriesAskForSomethingElseTheTreeIsBlendedBack() {
    double[] asked = {1, 1, 0, 0, 0};
    List<Query> known = new ArrayList<>();
    List<Query> unknown = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      boolean later = i >= 20;
      double low = i % 20 / 20.0;
      Map<Integer, WordSet> box = Map.of(later ? 1 : 0, between(low, low + 0.05));
      double weight = later ? 1 : 50;
      known.add(new Query(weight, List.of(box), later ? AskedWhen.LATER : AskedWhen.EARLIER));
      unknown.add(new Query(weight, List.of(box)));
    }
    List<Query> later = known.subList(20, 40);
    double guarded = share(SplitTree.build(TABLE, asked, 40, known), TABLE, later);
    double unguarded = share(SplitTree.build(TABLE, asked, 40, unknown), TABLE, later);
    double plain = share(SplitTree.build(TABLE, asked, 40), TABLE, later);
    assertThat(unguarded).isGreaterThan(1.5 * plain);
    assertThat(guarded).isLessThan(1.2 * plain);
  }

  @Test
  void valuesOfATemplateThatNobodyHasAskedYetReadNoMoreThanPlain() {
    double[] asked = {1, 0, 0, 0, 0};
    SplitTree tree = SplitTree.build(TABLE, asked, 100, equalities(0, 0.5));
    List<Query> others = equalities(0.5, 1);
    double plain = share(SplitTree.build(TABLE, asked, 100), TABLE, others);
    assertThat(share(tree, TABLE, others)).isLessThanOrEqualTo(1.2 * plain);
  }

  /** Days of some five weeks are known, and those of the year's other half come after them. */
  @Test
  void readersWhoMoveOnReadNoMoreThanPlain() {
    double[] asked = {1, 1, 0, 0, 0};
    SplitTree tree = SplitTree.build(TABLE, asked, 100, windows(0, 0.1));
    List<Query> others = windows(0.4, 0.97);
    double plain = share(SplitTree.build(TABLE, asked, 100), TABLE, others);
    assertThat(share(tree, TABLE, others)).isLessThan(0.95 * plain);
  }

  private static List<Query> windows(double low, double high) {
    return drawn(60, 4, low, high, at -> Map.of(0, between(at, at + 0.03), 1, value(at)));
  }

  private static List<Query> equalities(double low, double high) {
    return drawn(40, 9, low, high, at -> Map.of(0, between(at, at + 0.001)));
  }

  private static List<Query> drawn(
      int number, long seed, double low, double high, DoubleFunction<Map<Integer, WordSet>> box) {
    return new Random(seed)
        .doubles(number, low, high)
        .mapToObj(at -> query(box.apply(at)))
        .collect(Collectors.toList());
  }

  @Test
  @Tag("slow")
  void filesAreEquallyFull() {
    long[][] sample = Tables.sample(TABLE, 25_000, 3);
    Forecast files = Forecast.of(SplitTree.build(sample, WEIGHTS, 100, ranges(60, 1)), TABLE);
    assertThat(files.files()).isEqualTo(100);
    assertThat(files.emptiest()).isGreaterThan(0.7);
    assertThat(files.fullest()).isLessThan(1.4);
  }

  @Tag("slow")
  @Test
  void orderOfTheSampleDoesNotMatter() {
    List<Query> queries = ranges(60, 1);
    SplitTree tree = SplitTree.build(TABLE, WEIGHTS, 50, queries);
    SplitTree same = SplitTree.build(Tables.shuffled(TABLE, 2), WEIGHTS, 50, queries);
    assertThat(files(same)).isEqualTo(files(tree));
  }

  @Test
  void withoutQueriesItIsThePlainTree() {
    assertThat(files(SplitTree.build(TABLE, WEIGHTS, 50, List.of()))).isEqualTo(files(plain(50)));
  }

  @Test
  void queriesThatReadEverythingLeaveThePlainTree() {
    List<Query> all = List.of(query(Map.of(0, WordSet.VALUES)));
    SplitTree tree = SplitTree.build(TABLE, WEIGHTS, 20, all);
    assertThat(files(tree)).isEqualTo(files(plain(20)));
    QueryShares.Pair known = tree.queryShares().orElseThrow().known();
    assertThat(known.cut()).isEqualTo(known.plain());
  }

  /** Of the tree that there is without queries; at few files it is judged by a part of the rows. */
  @ParameterizedTest(name = "{0} files")
  @ValueSource(ints = {40, 100})
  void aColumnThatNobodyAsksForReadsAtMostAFifthMore(int files) {
    FileReads plain = FileReads.ofAllRows(plain(files), TABLE);
    FileReads reads = FileReads.ofAllRows(known(files), TABLE);
    for (int c : new int[] {2, 3}) {
      assertThat(reads.equality(c, COLUMNS[c]))
          .isLessThanOrEqualTo(1.21 * plain.equality(c, COLUMNS[c]));
    }
  }

  /** A plain tree cuts the column of many values alone, and the queries read all of it. */
  @ParameterizedTest(name = "{0} files")
  @ValueSource(ints = {2, 4, 6})
  void fewFilesAreCutForQueriesBesideAColumnThatNobodyAsksFor(int files) {
    long[][] table = {TABLE[0], new long[ROWS], TABLE[4]};
    IntStream.range(0, ROWS).forEach(row -> table[1][row] = Words.ofDouble(row % 100 / 100.0));
    double[] named = {3, 1, 0};
    List<Query> asked = drawn(40, 3, 0, 0.9, at -> Map.of(1, between(at, at + 0.1)));
    SplitTree tree = SplitTree.build(table, named, files, asked);
    assertThat(share(SplitTree.build(table, named, files), table, asked)).isEqualTo(1);
    assertThat(share(tree, table, asked)).isLessThan(0.6);
    double least = 1.0 / files;
    assertThat(FileReads.ofAllRows(tree, table).equality(0, COLUMNS[0])).isLessThan(2.3 * least);
  }

  /** A query that tells no values apart asks nothing, and one of a million next to nothing. */
  @Tag("slow")
  @Test
  void aColumnThatIsHardlyAskedForReadsAtMostAFifthMore() {
    FileReads plain = FileReads.ofAllRows(plain(100), TABLE);
    List<Query> asked = new ArrayList<>(ranges(80, 1));
    asked.add(new Query(1e-6, List.of(Map.of(2, value(0.5)))));
    asked.add(new Query(9, List.of(Map.of(0, between(0.3, 0.4), 3, WordSet.VALUES))));
    FileReads reads = FileReads.ofAllRows(SplitTree.build(TABLE, WEIGHTS, 100, asked), TABLE);
    for (int c : new int[] {2, 3}) {
      assertThat(reads.equality(c, COLUMNS[c]))
          .isLessThanOrEqualTo(1.2 * plain.equality(c, COLUMNS[c]));
    }
  }

  /** Most ask for the lowest values of two columns, which equalities with any value know not of. */
  @Tag("slow")
  @Test
  void aColumnThatIsSeldomAskedIsMixedInAlone() {
    double[] asked = {1, 1, 0.2, 0, 0};
    Random random = new Random(5);
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      double a = Math.pow(random.nextDouble(), 4);
      queries.add(query(Map.of(i % 2, between(a, a + 0.003))));
    }
    FileReads reads = FileReads.ofAllRows(SplitTree.build(TABLE, asked, 100, queries), TABLE);
    FileReads plain = FileReads.ofAllRows(SplitTree.build(TABLE, asked, 100), TABLE);
    assertThat(reads.share(queries)).isLessThan(0.7 * plain.share(queries));
    assertThat(reads.equality(2, COLUMNS[2]))
        .isLessThanOrEqualTo(1.2 * plain.equality(2, COLUMNS[2]));
  }

  /** Of the trees of rising blends one reads less of the six that are held back, if any may. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(ints = {4, 5})
  void queriesThatHaveNothingInCommonDoNotWinByChance(int seed) {
    long[][] table = Tables.uniform(20_000, 6, 7);
    double[] equal = Tables.equalWeights(6);
    List<Query> others = unlike(200, 99);
    double plain = share(SplitTree.build(table, equal, 16), table, others);
    SplitTree tree = SplitTree.build(table, equal, 16, unlike(12, seed));
    assertThat(share(tree, table, others)).isLessThan(1.01 * plain);
  }

  /** Ranges of up to three of six columns. */
  private static List<Query> unlike(int number, long seed) {
    Random random = new Random(seed);
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      Map<Integer, WordSet> box = new HashMap<>();
      for (int more = random.nextInt(3); more >= 0; more--) {
        double low = random.nextDouble();
        box.put(random.nextInt(6), between(low, low + 0.3 * random.nextDouble()));
      }
      queries.add(query(box));
    }
    return queries;
  }

  /** Of the last values, as of the last hour, few rows are sampled, and of most files none. */
  @ParameterizedTest(name = "of {0} of the rows")
  @ValueSource(doubles = {2e-5, 2e-4})
  void whatIsRareInTheSampleIsForetoldAsTheTableReadsIt(double share) {
    int files = 50;
    long[][] table = Tables.uniform(1_000_000, 2, 3);
    long[][] sample = Tables.sample(table, ROWS, 1);
    List<Query> equalities = new ArrayList<>();
    List<Query> latest = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      equalities.add(query(Map.of(0, WordSet.word(sample[0][i]))));
      latest.add(query(Map.of(1, WordSet.range(Words.ofDouble(1 - share * (1 + i / 20.0)), -1L))));
    }
    List<Query> all = new ArrayList<>(equalities);
    all.addAll(latest);
    double[] asked = {1, 1, 0};
    SplitTree tree = SplitTree.build(sample, asked, files, all);
    SplitTree plain = SplitTree.build(sample, asked, files);

    assertThat(share(tree, table, all)).isLessThan(1.2 * share(plain, table, all));
    assertThat(tree.queryShares().orElseThrow().known().cut())
        .isCloseTo(share(tree, table, all), Offset.offset(0.05));
  }

  @Test
  void cutsThatGainOnlyTogetherAreFound() {
    double[] asked = {1, 1, 0, 0, 0};
    // Of either alone no cut takes anything away, since the other may always be true.
    Query either = new Query(1, List.of(Map.of(0, between(0, 0.25)), Map.of(1, between(0, 0.25))));
    SplitTree tree = SplitTree.build(TABLE, asked, 4, List.of(either));
    assertThat(share(tree, TABLE, List.of(either))).isLessThan(0.6);
  }

  @Test
  void aSetOfValuesIsApartFromOthersBetweenThem() {
    long[][] table = {new long[ROWS], TABLE[4]};
    IntStream.range(0, ROWS).forEach(row -> table[0][row] = 1L + row % 16);
    List<Query> queries =
        List.of(query(Map.of(0, WordSet.union(IntStream.of(1, 4).mapToObj(WordSet::word)))));
    SplitTree tree = SplitTree.build(table, new double[] {1, 0}, 8, queries);
    assertThat(share(tree, table, queries)).isLessThanOrEqualTo(0.26);
  }

  @Test
  void nullsAreCutOff() {
    long[][] table = {new long[ROWS], TABLE[4]};
    IntStream.range(0, ROWS).forEach(row -> table[0][row] = row % 4 == 0 ? 0 : TABLE[0][row]);
    List<Query> queries = List.of(query(Map.of(0, WordSet.NULL)));
    SplitTree tree = SplitTree.build(table, new double[] {1, 0}, 8, queries);
    assertThat(share(tree, table, queries)).isEqualTo(0.25);
  }

  @Test
  void equalitiesWithValuesThatNobodySampledAreTakenIn() {
    List<Query> queries = new ArrayList<>();
    Random random = new Random(4);
    for (int i = 0; i < 40; i++) {
      queries.add(query(Map.of(0, value(random.nextDouble()))));
    }
    double[] asked = {1, 0, 0, 0, 0};
    SplitTree tree = SplitTree.build(TABLE, asked, 20, queries);
    assertThat(share(tree, TABLE, queries)).isLessThan(0.07);
  }

  @Test
  @Tag("slow")
  @Timeout(60)
  void aThousandQueriesOnManyColumnsAreFittedInTime() {
    int columns = 12;
    long[][] table = Tables.uniform(20_000, columns, 5);
    Random random = new Random(6);
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      double low = random.nextDouble();
      // Few columns are asked often.
      int first = (int) (columns * Math.pow(random.nextDouble(), 4));
      int second = random.nextInt(columns);
      queries.add(
          query(
              first == second
                  ? Map.of(first, between(low, low + 0.02))
                  : Map.of(first, between(low, low + 0.02), second, between(low, low + 0.2))));
    }
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(columns), 60, queries);
    assertThat(tree.files()).isEqualTo(60);
  }

  /** Whoever makes growing a tree faster leaves the cuts of today where they are. */
  @Test
  void cutsStayWhereTheyAre() {
    double[] asked = {1, 1, 0, 0, 0};
    SplitTree ofTwo = SplitTree.build(TABLE, asked, 40, ranges(60, 1));
    assertThat(Arrays.hashCode(files(ofTwo))).isEqualTo(-1_626_976_720);
    assertThat(Arrays.hashCode(files(known(40)))).isEqualTo(1_177_828_228);
  }

  private static int[] files(SplitTree tree) {
    return IntStream.range(0, ROWS).map(row -> tree.fileOf(WordTable.row(TABLE, row))).toArray();
  }
}
