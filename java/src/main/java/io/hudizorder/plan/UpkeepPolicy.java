package io.hudizorder.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which files of a partition to lay out anew, so that reading stays near the optimum and each row
 * is rewritten few times.
 *
 * <p>Earlier clusterings have left <em>runs</em>, in which boxes do not meet, as a bulk insert does
 * that lays its rows out; other files are <em>fresh</em>. All fresh files are gathered into a new
 * run. It takes in an old one, the smallest first, that is at most 2.3 times as large, so that few
 * runs are left and their sizes grow like a geometric series; and up to 5.3 times as large while
 * the partition reads more than half as much again as were it laid out as one (with a threshold of
 * 1.5, that is). A run is left alone where joining it gains little, for it lies elsewhere, as the
 * rows of another day do. Where nothing is fresh, and no run is new, there is nothing to do.
 *
 * <p>Loads of 5 % at random: 3.9 x the table rewritten over twenty of them, and at most 1.4 x the
 * optimum read; a thousand equal loads: 8.8 x, and 1.44 x in the mean.
 */
final class UpkeepPolicy {

  /** By how much more than the threshold's excess is read before larger runs are taken in. */
  private static final double SLACK = 1.08;

  /**
   * What the excess of {@code n} runs, each {@code r} times as large as the next, is of the
   * threshold's: they read {@code sqrt(r) / (sqrt(r) - 1)} times the optimum at most.
   */
  private static final double EXCESS = 1.54;

  /** How much must be gained of what joining runs gains that lie all over each other. */
  private static final double MEETING = 0.35;

  /**
   * The same among runs that were left alone. It is higher, for to join a run with what is fresh
   * beside it costs less than to lay out both now, and both once more as one later.
   */
  private static final double MEETING_AGAIN = 0.85;

  /** How much tighter sizes are limited among runs that were left alone: they are not exact. */
  private static final double TIGHTER = 0.8;

  /** How near to the optimum files of one write are read that are taken for a run. */
  private static final double AS_A_RUN = 1.25;

  /** Of fewer files little more is read where they lie all over each other. */
  private static final int ENOUGH_TO_TELL = 8;

  /** How many times the files of a run that are worth merging, though they are laid out well. */
  private static final double TOO_MANY = 2;

  /** How much wider than others a file of a run is that was filled up with other rows. */
  private static final double WIDENED = 1.5;

  private static final Comparator<Piece> SMALLEST_FIRST =
      Comparator.<Piece>comparingLong(piece -> piece.bytes).thenComparingInt(Piece::first);

  /** A weight is above 0. */
  private static final double LEAST_SPAN = 1e-9;

  private final List<FileNumbers> files;
  private final PartitionReading reading;
  private final double[] weights;
  private final long maxBytes;

  /** How much may be read before larger runs are taken in. */
  private final double most;

  /** How much larger than what is gathered a run may be that is taken in whatever is gained. */
  private final double growth;

  private final double optimum;

  /** When a clustering has last left files that are still as it left them; "" where none has. */
  private String lastClustered = "";

  /** Runs, the smallest first. */
  private final List<Piece> runs = new ArrayList<>();

  private final List<Integer> fresh = new ArrayList<>();

  /** Those of the fresh files that may be rewritten. */
  private final List<Integer> taken;

  /** Files that are, or are to be, laid out together. */
  private final class Piece {
    private final List<Integer> members;
    private final long bytes;
    private final double[] spans;
    private final double touched;

    /** Files that are to be laid out. */
    Piece(List<Integer> members) {
      this(members, 0);
    }

    /**
     * @param touched what is read of them at least
     */
    Piece(List<Integer> members, double touched) {
      this.members = members;
      this.bytes = reading.bytes(members);
      this.spans = reading.spans(members);
      this.touched = Math.max(touched, reading.laidOut(bytes, spans));
    }

    Piece with(Piece other) {
      List<Integer> all = new ArrayList<>(members);
      all.addAll(other.members);
      return new Piece(all);
    }

    /** Whether joining gains enough of what it would if the two lay all over each other. */
    boolean meets(Piece other, Piece joined, double meeting) {
      double gained = touched + other.touched - joined.touched;
      double most =
          reading.laidOut(bytes, joined.spans)
              + reading.laidOut(other.bytes, joined.spans)
              - joined.touched;
      return gained > 0 && gained >= meeting * most;
    }

    int first() {
      return members.get(0);
    }
  }

  /**
   * Sorts the files into runs and fresh ones.
   *
   * @param reading of the files of one partition
   * @param weights of the sort columns
   * @param maxBytes that may be rewritten
   * @param readThreshold times the optimum that may be read, above 1
   */
  UpkeepPolicy(PartitionReading reading, double[] weights, long maxBytes, double readThreshold) {
    this.reading = reading;
    this.files = reading.files();
    this.weights = weights.clone();
    this.maxBytes = maxBytes;
    Map<String, List<Integer>> ofRuns = new TreeMap<>();
    Map<String, List<Integer>> ofCommits = new TreeMap<>();
    for (int f = 0; f < this.files.size(); f++) {
      FileNumbers file = this.files.get(f);
      Map<String, List<Integer>> kind = file.run().isPresent() ? ofRuns : ofCommits;
      String name = file.run().map(RunId::toString).orElse(file.commit() + file.layout());
      kind.computeIfAbsent(name, any -> new ArrayList<>()).add(f);
    }
    ofCommits.values().forEach(this::addCommit);
    addRuns(ofRuns.values());
    runs.sort(SMALLEST_FIRST);
    taken = withinLimit();
    optimum = reading.optimum();
    most = (1 + SLACK * (readThreshold - 1)) * optimum;
    growth = 1 + 1 / (EXCESS * (readThreshold - 1));
  }

  /**
   * Files of runs that writes have filled up with other rows are as good as fresh, where there are
   * enough of them, fresh ones included, for less to be read once they are laid out.
   */
  private void addRuns(Collection<List<Integer>> ofRuns) {
    lastClustered =
        files.stream()
            .filter(file -> file.run().isPresent() && !file.isChanged())
            .map(FileNumbers::commit)
            .max(Comparator.naturalOrder())
            .orElse("");
    Set<Integer> widened = new HashSet<>();
    for (List<Integer> members : ofRuns) {
      double share = reading.laidOut(reading.bytes(members), reading.spans(members));
      for (int f : members) {
        // What an earlier plan has left alone it leaves alone again, though ranges beside it
        // differ.
        boolean known = files.get(f).commit().compareTo(lastClustered) < 0;
        double most = (known ? WIDENED / TIGHTER : WIDENED) * share / members.size();
        if (files.get(f).isChanged() && reading.touched(f) > most) {
          widened.add(f);
        }
      }
    }
    List<Integer> joined = new ArrayList<>(fresh);
    joined.addAll(widened);
    double laidOut = new Piece(joined).touched - new Piece(fresh).touched;
    if (reading.touched(new ArrayList<>(widened)) > WIDENED * laidOut) {
      fresh.addAll(widened);
      fresh.sort(null);
    } else {
      widened.clear();
    }
    for (List<Integer> members : ofRuns) {
      List<Integer> kept =
          members.stream().filter(f -> !widened.contains(f)).collect(Collectors.toList());
      if (!kept.isEmpty()) {
        addRunOf(kept);
      }
    }
  }

  /** A write may have laid its files out, which they tell or their ranges show. */
  private void addCommit(List<Integer> members) {
    FileNumbers.Layout layout = files.get(members.get(0)).layout();
    Piece run = new Piece(members);
    double wanted = reading.size(run.bytes);
    boolean sized = members.size() < TOO_MANY * wanted && wanted < TOO_MANY * members.size();
    boolean worthALook =
        layout == FileNumbers.Layout.UNKNOWN
            ? members.size() >= ENOUGH_TO_TELL && sized && hasBaseFiles(members)
            // Files of an earlier layout have to be led over to this one, however they lie.
            : layout == FileNumbers.Layout.WANTED;
    if (worthALook && reading.touched(members) <= AS_A_RUN * run.touched) {
      addRunOf(members);
    } else {
      fresh.addAll(members);
    }
  }

  private boolean hasBaseFiles(List<Integer> ofOneCommit) {
    return !files.get(ofOneCommit.get(0)).commit().isEmpty();
  }

  private void addRunOf(List<Integer> members) {
    reading.areRun(members);
    runs.add(new Piece(members, reading.touched(members)));
  }

  /** What is read of the files, which knows now what are runs. */
  PartitionReading reading() {
    return reading;
  }

  /** What to lay out: sets of files that have none in common; none where all is as it should be. */
  List<UpkeepStep> steps() {
    // What a plan has left alone stays left alone until something is written.
    if (fresh.isEmpty() && runs.stream().noneMatch(this::isNew)) {
      return Collections.emptyList();
    }
    List<Piece> pieces = new ArrayList<>(runs);
    Set<Integer> now = new HashSet<>(taken);
    double left =
        reading.touched(fresh.stream().filter(f -> !now.contains(f)).collect(Collectors.toList()));
    if (!taken.isEmpty()) {
      pieces.add(gather(new Piece(taken), pieces, left, false));
    }
    // Until nothing more would be done once this is done.
    boolean changed = true;
    while (changed) {
      pieces.sort(SMALLEST_FIRST);
      changed = false;
      for (int p = 0; p < pieces.size() && !changed; p++) {
        Piece start = pieces.get(p);
        List<Piece> smaller = pieces.subList(0, p);
        List<Piece> larger = new ArrayList<>(pieces.subList(p + 1, pieces.size()));
        Piece gathered = gather(start, larger, left + touchedOf(smaller), !isNew(start));
        if (gathered != start) {
          larger.addAll(smaller);
          larger.add(gathered);
          pieces = larger;
          changed = true;
        }
      }
    }
    return pieces.stream()
        .filter(piece -> !runs.contains(piece))
        .map(this::step)
        .collect(Collectors.toList());
  }

  /** Whether a write has left a run since the last clustering, so that no plan has weighed it. */
  private boolean isNew(Piece piece) {
    FileNumbers file = files.get(piece.first());
    return runs.contains(piece)
        && !file.run().isPresent()
        && file.commit().compareTo(lastClustered) > 0;
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
      if (files.get(f).bytes() <= maxBytes - bytes) {
        within.add(f);
        bytes += files.get(f).bytes();
      }
    }
    return within;
  }

  /**
   * Takes in other pieces as far as it pays.
   *
   * @param left pieces that may be taken, the smallest first, of which those are removed that are
   * @param more that is read of what may not
   * @param again whether all of them are runs that were left alone
   */
  private Piece gather(Piece start, List<Piece> left, double more, boolean again) {
    double scale = again ? TIGHTER : 1;
    double meeting = again ? MEETING_AGAIN : MEETING;
    Piece gathered = start;
    int next = 0;
    while (next < left.size()) {
      Piece other = left.get(next);
      Piece joined = gathered.with(other);
      if (!gathered.meets(other, joined, meeting)) {
        next++;
      } else if (joined.bytes <= maxBytes
          && other.bytes
              <= scale * reach(gathered.touched + touchedOf(left) + more, scale) * gathered.bytes) {
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

  private double reach(double touched, double scale) {
    return scale * touched > most ? growth * growth : growth;
  }

  private static double touchedOf(List<Piece> pieces) {
    return pieces.stream().mapToDouble(piece -> piece.touched).sum();
  }

  /**
   * Weights for rows that span so much of each column. An equality meets no file of rows that span
   * but a part of a column, where it asks for another part: of all queries on the column, so many
   * fewer are served by cutting these rows by it.
   */
  static double[] bySpans(double[] weights, double[] spans) {
    double[] scaled = weights.clone();
    for (int c = 0; c < scaled.length; c++) {
      scaled[c] *= Math.max(spans[c], LEAST_SPAN);
    }
    return scaled;
  }

  private UpkeepStep step(Piece gathered) {
    boolean all = gathered.members.size() == files.size();
    double[] groupWeights = all ? weights.clone() : bySpans(weights, gathered.spans);
    Set<Integer> members = new HashSet<>(gathered.members);
    double now =
        reading.touched(fresh.stream().filter(members::contains).collect(Collectors.toList()))
            + touchedOf(
                runs.stream()
                    .filter(run -> members.contains(run.first()))
                    .collect(Collectors.toList()));
    return new UpkeepStep(
        gathered.members.stream().map(f -> files.get(f).id()).collect(Collectors.toSet()),
        groupWeights,
        gathered.bytes,
        now,
        gathered.touched,
        reading.touched(fresh) + touchedOf(runs),
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
    return file.layout() == FileNumbers.Layout.OTHER ? FileReason.OTHER_LAYOUT : FileReason.NEW;
  }
}
