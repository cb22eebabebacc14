package io.hudizorder.layout.tree;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Prints how near trees come to the optimum, for every number of files from 20 to 128: for each
 * synthetic table the touched share over {@code N^(-1/k)}, its mean and its worst case, and the
 * emptiest and the fullest file of all layouts. Arguments, both optional: rows, sampled rows.
 */
public final class SplitTreeQualityBenchmark {
  private static final int[] SHOWN = {20, 22, 32, 45, 64, 100, 128};

  private SplitTreeQualityBenchmark() {}

  public static void main(String[] arguments) {
    int rows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 400_000;
    int sampled = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60_000;
    System.out.printf("%,d rows, %,d sampled%n%-28s", rows, sampled, "touched share / optimum");
    for (int files : SHOWN) {
      System.out.printf("%7d", files);
    }
    System.out.printf("%8s%7s%4s%9s%8s%n", "mean", "worst", "at", "emptiest", "fullest");
    Map<String, Supplier<long[][]>> tables = new LinkedHashMap<>(Tables.ofIndependentColumns(rows));
    tables.putAll(Tables.ofAwkwardColumns(rows));
    tables.forEach((name, table) -> print(name, table.get(), sampled));
  }

  private static void print(String name, long[][] table, int sampled) {
    int columns = table.length - 1;
    long[][] sample = Tables.sample(table, sampled, 1);
    double[] ratio = new double[129];
    double sum = 0;
    int worst = 20;
    double emptiest = Double.MAX_VALUE;
    double fullest = 0;
    for (int files = 20; files <= 128; files++) {
      SplitTree tree = SplitTree.build(sample, Tables.equalWeights(columns), files);
      Forecast measured = Forecast.of(tree, table);
      ratio[files] = measured.ratioToOptimum(columns);
      sum += ratio[files];
      worst = ratio[files] > ratio[worst] ? files : worst;
      emptiest = Math.min(emptiest, measured.emptiest());
      fullest = Math.max(fullest, measured.fullest());
    }
    System.out.printf("%-28s", name);
    for (int files : SHOWN) {
      System.out.printf("%7.3f", ratio[files]);
    }
    System.out.printf(
        "%8.3f%7.3f%4d%9.2f%8.2f%n", sum / 109, ratio[worst], worst, emptiest, fullest);
  }
}
