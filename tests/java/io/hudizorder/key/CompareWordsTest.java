package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The comparison by most significant differing column agrees with that of interleaved bytes. */
class CompareWordsTest {

  @Example
  void everyPairOfSmallRowsAtEitherEndOfTheWord() {
    assertAgreesOnEveryPair(1, 6);
    assertAgreesOnEveryPair(2, 4);
    assertAgreesOnEveryPair(3, 2);
    assertAgreesOnEveryPair(4, 2);
  }

  @Example
  void everyPairOfRowsThatDifferInOneBitEach() {
    int columns = 3;
    for (int one = 0; one < 64 * columns; one++) {
      for (int other = 0; other < 64 * columns; other++) {
        long[] a = new long[columns];
        long[] b = new long[columns];
        a[one % columns] = Long.MIN_VALUE >>> one / columns;
        b[other % columns] = Long.MIN_VALUE >>> other / columns;
        assertThat(sign(ZValue.compareWords(a, b, a.length)))
            .as("z-value bits %d and %d", one, other)
            .isEqualTo(Integer.compare(other, one));
      }
    }
  }

  @Property(tries = 3_000, seed = "1")
  void rowsOfAnyNumberOfColumns(@ForAll("nearRows") long[][] rows) {
    assertAgrees(rows[0], rows[1]);
    assertAgrees(rows[1], rows[0]);
    assertThat(ZValue.compareWords(rows[0], rows[0].clone(), rows[0].length)).isZero();
  }

  @Property(tries = 3_000, seed = "1")
  void leadingBitsNeverInvertTheOrder(@ForAll("nearRows") long[][] rows) {
    int leading = Long.compareUnsigned(ZValue.leadingBits(rows[0]), ZValue.leadingBits(rows[1]));
    assertThat(sign(leading)).isIn(0, sign(ZValue.compareWords(rows[0], rows[1], rows[0].length)));
  }

  /** Two rows, of which the second differs in some columns, often only in low bits. */
  @Provide
  Arbitrary<long[][]> nearRows() {
    return Arbitraries.integers()
        .between(1, ZValue.MAX_COLUMNS)
        .flatMap(
            columns ->
                Combinators.combine(
                        Arbitraries.longs().array(long[].class).ofSize(columns),
                        difference().array(long[].class).ofSize(columns))
                    .as(CompareWordsTest::withDifferences));
  }

  private static Arbitrary<Long> difference() {
    Arbitrary<Long> lowBits =
        Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 63))
            .as((bits, shift) -> bits >>> shift);
    return Arbitraries.oneOf(Arbitraries.just(0L), lowBits);
  }

  private static long[][] withDifferences(long[] row, long[] differences) {
    long[] other = new long[row.length];
    for (int column = 0; column < row.length; column++) {
      other[column] = row[column] ^ differences[column];
    }
    return new long[][] {row, other};
  }

  private static void assertAgreesOnEveryPair(int columns, int bits) {
    int rows = 1 << columns * bits;
    for (int shift : new int[] {0, 64 - bits}) {
      for (int one = 0; one < rows; one++) {
        for (int other = 0; other < rows; other++) {
          assertAgrees(row(one, columns, bits, shift), row(other, columns, bits, shift));
        }
      }
    }
  }

  private static long[] row(int number, int columns, int bits, int shift) {
    long[] row = new long[columns];
    for (int column = 0; column < columns; column++) {
      row[column] = (number >>> column * bits & (1L << bits) - 1) << shift;
    }
    return row;
  }

  private static void assertAgrees(long[] a, long[] b) {
    int expected = sign(ZValue.compare(ZValue.interleave(a), ZValue.interleave(b)));
    if (sign(ZValue.compareWords(a, b, a.length)) != expected) {
      throw new AssertionError(
          String.format(
              "z-values %s and %s should compare as %d",
              Hex.of(ZValue.interleave(a)), Hex.of(ZValue.interleave(b)), expected));
    }
  }

  private static int sign(int order) {
    return Integer.signum(order);
  }
}
