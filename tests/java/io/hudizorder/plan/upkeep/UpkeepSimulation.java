package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Equal loads into a made-up partition, with upkeep after each: what it costs and how it reads.
 *
 * <p>Prints a line of JSON for each of its arguments, which are {@code
 * loads/files/threshold/random} or {@code .../days}, and end with {@code /laid-out} for loads by a
 * bulk insert that lays them out.
 */
public final class UpkeepSimulation {

  private static final long FILE = 1_000_000;
  private static final long DAY = 1_000;

  /** Before it there is hardly a layout to read. */
  private static final int FIRST_MEASURED = 5;

  private UpkeepSimulation() {}

  public static void main(String[] arguments) {
    for (String argument : arguments) {
      String[] parts = argument.split("/");
      int loads = Integer.parseInt(parts[0]);
      int files = Integer.parseInt(parts[1]);
      Partition partition = new Partition(FILE, Long.MAX_VALUE, Double.parseDouble(parts[2]));
      List<Double> depths = new ArrayList<>();
      for (int load = 0; load < loads; load++) {
        boolean byDay = parts[3].equals("days");
        long low = byDay ? load * DAY : 0;
        long high = byDay ? low + DAY - 1 : FILE;
        if (parts.length > 4) {
          partition.loadLaidOut(files * FILE, low, high);
        } else {
          partition.load(files, files * FILE, low, high);
        }
        partition.plan().forEach(partition::execute);
        if (load + 1 >= FIRST_MEASURED) {
          depths.add(partition.depth());
        }
      }
      Collections.sort(depths);
      System.out.printf(
          "{\"run\": \"%s\", \"rewritten\": %.4f, \"mean\": %.4f, \"p99\": %.4f, \"worst\": %.4f}%n",
          argument,
          (double) partition.rewritten() / partition.bytes(),
          depths.stream().mapToDouble(depth -> depth).average().orElseThrow(),
          depths.get((int) Math.ceil(0.99 * depths.size()) - 1),
          depths.get(depths.size() - 1));
    }
  }
}
