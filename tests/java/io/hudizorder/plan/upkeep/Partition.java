package io.hudizorder.plan.upkeep;

import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** A made-up partition of two columns: its loads arrive, its steps are carried out. */
final class Partition {

  static final int LAYOUT = 1;

  /** Where it is nobody's turn: they go where nothing else does. */
  static final LargeFiles LARGE_LAST = new LargeFiles(Long.MAX_VALUE, false);

  private final List<FileNumbers> files = new ArrayList<>();
  private final long fileBytes;
  private final long maxBytes;
  private double readThreshold;
  private LargeFiles large = LARGE_LAST;
  private boolean stepsLeftOut;
  private int commits;
  private long rewritten;

  Partition(long fileBytes, long maxBytes) {
    this(fileBytes, maxBytes, 1.5);
  }

  Partition(long fileBytes, long maxBytes, double readThreshold) {
    this.fileBytes = fileBytes;
    this.maxBytes = maxBytes;
    this.readThreshold = readThreshold;
  }

  List<FileNumbers> files() {
    return files;
  }

  long rewritten() {
    return rewritten;
  }

  long bytes() {
    return files.stream().mapToLong(FileNumbers::bytes).sum();
  }

  /** Of the files that a step rewrites. */
  long bytes(UpkeepStep step) {
    return files.stream()
        .filter(file -> step.fileIds().contains(file.id()))
        .mapToLong(FileNumbers::bytes)
        .sum();
  }

  /** Files that each span a range of the first column, and all of the second. */
  Partition load(int count, long bytes, long low, long high) {
    String commit = commit();
    for (int f = 0; f < count; f++) {
      add(commit, FileNumbers.LayoutState.UNKNOWN, null, bytes / count, low, high, 0, 1_000_000);
    }
    return this;
  }

  /** The same rows by a bulk insert that lays them out, cut by what part of the whole they span. */
  Partition loadLaidOut(long bytes, long low, long high) {
    long end = files.stream().mapToLong(f -> (Long) f.range(0).get(1)).max().orElse(high);
    double span = (high - low + 1.0) / (Math.max(end, high) + 1);
    layOut(commit(), null, bytes, new long[] {low, 0}, new long[] {high, 999_999}, span, 1);
    return this;
  }

  /** One write of all kinds of rows into the first files, of which Hudi writes new versions. */
  void fillUp(int count) {
    String commit = commit();
    for (int file = 0; file < count; file++) {
      rewrite(file, commit, List.of(0L, 1_000_000L), List.of(0L, 1_000_000L));
    }
  }

  /** One write of new versions of the same rows in the first files. */
  void update(int count) {
    String commit = commit();
    for (int file = 0; file < count; file++) {
      FileNumbers old = files.get(file);
      rewrite(file, commit, old.range(0), old.range(1));
    }
  }

  /** One write of other rows, of all kinds, into the smallest file, as Hudi's inserts do. */
  Partition grow(long bytes) {
    FileNumbers least = Collections.min(files, Comparator.comparingLong(FileNumbers::bytes));
    List<Comparable<?>> all = List.of(0L, 1_000_000L);
    rewrite(files.indexOf(least), least.bytes() + bytes, commit(), all, all);
    return this;
  }

  private void rewrite(
      int file, String commit, List<Comparable<?>> first, List<Comparable<?>> second) {
    rewrite(file, files.get(file).bytes(), commit, first, second);
  }

  private void rewrite(
      int file, long bytes, String commit, List<Comparable<?>> first, List<Comparable<?>> second) {
    FileNumbers old = files.get(file);
    files.set(
        file,
        new FileNumbers(
            old.id(),
            bytes,
            old.run().isPresent()
                ? FileNumbers.LayoutState.WANTED
                : FileNumbers.LayoutState.UNKNOWN,
            old.run().orElse(null),
            commit,
            List.of(first, second)));
  }

  /** The next plan, that so much less is to be read for, and those after it. */
  List<UpkeepStep> planFor(double lowerThreshold) {
    readThreshold = lowerThreshold;
    stepsLeftOut = true;
    List<UpkeepStep> plan = plan();
    stepsLeftOut = false;
    return plan;
  }

  List<UpkeepStep> plan() {
    return policy().steps();
  }

  UpkeepPolicy policy() {
    double[] weights = {1, 1};
    return new UpkeepPolicy(
        new PartitionReading(files, weights, fileBytes, Cutting.BY_GAIN),
        weights,
        maxBytes,
        readThreshold,
        large,
        stepsLeftOut);
  }

  /** The only step of a plan. */
  UpkeepStep step() {
    List<UpkeepStep> steps = plan();
    if (steps.size() != 1) {
      throw new AssertionError(steps.size() + " steps");
    }
    return steps.get(0);
  }

  /** Carries out the first step of a plan alone, as a limit of groups does. */
  void executeFirst(List<UpkeepStep> plan) {
    execute(plan.get(0));
    stepsLeftOut = plan.size() > 1;
  }

  /** Replaces files by a grid of the shape that the step's weights ask for. */
  void execute(UpkeepStep step) {
    long[] low = {Long.MAX_VALUE, Long.MAX_VALUE};
    long[] high = {Long.MIN_VALUE, Long.MIN_VALUE};
    long bytes = 0;
    for (FileNumbers file : new ArrayList<>(files)) {
      if (step.fileIds().contains(file.id())) {
        for (int c = 0; c < 2; c++) {
          low[c] = Math.min(low[c], (Long) file.range(c).get(0));
          high[c] = Math.max(high[c], (Long) file.range(c).get(1));
        }
        bytes += file.bytes();
        files.remove(file);
      }
    }
    String commit = commit();
    RunId run = RunId.of(LAYOUT, commit, step.fileIds().iterator().next());
    layOut(commit, run, bytes, low, high, step.weights()[0], step.weights()[1]);
    rewritten += bytes;
    large = new LargeFiles(maxBytes, bytes <= maxBytes);
  }

  private void layOut(
      String commit, RunId run, long bytes, long[] low, long[] high, double first, double second) {
    int count = (int) Math.max(1, Math.ceil((double) bytes / fileBytes));
    long most = Math.min(count, high[0] - low[0] + 1);
    int across = (int) Math.max(1, Math.min(most, Math.round(Math.sqrt(count * first / second))));
    int down = (int) Math.max(1, Math.round((double) count / across));
    for (int x = 0; x < across; x++) {
      for (int y = 0; y < down; y++) {
        add(
            commit,
            FileNumbers.LayoutState.WANTED,
            run,
            bytes / across / down,
            cut(low[0], high[0], x, across),
            cut(low[0], high[0], x + 1, across) - 1,
            cut(low[1], high[1], y, down),
            cut(low[1], high[1], y + 1, down) - 1);
      }
    }
  }

  private static long cut(long low, long high, int number, int of) {
    return low + (high - low + 1) * number / of;
  }

  /** What an equality on either column reads, in the mean, over the optimum. */
  double depth() {
    FileBoxes boxes = new FileBoxes(files, 2);
    double touched = 0;
    for (int f = 0; f < files.size(); f++) {
      double[] spans = boxes.spans(List.of(f));
      touched += (spans[0] + spans[1]) / 2 * Math.max(1, (double) files.get(f).bytes() / fileBytes);
    }
    return touched / Math.sqrt(Math.max(1, (double) bytes() / fileBytes));
  }

  private void add(
      String commit,
      FileNumbers.LayoutState layout,
      RunId run,
      long bytes,
      long low,
      long high,
      long lowest,
      long highest) {
    files.add(
        new FileNumbers(
            String.format("%s-%05d", commit, files.size()),
            bytes,
            layout,
            run,
            commit,
            List.of(List.of(low, high), List.of(lowest, highest))));
  }

  private String commit() {
    return String.format("%06d", commits++);
  }
}
