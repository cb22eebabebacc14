package io.hudizorder.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which files of a partition to lay out anew, so that reading stays near the optimum and each row
 * is rewritten few times.
 *
 * <p>Earlier clusterings have left <em>runs</em>, in which boxes do not meet; other files are
 * <em>fresh</em>. All fresh files are gathered into a new run. It takes in an old one, the smallest
 * first, that is at most twice as large, so that few runs are left and their sizes grow like a
 * geometric series; and up to five times as large while the partition reads more than half as much
 * again as were it laid out as one. A run is left alone where joining it gains little, for it lies
 * elsewhere, as the rows of another day do. Where nothing is fresh, runs may be joined by the same
 * rule, drawn tighter, so that what a plan has left alone stays left alone.
 *
 * <p>Loads of 5 % at random: 3.9 x the table rewritten over twenty of them, and at most 1.4 x the
 * optimum read; a thousand equal loads: 8.8 x, and 1.43 x in the mean.
 */
final class UpkeepPolicy {

  /** How much larger than what is gathered a run may be that is taken in whatever is gained. */
  static final double GROWTH = 2;

  /** How much larger it may be while more than {@link #DEPTH} is read. */
  static final double REACH = 5;

  /** How many times the optimum may be read. */
  static final double DEPTH = 1.5;

  /** How much must be gained of what joining runs gains that lie all over each other. */
  private static final double MEETING = 0.5;

  /** How much tighter limits are where nothing is fresh: a run rewritten may grow a little. */
  private static final double TIGHTER = 0.8;

  /** How near to the optimum files of one write are read that are taken for a run. */
  private static final double AS_A_RUN = 1.25;

  /** How much wider than others a file of a run is that was filled up with other rows. */
  private static final double WIDENED = 1.5;

  /** A weight is above 0. */
  private static final double LEAST_SPAN = 1e-9;

  private final List<FileNumbers> files;
  private final FileBoxes boxes;
  private final ReadingModel model;
  private final double[] weights;
  private final long maxBytes;

  /** Runs, the smallest first. */
  private final List<Piece> runs = new ArrayList<>();

  private final List<Integer> fresh = new ArrayList<>();

  /** Files that are, or are to be, laid out together. */
  private final class Piece {
    private final List<Integer> members;
    private final long bytes;
    private final double[] spans;
    private final double touched;

    Piece(List<Integer> members) {
      this.members = members;
      this.bytes = bytes(members);
      this.spans = boxes.spans(members);
      this.touched = model.laidOut(bytes, spans);
    }

    Piece with(Piece other) {
      List<Integer> all = new ArrayList<>(members);
      all.addAll(other.members);
      return new Piece(all);
    }

    /** Whether joining gains enough of what it would if the two lay all over each other. */
    boolean meets(Piece other, Piece joined) {
      double gained = touched + other.touched - joined.touched;
      double most =
          model.laidOut(bytes, joined.spans)
              + model.laidOut(other.bytes, joined.spans)
              - joined.touched;
      return gained > 0 && gained >= MEETING * most;
    }

    String firstId() {
      return files.get(members.get(0)).id();
    }
  }

  /**
   * Sorts the files into runs and fresh ones.
   *
   * @param files of one partition
   * @param weights of the sort columns
   * @param maxBytes that may be rewritten
   */
  UpkeepPolicy(List<FileNumbers> files, double[] weights, long fileBytes, long maxBytes) {
    this.files =
        files.stream().sorted(Comparator.comparing(FileNumbers::id)).collect(Collectors.toList());
    this.boxes = new FileBoxes(this.files, weights.length);
    this.model = new ReadingModel(weights, boxes.least(), fileBytes);
    this.weights = weights.clone();
    this.maxBytes = maxBytes;
    Map<String, List<Integer>> ofRuns = new TreeMap<>();
    Map<String, List<Integer>> ofCommits = new TreeMap<>();
    for (int f = 0; f < this.files.size(); f++) {
      FileNumbers file = this.files.get(f);
      Map<String, List<Integer>> kind = file.run().isPresent() ? ofRuns : ofCommits;
      String name = file.run().map(RunId::toString).orElse(file.commit());
      kind.computeIfAbsent(name, any -> new ArrayList<>()).add(f);
    }
    ofRuns.values().forEach(this::addRun);
    ofCommits.forEach(this::addCommit);
    runs.sort(Comparator.<Piece>comparingLong(run -> run.bytes).thenComparing(Piece::firstId));
  }

  /** Files that an upsert has filled up with other rows are as good as fresh. */
  private void addRun(List<Integer> members) {
    String written =
        members.stream().map(f -> files.get(f).commit()).min(Comparator.naturalOrder()).get();
    double share = model.laidOut(bytes(members), boxes.spans(members)) / members.size();
    List<Integer> kept = new ArrayList<>();
    for (int f : members) {
      boolean rewritten = files.get(f).commit().compareTo(written) > 0;
      (rewritten && touched(f) > WIDENED * share ? fresh : kept).add(f);
    }
    if (!kept.isEmpty()) {
      runs.add(new Piece(kept));
    }
  }

  /** A write may have laid its files out, which shows in their ranges. */
  private void addCommit(String commit, List<Integer> members) {
    Piece run = new Piece(members);
    if (!commit.isEmpty() && members.size() > 1 && touched(members) <= AS_A_RUN * run.touched) {
      runs.add(run);
    } else {
      fresh.addAll(members);
    }
  }

  /** What to lay out next; nothing where all is as it should be. */
  Optional<UpkeepStep> next() {
    List<Integer> first = withinLimit();
    if (!first.isEmpty()) {
      return Optional.of(step(gather(new Piece(first), runs, 1)));
    }
    for (Piece start : runs) {
      List<Piece> others = new ArrayList<>(runs);
      others.remove(start);
      Piece gathered = gather(start, others, TIGHTER);
      if (gathered != start) {
        return Optional.of(step(gathered));
      }
    }
    return Optional.empty();
  }

  private List<Integer> withinLimit() {
    List<Integer> taken = new ArrayList<>();
    long bytes = 0;
    // Along the first column, so that what is taken lies together as far as it can.
    List<Integer> inOrder =
        fresh.stream()
            .sorted(Comparator.<Integer>comparingInt(boxes::begin).thenComparing(f -> f))
            .collect(Collectors.toList());
    for (int f : inOrder) {
      if (files.get(f).bytes() <= maxBytes - bytes) {
        taken.add(f);
        bytes += files.get(f).bytes();
      }
    }
    return taken;
  }

  private Piece gather(Piece start, List<Piece> others, double scale) {
    Piece gathered = start;
    List<Piece> left = new ArrayList<>(others);
    int next = 0;
    while (next < left.size()) {
      Piece run = left.get(next);
      Piece joined = gathered.with(run);
      if (!gathered.meets(run, joined)) {
        next++;
      } else if (joined.bytes <= maxBytes
          && run.bytes <= scale * reach(gathered, scale) * gathered.bytes) {
        gathered = joined;
        left.remove(next);
        // What is gathered spans more now, and may meet what it did not.
        next = 0;
      } else {
        break;
      }
    }
    return gathered;
  }

  private double reach(Piece gathered, double scale) {
    return touchedAfter(gathered) * scale > DEPTH * optimum() ? REACH : GROWTH;
  }

  private UpkeepStep step(Piece gathered) {
    double[] groupWeights = weights.clone();
    // An equality meets no file of rows that span but a part of a column, where it asks for another
    // part: of all queries on the column, so many fewer are served by cutting these rows by it.
    if (gathered.members.size() < files.size()) {
      for (int c = 0; c < weights.length; c++) {
        groupWeights[c] *= Math.max(gathered.spans[c], LEAST_SPAN);
      }
    }
    return new UpkeepStep(
        gathered.members.stream().map(f -> files.get(f).id()).collect(Collectors.toSet()),
        groupWeights,
        gathered.bytes,
        touchedNow(),
        touchedAfter(gathered),
        optimum(),
        !gathered.members.containsAll(fresh));
  }

  /** What an equality reads of the partition now. */
  private double touchedNow() {
    return touched(fresh) + runs.stream().mapToDouble(run -> run.touched).sum();
  }

  /** The same once a piece is laid out. */
  private double touchedAfter(Piece gathered) {
    double rest =
        fresh.stream().filter(f -> !gathered.members.contains(f)).mapToDouble(this::touched).sum();
    double others =
        runs.stream()
            .filter(run -> !gathered.members.contains(run.members.get(0)))
            .mapToDouble(run -> run.touched)
            .sum();
    return rest + others + gathered.touched;
  }

  private double optimum() {
    double[] all = new double[weights.length];
    Arrays.fill(all, 1);
    return model.laidOut(files.stream().mapToLong(FileNumbers::bytes).sum(), all);
  }

  private double touched(List<Integer> members) {
    return members.stream().mapToDouble(this::touched).sum();
  }

  private double touched(int file) {
    return model.touched(files.get(file).bytes(), boxes.spans(List.of(file)));
  }

  private long bytes(List<Integer> members) {
    return members.stream().mapToLong(f -> files.get(f).bytes()).sum();
  }
}
