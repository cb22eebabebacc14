package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What an equality on a sort column reads of a partition, in the mean: of its files as they are,
 * and of any set of them once it is laid out together.
 */
final class PartitionReading {

  /** Of how many files all pairs are looked at. */
  private static final int MOST_IN_PAIRS = 200;

  /** Of how many files each is looked at beside one. */
  private static final int MOST_TO_MEET = 2_000;

  /** Shares of columns are nearly exact. */
  private static final double ROUNDING = 1e-6;

  private final List<FileNumbers> files;

  /** By the ids of the files. */
  private final Map<String, Integer> numbers;

  private final FileBoxes boxes;
  private final HotValues hot;
  private final ReadingModel model;
  private final long fileBytes;

  /** Files of the target size that are read of each. */
  private final double[] touched;

  /** Bytes that are read of each file. */
  private final double[] bytesRead;

  /**
   * @param files of one partition
   * @param weights of the sort columns
   * @param fileBytes of a full file
   * @param cutting of the columns
   */
  PartitionReading(List<FileNumbers> files, double[] weights, long fileBytes, Cutting cutting) {
    this.files =
        files.stream().sorted(Comparator.comparing(FileNumbers::id)).collect(Collectors.toList());
    this.numbers =
        IntStream.range(0, files.size())
            .boxed()
            .collect(Collectors.toMap(f -> this.files.get(f).id(), f -> f));
    this.boxes = new FileBoxes(this.files, weights.length);
    this.hot = new HotValues(boxes, this.files, weights.length, fileBytes);
    this.model = new ReadingModel(weights, cutting, fileBytes);
    this.fileBytes = fileBytes;
    this.touched =
        IntStream.range(0, this.files.size())
            .mapToDouble(f -> model.touched(bytes(f), boxes.spans(List.of(f))))
            .toArray();
    this.bytesRead =
        IntStream.range(0, this.files.size())
            .mapToDouble(f -> touched[f] / size(bytes(f)) * bytes(f))
            .toArray();
  }

  /** The files, in the order by which they are numbered here. */
  List<FileNumbers> files() {
    return files;
  }

  /** What so many bytes count as, in files of the target size. */
  double size(double bytes) {
    return model.size(bytes);
  }

  long bytes(List<Integer> members) {
    return members.stream().mapToLong(f -> files.get(f).bytes()).sum();
  }

  /** The ends, by their ranks, of the range that holds all of these, column by column. */
  int[][] ends(List<Integer> members) {
    return boxes.ends(members);
  }

  /** The share of the partition's rows, column by column, between ends. */
  double[] spans(int[][] ends) {
    return boxes.spans(ends);
  }

  /** Bytes of a full file. */
  long fileBytes() {
    return fileBytes;
  }

  /**
   * Which part of all pairs of files lie over each other in every column: all of them where rows
   * lie anywhere, none of them in a run. Of many files as many pairs are looked at as of some.
   */
  double meeting(List<Integer> members) {
    int count = Math.min(members.size(), MOST_IN_PAIRS);
    int[] some =
        IntStream.range(0, count)
            .map(i -> members.get((int) ((long) i * members.size() / count)))
            .toArray();
    int meeting = 0;
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < i; j++) {
        meeting += boxes.meet(some[i], some[j]) ? 1 : 0;
      }
    }
    return count < 2 ? 0 : meeting / (count * (count - 1) / 2.0);
  }

  /**
   * How many files of the target size lie over a file of a run in every column, what it is itself
   * included: one that is larger is as many that lie over each other. Of many files it is told by
   * some.
   */
  double over(int file, List<Integer> run) {
    int count = Math.min(run.size(), MOST_TO_MEET);
    double others = 0;
    for (int i = 0; i < count; i++) {
      int other = run.get((int) ((long) i * run.size() / count));
      others += other != file && boxes.meet(file, other) ? size(bytes(other)) : 0;
    }
    return size(bytes(file)) + others * run.size() / Math.max(1, count);
  }

  /** Where a file's range begins in the first column, among all. */
  int begin(int file) {
    return boxes.begin(file);
  }

  /** Files in the order of where the middles of their ranges lie in a column. */
  List<Integer> alongColumn(int column, List<Integer> members) {
    return members.stream()
        .sorted(
            Comparator.<Integer>comparingDouble(f -> boxes.middle(column, f)).thenComparing(f -> f))
        .collect(Collectors.toList());
  }

  /** Files of the target size that are read of rows that lie anywhere between ends. */
  double lyingAnywhere(Piece rows) {
    return model.touched(rows.bytes, rows.spans);
  }

  /** Files of the target size that are read of a file. */
  double touched(int file) {
    return touched[file];
  }

  double touched(List<Integer> members) {
    return members.stream().mapToDouble(this::touched).sum();
  }

  /** The same of rows between ends once they are laid out. */
  double laidOut(double bytes, int[][] ends) {
    return model.laidOut(bytes, parts(ends));
  }

  /** What no layout of them reads less than, which is found sooner. */
  double atLeast(double bytes, int[][] ends) {
    return model.atLeast(bytes, parts(ends));
  }

  /**
   * How many files of a run would lie over one, as {@link #over} counts them, that is so many times
   * as wide in each column as a layout of as many makes them, or as wide as the run.
   */
  double lyingOver(List<Integer> run, double wider) {
    double files = run.stream().mapToDouble(f -> size(bytes(f))).sum();
    return Arrays.stream(model.shares(files * fileBytes, parts(boxes.ends(run))))
        .map(inGrid -> Math.min(wider * model.share(inGrid), 1) / inGrid)
        .reduce(1 + ROUNDING, (product, factor) -> product * factor);
  }

  private ColumnPart[] parts(int[][] ends) {
    double[] spans = boxes.spans(ends);
    ColumnPart[] parts = new ColumnPart[ends.length];
    for (int c = 0; c < parts.length; c++) {
      int from = ends[c][0];
      int to = ends[c][1];
      parts[c] =
          to < 0
              ? new ColumnPart(0, boxes.least(c), 0, 0, 0)
              : hot.part(c, from, to, spans[c], boxes.least(c));
    }
    return parts;
  }

  /** The same of files. */
  double laidOut(List<Integer> members) {
    return laidOut(bytes(members), boxes.ends(members));
  }

  /** The same were the partition laid out as one. */
  double optimum() {
    return laidOut(all());
  }

  /**
   * Says that files were laid out together, so that no less is read of them than of so many files
   * at best: where the ends of their ranges lie close together, these alone tell too little.
   */
  void areRun(List<Integer> run) {
    double now = run.stream().mapToDouble(f -> bytesRead[f]).sum();
    double count = run.size();
    double inGrid = model.inGrid(count * fileBytes, parts(boxes.ends(run)));
    double least = inGrid / count * bytes(run);
    if (now < least) {
      run.forEach(f -> bytesRead[f] = least * bytes(f) / bytes(run));
    }
  }

  /** Bytes of the partition. */
  long bytes() {
    return bytes(all());
  }

  /** Bytes that are read of the partition as it is. */
  double bytesRead() {
    return Arrays.stream(bytesRead).sum();
  }

  /** Bytes that are read of some files as they are. */
  double bytesRead(Set<String> fileIds) {
    return numbers(fileIds).stream().mapToDouble(f -> bytesRead[f]).sum();
  }

  /** Bytes that would be read of some files, were they laid out as one. */
  double bytesReadLaidOut(Set<String> fileIds) {
    List<Integer> members = numbers(fileIds);
    return bytesReadLaidOut(bytes(members), boxes.ends(members));
  }

  /** Bytes that would be read of the partition, were it laid out as one. */
  double bytesReadAsOne() {
    return bytesReadLaidOut(bytes(), boxes.ends(all()));
  }

  private double bytesReadLaidOut(long bytes, int[][] ends) {
    // As many files as a clustering writes: equally full ones, of which none is too large.
    double count = Math.max(1, Math.ceil((double) bytes / fileBytes));
    return laidOut(count * fileBytes, ends) / count * bytes;
  }

  private long bytes(int file) {
    return files.get(file).bytes();
  }

  private List<Integer> numbers(Set<String> fileIds) {
    return fileIds.stream().map(numbers::get).sorted().collect(Collectors.toList());
  }

  private List<Integer> all() {
    return IntStream.range(0, files.size())
        .boxed()
        .collect(Collectors.toCollection(ArrayList::new));
  }
}
