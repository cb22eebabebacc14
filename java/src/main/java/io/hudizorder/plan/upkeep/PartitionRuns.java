package io.hudizorder.plan.upkeep;

import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which files of a partition are runs, and which are fresh.
 *
 * <p>A clustering leaves a run, in which boxes do not meet, and tells it by the ids of its files; a
 * write may leave one too, which its files tell or their ranges show. What a plan has left alone is
 * judged less strictly afterwards, so that the same files do not become fresh because others have
 * come.
 */
final class PartitionRuns {

  /** How much tighter sizes are limited among runs that were left alone: they are not exact. */
  static final double TIGHTER = 0.8;

  /** How near to the optimum files of one write are read that are taken for a run. */
  private static final double AS_A_RUN = 1.25;

  /** Of fewer files little more is read where they lie all over each other. */
  private static final int ENOUGH_TO_TELL = 8;

  /** Which part of the pairs of files may lie over each other that are taken for a run. */
  private static final double FEW_PAIRS = 0.5;

  /** What is read once they are laid out, of what is read of rows that lie anywhere. */
  private static final double NOTHING_TO_GAIN = 0.95;

  /** How many times the files of a run that are worth merging, though they are laid out well. */
  private static final double TOO_MANY = 2;

  /** How much wider than others a file of a run is that was filled up with other rows. */
  private static final double WIDENED = 1.5;

  private final List<FileNumbers> files;
  private final PartitionReading reading;
  private final boolean stepsLeftOut;

  /** When a clustering has last left files that are still as it left them; "" where none has. */
  private final String lastClustered;

  private final List<Piece> runs = new ArrayList<>();
  private final Set<Piece> asTheyAre = new HashSet<>();
  private final List<Integer> fresh = new ArrayList<>();

  /**
   * @param reading of the files of one partition, which is told what are runs
   * @param stepsLeftOut whether plans before may have left out steps here
   */
  PartitionRuns(PartitionReading reading, boolean stepsLeftOut) {
    this.reading = reading;
    this.stepsLeftOut = stepsLeftOut;
    this.files = reading.files();
    Map<String, List<Integer>> ofRuns = new TreeMap<>();
    Map<String, List<Integer>> ofCommits = new TreeMap<>();
    for (int f = 0; f < files.size(); f++) {
      FileNumbers file = files.get(f);
      Map<String, List<Integer>> kind = file.run().isPresent() ? ofRuns : ofCommits;
      String name = file.run().map(RunId::toString).orElse(file.commit() + file.layout());
      kind.computeIfAbsent(name, any -> new ArrayList<>()).add(f);
    }
    lastClustered =
        files.stream()
            .filter(file -> file.run().isPresent() && !file.isChanged())
            .map(FileNumbers::commit)
            .max(Comparator.naturalOrder())
            .orElse("");
    ofCommits.values().forEach(this::addCommit);
    Set<Integer> widened = widened(ofRuns.values(), fresh);
    if (!widened.isEmpty()) {
      fresh.addAll(widened);
      fresh.sort(null);
    }
    ofRuns.values().forEach(members -> addRest(members, widened));
    runs.sort(Piece.SMALLEST_FIRST);
    asTheyAre.addAll(runs);
  }

  /** The smallest first. */
  List<Piece> runs() {
    return runs;
  }

  /** Numbers of files. */
  List<Integer> fresh() {
    return fresh;
  }

  /** What a plan has left alone, and not out, stays left alone until something is written. */
  boolean isSettled() {
    return !stepsLeftOut && fresh.isEmpty() && runs.stream().noneMatch(this::isNew);
  }

  /** Whether a piece is one of the runs, and not what is to become of some. */
  boolean isRun(Piece piece) {
    return asTheyAre.contains(piece);
  }

  /** Whether a write has left a run that no plan has weighed yet, or not to the end. */
  boolean isNew(Piece piece) {
    FileNumbers file = files.get(piece.first());
    return !file.run().isPresent()
        && (stepsLeftOut || file.commit().compareTo(lastClustered) > 0)
        && isRun(piece);
  }

  /**
   * Files of runs that writes have filled up with other rows, and that are as good as fresh; none
   * where there are not enough of them for less to be read once they are laid out with what is
   * fresh of commits. They are wider than the layout's files are, and lie over others of their run,
   * or are as large as several: what a layout has left lies over none, however wide it is, for of
   * one value there may be many files.
   */
  private Set<Integer> widened(Collection<List<Integer>> ofRuns, List<Integer> ofCommits) {
    Set<Integer> widened = new HashSet<>();
    for (List<Integer> members : ofRuns) {
      double share = reading.laidOut(members);
      double most = reading.lyingOver(members, WIDENED);
      for (int f : members) {
        double widest = slack(f) * WIDENED * share / members.size();
        if (files.get(f).isChanged()
            && reading.touched(f) > widest
            && reading.over(f, members) > most) {
          widened.add(f);
        }
      }
    }
    List<Integer> joined = new ArrayList<>(ofCommits);
    joined.addAll(widened);
    double laidOut = new Piece(reading, joined).touched - new Piece(reading, ofCommits).touched;
    double slack = widened.stream().mapToDouble(this::slack).min().orElse(1);
    return reading.touched(new ArrayList<>(widened)) > slack * WIDENED * laidOut
        ? widened
        : Set.of();
  }

  private void addRest(List<Integer> ofRun, Set<Integer> widened) {
    List<Integer> rest =
        ofRun.stream().filter(f -> !widened.contains(f)).collect(Collectors.toList());
    if (!rest.isEmpty()) {
      addRunOf(rest);
    }
  }

  /** A write may have laid its files out, which they tell or their ranges show. */
  private void addCommit(List<Integer> members) {
    if (isTakenForRun(members)) {
      addRunOf(members);
    } else {
      fresh.addAll(members);
    }
  }

  private boolean isTakenForRun(List<Integer> ofOneCommit) {
    int any = ofOneCommit.get(0);
    Piece run = new Piece(reading, ofOneCommit);
    boolean near = reading.touched(ofOneCommit) <= slack(any) * AS_A_RUN * run.touched;
    switch (files.get(any).layout()) {
      case WANTED:
        return near || isWeighed(any);
      case UNKNOWN:
        double wanted = reading.size(run.bytes);
        int count = ofOneCommit.size();
        boolean sized = count < TOO_MANY * wanted && wanted < TOO_MANY * count;
        // Of many columns no layout of few files reads much less than rows that lie anywhere.
        boolean apart =
            reading.meeting(ofOneCommit) <= FEW_PAIRS
                || run.touched >= NOTHING_TO_GAIN * reading.lyingAnywhere(run);
        return near && apart && count >= ENOUGH_TO_TELL && sized && tellRanges(ofOneCommit);
      default:
        // Files of an earlier layout have to be led over to this one, however they lie.
        return false;
    }
  }

  /** What a plan has left alone the next leaves alone, though ranges beside it differ by then. */
  private double slack(int file) {
    return isWeighed(file) ? 1 / TIGHTER : 1;
  }

  /** Whether an earlier plan may have seen a file as it is. */
  private boolean isWeighed(int file) {
    return files.get(file).commit().compareTo(lastClustered) < 0;
  }

  /** Files of logs alone tell no range, nor do columns without statistics. */
  private boolean tellRanges(List<Integer> ofOneCommit) {
    return ofOneCommit.stream().anyMatch(f -> files.get(f).tellsRange());
  }

  private void addRunOf(List<Integer> members) {
    reading.areRun(members);
    runs.add(new Piece(reading, members, reading.touched(members)));
  }
}
