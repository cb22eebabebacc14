package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Files that are, or are to be, laid out together. */
final class Piece {

  /** Sums of shares that are equal may differ by so much. */
  private static final double ROUNDING = 1e-9;

  /** What is found by halvings is no further off. */
  private static final double CERTAIN = 1 - 1e-6;

  static final Comparator<Piece> SMALLEST_FIRST =
      Comparator.<Piece>comparingLong(piece -> piece.bytes).thenComparingInt(Piece::first);

  /** Numbers of files. */
  final List<Integer> members;

  final long bytes;

  /** The ends of the range that holds all of them, column by column, by their ranks. */
  private final int[][] ends;

  /** The share of the partition's rows, column by column, in that range. */
  final double[] spans;

  /** Files of the target size that an equality reads of them once they are laid out. */
  final double laidOut;

  /** The same as they are, or of those that are to be laid out. */
  final double touched;

  private final PartitionReading reading;

  /** Files that are to be laid out. */
  Piece(PartitionReading reading, List<Integer> members) {
    this(reading, members, 0);
  }

  /**
   * @param touched what is read of them at least
   */
  Piece(PartitionReading reading, List<Integer> members, double touched) {
    this(reading, members, reading.bytes(members), reading.ends(members), touched);
  }

  private Piece(
      PartitionReading reading, List<Integer> members, long bytes, int[][] ends, double touched) {
    this.reading = reading;
    this.members = members;
    this.bytes = bytes;
    this.ends = ends;
    this.spans = reading.spans(ends);
    this.laidOut = reading.laidOut(bytes, ends);
    this.touched = Math.max(touched, laidOut);
  }

  Piece with(Piece other) {
    List<Integer> all = new ArrayList<>(members);
    all.addAll(other.members);
    return new Piece(reading, all, bytes + other.bytes, endsWith(other), 0);
  }

  /**
   * Whether joining gains enough of what it would if the two lay all over each other. Where one
   * file takes the place of two, it is enough that no more is read.
   */
  boolean meets(Piece other, double meeting) {
    boolean fitInOneFile = bytes + other.bytes <= reading.fileBytes();
    if (!fitInOneFile && haveNothingInCommon(other)) {
      return false; // as the sums below would say, of all pairs of days of years
    }
    int[][] joined = endsWith(other);
    if (touched + other.touched < CERTAIN * needed(other, joined, fitInOneFile ? 0 : meeting)) {
      return false; // as nearly all pairs of thousands of runs
    }
    double after = reading.laidOut(bytes + other.bytes, joined);
    double gained = touched + other.touched - after;
    if (fitInOneFile) {
      return gained >= -ROUNDING * after;
    }
    return gained > 0
        && gained
            >= meeting
                * (reading.laidOut(bytes, joined) + reading.laidOut(other.bytes, joined) - after);
  }

  /** What has to be read of the two at least, for joining to gain enough. */
  private double needed(Piece other, int[][] joined, double meeting) {
    double after = reading.atLeast(bytes + other.bytes, joined);
    if (meeting == 0 || touched + other.touched < CERTAIN * after) {
      return after;
    }
    double apart = reading.atLeast(bytes, joined) + reading.atLeast(other.bytes, joined);
    return Math.max(after, meeting * apart + (1 - meeting) * after);
  }

  private boolean haveNothingInCommon(Piece other) {
    for (int c = 0; c < ends.length; c++) {
      if (Math.max(ends[c][0], other.ends[c][0]) <= Math.min(ends[c][1], other.ends[c][1])) {
        return false;
      }
    }
    return true;
  }

  private int[][] endsWith(Piece other) {
    int[][] joined = new int[ends.length][];
    for (int c = 0; c < joined.length; c++) {
      joined[c] =
          new int[] {
            Math.min(ends[c][0], other.ends[c][0]), Math.max(ends[c][1], other.ends[c][1])
          };
    }
    return joined;
  }

  int first() {
    return members.get(0);
  }

  /** What is read of some. */
  static double touched(List<Piece> pieces) {
    return pieces.stream().mapToDouble(piece -> piece.touched).sum();
  }
}
