package io.hudizorder.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.Forecast;
import io.hudizorder.layout.tree.Tables;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EqualCutsTest {
  private static final int ROWS = 3000;

  @ParameterizedTest
  @EnumSource(Curve.class)
  void keysOrderAsTheCurveDoes(Curve curve) {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      int columns = 1 + random.nextInt(4);
      long[] a = random.longs(columns).toArray();
      // Half of the pairs agree in some column.
      long[] b = random.longs(columns).toArray();
      if (random.nextBoolean()) {
        int c = random.nextInt(columns);
        b[c] = a[c];
      }
      int byKey = Arrays.compareUnsigned(curve.key(a), curve.key(b));
      int byWords =
          curve.compare(curve.comparable(a, columns), curve.comparable(b, columns), columns);
      assertThat(Integer.signum(byWords)).isEqualTo(Integer.signum(byKey));
      int byBits = Long.compareUnsigned(curve.leadingBits(a, 64), curve.leadingBits(b, 64));
      assertThat(byBits == 0 || Integer.signum(byBits) == Integer.signum(byKey)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Curve.class)
  void filesAreEqualRunsOfTheCurve(Curve curve) {
    assertEqualRuns(Tables.uniform(ROWS, 2, 1), curve);
  }

  @ParameterizedTest
  @EnumSource(Curve.class)
  void soAreFilesOfRowsThatAgreeInTheirLeadingBits(Curve curve) {
    long[][] table = Tables.uniform(ROWS, 2, 1);
    for (long[] words : table) {
      Arrays.setAll(words, row -> words[row] >>> 40);
    }
    assertEqualRuns(table, curve);
  }

  private static void assertEqualRuns(long[][] table, Curve curve) {
    EqualCuts cuts = EqualCuts.build(table, 2, curve, 30);
    assertThat(cuts.files()).isEqualTo(30);
    int[] files =
        IntStream.range(0, ROWS)
            .mapToObj(row -> WordTable.row(table, row))
            .sorted(
                Comparator.comparing(
                    row -> curve.key(Arrays.copyOf(row, 2)), Arrays::compareUnsigned))
            .mapToInt(cuts::fileOf)
            .toArray();
    assertThat(files).isEqualTo(IntStream.range(0, ROWS).map(row -> row / (ROWS / 30)).toArray());
  }

  @ParameterizedTest
  @EnumSource(Curve.class)
  void orderOfTheSampleDoesNotMatter(Curve curve) {
    long[][] table = Tables.zipf(ROWS, 2, 1);
    EqualCuts cuts = EqualCuts.build(table, 2, curve, 30);
    EqualCuts same = EqualCuts.build(Tables.shuffled(table, 2), 2, curve, 30);
    for (int row = 0; row < ROWS; row++) {
      long[] words = WordTable.row(table, row);
      assertThat(same.fileOf(words)).isEqualTo(cuts.fileOf(words));
    }
  }

  @Test
  void columnsOffTheCurveTellEqualRowsApart() {
    long[][] table = Tables.derived(ROWS, 1, (x, random) -> 1);
    assertThat(EqualCuts.build(new long[][] {table[0]}, 1, Curve.ZORDER, 10).files()).isEqualTo(1);
    Forecast forecast = Forecast.of(EqualCuts.build(table, 1, Curve.ZORDER, 10), table);
    assertThat(forecast.files()).isEqualTo(10);
    assertThat(forecast.emptiest()).isEqualTo(1);
    assertThat(forecast.fullest()).isEqualTo(1);
  }

  @Test
  void columnsOffTheCurveDoNotBendIt() {
    long[][] table = Tables.uniform(ROWS, 2, 1);
    EqualCuts cuts = EqualCuts.build(new long[][] {table[0], table[1]}, 2, Curve.ZORDER, 30);
    EqualCuts withTies = EqualCuts.build(table, 2, Curve.ZORDER, 30);
    for (int row = 0; row < ROWS; row++) {
      assertThat(withTies.fileOf(WordTable.row(table, row)))
          .isEqualTo(cuts.fileOf(new long[] {table[0][row], table[1][row]}));
    }
  }

  @Test
  void withoutSampledRowsThereIsOneFile() {
    EqualCuts cuts = EqualCuts.build(new long[2][0], 2, Curve.HILBERT, 8);
    assertThat(cuts.files()).isEqualTo(1);
    assertThat(cuts.fileOf(new long[] {7, 7})).isZero();
  }

  @Test
  void whatCannotBeLaidOutIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EqualCuts.build(new long[1][1], 1, Curve.LINEAR, 0))
        .withMessageContaining("'files' was '0'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EqualCuts.build(new long[0][], 1, Curve.LINEAR, 1))
        .withMessageContaining("no columns");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EqualCuts.build(new long[2][1], 3, Curve.LINEAR, 1))
        .withMessageContaining("3 of 2 columns");
  }
}
