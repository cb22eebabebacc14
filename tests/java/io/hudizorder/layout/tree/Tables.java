package io.hudizorder.layout.tree;

import io.hudizorder.key.Words;
import io.hudizorder.layout.rank.BytesRanks;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Synthetic tables of words, by column, then by row, the same for the same seed. The last column is
 * a tie-breaker, a hash of the row's number.
 */
public final class Tables {
  private static final int MAX_BOUNDARIES = 65_536;

  private Tables() {}

  /** Tables of independent columns with many distinct values, by name, made when asked for. */
  static Map<String, Supplier<long[][]>> ofIndependentColumns(int rows) {
    Map<String, Supplier<long[][]>> tables = new LinkedHashMap<>();
    for (int columns = 2; columns <= 4; columns++) {
      int k = columns;
      tables.put("uniform, " + k + " columns", () -> uniform(rows, k, k));
      tables.put("lognormal, " + k + " columns", () -> lognormal(rows, k, k));
      tables.put("zipf, " + k + " columns", () -> zipf(rows, k, k));
      tables.put("prefix strings, " + k + " columns", () -> prefixStrings(rows, k, k));
    }
    return tables;
  }

  /** Tables of correlated, null-heavy and repetitive columns, of at least 150 distinct values. */
  static Map<String, Supplier<long[][]>> ofAwkwardColumns(int rows) {
    Derivation self = (x, random) -> x;
    Derivation independent = (x, random) -> random.nextDouble();
    Map<String, Supplier<long[][]>> tables = new LinkedHashMap<>();
    tables.put("correlated", () -> derived(rows, 1, self, noisy(0.05)));
    tables.put("weakly correlated", () -> derived(rows, 2, self, noisy(0.5)));
    tables.put(
        "opposite but for a tenth",
        () -> derived(rows, 3, self, (x, random) -> rare(1, random) ? random.nextDouble() : -x));
    tables.put("two correlated of three", () -> derived(rows, 4, self, noisy(0.01), independent));
    tables.put("60 % nulls", () -> derived(rows, 5, self, nulls(6)));
    tables.put("90 % and 30 % nulls", () -> derived(rows, 6, self, nulls(9), nulls(3)));
    tables.put(
        "heavy, 150 distinct, free",
        () ->
            derived(
                rows,
                7,
                (x, random) -> rare(3, random) ? 0.5 : random.nextDouble(),
                (x, random) -> random.nextInt(150),
                self));
    return tables;
  }

  private static boolean rare(int tenths, Random random) {
    return random.nextInt(10) < tenths;
  }

  private static Derivation noisy(double deviation) {
    return (x, random) -> x + deviation * random.nextGaussian();
  }

  private static Derivation nulls(int tenths) {
    return (x, random) -> rare(tenths, random) ? Double.NaN : random.nextDouble();
  }

  /** Independent columns of one distribution, a null where it draws NaN. */
  static long[][] independent(
      int rows, int columns, long seed, ToDoubleFunction<Random> distribution) {
    long[][] table = new long[columns + 1][rows];
    Random random = new Random(seed);
    for (int c = 0; c < columns; c++) {
      for (int row = 0; row < rows; row++) {
        table[c][row] = word(distribution.applyAsDouble(random));
      }
    }
    return withTies(table);
  }

  public static long[][] uniform(int rows, int columns, long seed) {
    return independent(rows, columns, seed, Random::nextDouble);
  }

  static long[][] lognormal(int rows, int columns, long seed) {
    return independent(rows, columns, seed, random -> Math.exp(2 * random.nextGaussian()));
  }

  /** Zipf's law over a million values: the heaviest fills a twentieth of the rows. */
  public static long[][] zipf(int rows, int columns, long seed) {
    return independent(
        rows, columns, seed, random -> Math.floor(Math.pow(1e6, random.nextDouble())));
  }

  /** Text that tells values apart only after 28 bytes, ranked by a sample. */
  static long[][] prefixStrings(int rows, int columns, long seed) {
    long[][] table = new long[columns + 1][];
    Random random = new Random(seed);
    for (int c = 0; c < columns; c++) {
      byte[][] values = new byte[rows][];
      for (int row = 0; row < rows; row++) {
        double skewed = 1000 * Math.exp(random.nextGaussian());
        String text = "https://shop.example/item/" + c + "/" + (long) (skewed * 1e4);
        values[row] = text.getBytes(StandardCharsets.UTF_8);
      }
      BytesRanks ranks = BytesRanks.of(Arrays.copyOf(values, rows / 10), MAX_BOUNDARIES);
      table[c] = Arrays.stream(values).mapToLong(ranks::word).toArray();
    }
    table[columns] = new long[rows];
    return withTies(table);
  }

  /** Columns computed from one number in [0, 1) and noise, a null where they are NaN. */
  public static long[][] derived(int rows, long seed, Derivation... derivations) {
    long[][] table = new long[derivations.length + 1][rows];
    Random random = new Random(seed);
    for (int row = 0; row < rows; row++) {
      double source = random.nextDouble();
      for (int c = 0; c < derivations.length; c++) {
        table[c][row] = word(derivations[c].apply(source, random));
      }
    }
    return withTies(table);
  }

  /** A column of a number that all columns come from, and of chance. */
  public interface Derivation {
    double apply(double source, Random random);
  }

  private static long word(double value) {
    return Double.isNaN(value) ? Words.NULL : Words.ofDouble(value);
  }

  private static long[][] withTies(long[][] table) {
    long[] ties = table[table.length - 1];
    for (int row = 0; row < ties.length; row++) {
      ties[row] = (row + 1) * 0x9E3779B97F4A7C15L;
    }
    return table;
  }

  /** Different rows of a table, drawn at random. */
  static long[][] sample(long[][] table, int rows, long seed) {
    int[] drawn = new Random(seed).ints(0, table[0].length).distinct().limit(rows).toArray();
    return Arrays.stream(table)
        .map(column -> Arrays.stream(drawn).mapToLong(row -> column[row]).toArray())
        .toArray(long[][]::new);
  }

  /** The same rows in another order. */
  public static long[][] shuffled(long[][] table, long seed) {
    return sample(table, table[0].length, seed);
  }

  /** A weight of 1 for each column, and none for the tie-breaker. */
  static double[] equalWeights(int columns) {
    double[] weights = new double[columns + 1];
    Arrays.fill(weights, 0, columns, 1);
    return weights;
  }
}
