package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which files of a partition to lay out anew, so that reading stays near the optimum and each row
 * is rewritten few times.
 *
 * <p>Earlier clusterings have left <em>runs</em>, in which boxes do not meet, as a bulk insert does
 * that lays its rows out; other files are <em>fresh</em>. All fresh files are gathered into a new
 * run. It takes in an old one, the smallest first, that is at most 2.4 times as large, so that few
 * runs are left and their sizes grow like a geometric series; and up to 5.7 times as large while
 * the partition reads more than half as much again as were it laid out as one (with a threshold of
 * 1.5, that is). A run is left alone where joining it gains little, for it lies elsewhere, as the
 * rows of another day do. Where nothing is fresh, and no run is new, there is nothing to do.
 *
 * <p>Runs that are larger together than a plan's limit are joined by {@link RunStretches}, with
 * what the other steps leave of the limit, while the partition reads more than half as much again.
 *
 * <p>Loads of 5 % at random: 3.8 x the table rewritten over twenty of them, and at most 1.4 x the
 * optimum read; a thousand equal loads: 8.9 x, and 1.44 x in the mean.
 */
final class UpkeepPolicy {

  /** By how much more than the threshold's excess is read before larger runs are taken in. */
  private static final double SLACK = 1.08;

  /**
   * The same of a young partition, at most {@link #YOUNG} times as large as what is fresh. Its few
   * runs have few files each, whose boxes are no grid: they read some 3 % more than is reckoned. It
   * costs little, for of few loads each has been rewritten but a few times.
   */
  private static final double SLACK_OF_YOUNG = 0.95;

  private static final int YOUNG = 25;

  /**
   * What the excess of {@code n} runs, each {@code r} times as large as the next, is of the
   * threshold's: they read {@code sqrt(r) / (sqrt(r) - 1)} times the optimum at most.
   */
  private static final double EXCESS = 1.45;

  private final List<FileNumbers> files;
  private final PartitionReading reading;
  private final double[] weights;
  private final long maxBytes;
  private final LargeFiles large;

  /** How much may be read before larger runs are taken in. */
  private final double most;

  /** How much larger than what is gathered a run may be that is taken in whatever is gained. */
  private final double growth;

  private final double optimum;

  private final PartitionRuns partition;

  /** Runs, the smallest first. */
  private final List<Piece> runs;

  private final List<Integer> fresh;

  /** Those of the fresh files that may be rewritten. */
  private final List<Integer> taken;

  /**
   * @param reading of the files of one partition
   * @param weights of the sort columns
   * @param maxBytes that may be rewritten
   * @param readThreshold times the optimum that may be read, above 1
   * @param large files that may have to go first
   * @param stepsLeftOut whether plans before may have left out steps here
   */
  UpkeepPolicy(
      PartitionReading reading,
      double[] weights,
      long maxBytes,
      double readThreshold,
      LargeFiles large,
      boolean stepsLeftOut) {
    this.reading = reading;
    this.files = reading.files();
    this.weights = weights.clone();
    this.maxBytes = maxBytes;
    this.large = large;
    partition = new PartitionRuns(reading, stepsLeftOut);
    runs = partition.runs();
    fresh = partition.fresh();
    taken = withinLimit();
    optimum = reading.optimum();
    boolean young = reading.bytes() <= YOUNG * reading.bytes(taken);
    most = (1 + (young ? SLACK_OF_YOUNG : SLACK) * (readThreshold - 1)) * optimum;
    growth = 1 + 1 / (EXCESS * (readThreshold - 1));
  }

  /** What is read of the files, which knows now what are runs. */
  PartitionReading reading() {
    return reading;
  }

  /** What to lay out: sets of files that have none in common; none where all is as it should be. */
  List<UpkeepStep> steps() {
    if (partition.isSettled()) {
      return Collections.emptyList();
    }
    Set<Integer> now = new HashSet<>(taken);
    double readOfOthers =
        reading.touched(fresh.stream().filter(f -> !now.contains(f)).collect(Collectors.toList()));
    Gathering gathering = new Gathering(runs, readOfOthers, maxBytes, most, growth);
    if (!taken.isEmpty()) {
      gathering.add(new Piece(reading, taken));
    }
    gathering.settle(partition::isNew);
    List<Piece> pieces = gathering.pieces();
    Map<Boolean, List<Piece>> kept =
        pieces.stream().collect(Collectors.partitioningBy(partition::isRun));
    List<UpkeepStep> steps = kept.get(false).stream().map(this::step).collect(Collectors.toList());
    long room = maxBytes - bytesOf(kept.get(false));
    // Runs for which there is room are left alone because to join them gains too little.
    if (bytesOf(kept.get(true)) > room) {
      new RunStretches(reading, kept.get(true))
          .worthJoining(readOfOthers + Piece.touched(pieces) - most, room).stream()
              .map(stretch -> step(stretch, reading.touched(stretch.members)))
              .forEach(steps::add);
    }
    return steps;
  }

  private List<Integer> withinLimit() {
    List<Integer> within = new ArrayList<>();
    long bytes = 0;
    // Along the first column, so that what is taken lies together as far as it can.
    List<Integer> inOrder =
        fresh.stream()
            .sorted(Comparator.<Integer>comparingInt(reading::begin).thenComparing(f -> f))
            .collect(Collectors.toList());
    for (int f : inOrder) {
      if (large.isTurnOf(files.get(f).bytes())) {
        return List.of(f);
      }
      if (files.get(f).bytes() <= maxBytes - bytes) {
        within.add(f);
        bytes += files.get(f).bytes();
      }
    }
    // One that is larger than any plan may be would be fresh for ever, and so it goes alone.
    return within.isEmpty() ? inOrder.subList(0, Math.min(1, inOrder.size())) : within;
  }

  private static long bytesOf(List<Piece> pieces) {
    return pieces.stream().mapToLong(piece -> piece.bytes).sum();
  }

  private UpkeepStep step(Piece gathered) {
    Set<Integer> members = new HashSet<>(gathered.members);
    double now =
        reading.touched(fresh.stream().filter(members::contains).collect(Collectors.toList()))
            + Piece.touched(
                runs.stream()
                    .filter(run -> members.contains(run.first()))
                    .collect(Collectors.toList()));
    return step(gathered, now);
  }

  private UpkeepStep step(Piece gathered, double now) {
    boolean all = gathered.members.size() == files.size();
    double[] groupWeights =
        all ? weights.clone() : FileBoxes.weightsBySpans(weights, gathered.spans);
    return new UpkeepStep(
        gathered.members.stream().map(f -> files.get(f).id()).collect(Collectors.toSet()),
        groupWeights,
        gathered.bytes,
        now,
        gathered.touched,
        reading.touched(fresh) + Piece.touched(runs),
        optimum,
        taken.size() < fresh.size());
  }

  /**
   * Why each file is taken, or left alone.
   *
   * @param steps what {@link #steps} has chosen
   */
  Map<String, FileReason> reasons(List<UpkeepStep> steps) {
    Set<String> chosen =
        steps.stream().flatMap(step -> step.fileIds().stream()).collect(Collectors.toSet());
    Map<String, FileReason> reasons = new HashMap<>();
    for (FileNumbers file : files) {
      reasons.put(file.id(), chosen.contains(file.id()) ? FileReason.MERGED : FileReason.LAID_OUT);
    }
    for (int f : fresh) {
      FileNumbers file = files.get(f);
      reasons.replace(file.id(), FileReason.MERGED, whyFresh(file));
      reasons.replace(file.id(), FileReason.LAID_OUT, FileReason.MAX_BYTES_PER_PLAN);
    }
    return reasons;
  }

  private static FileReason whyFresh(FileNumbers file) {
    if (file.run().isPresent()) {
      return FileReason.CHANGED;
    }
    return file.layout() == FileNumbers.LayoutState.OTHER
        ? FileReason.OTHER_LAYOUT
        : FileReason.NEW;
  }
}
