package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Files that are, or are to be, laid out together. */
final class Piece {

  /** Sums of shares that are equal may differ by so much. */
  private static final double ROUNDING = 1e-9;

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
    this.reading = reading;
    this.members = members;
    this.bytes = reading.bytes(members);
    this.ends = reading.ends(members);
    this.spans = reading.spans(ends);
    this.laidOut = reading.laidOut(bytes, ends);
    this.touched = Math.max(touched, laidOut);
  }

  Piece with(Piece other) {
    List<Integer> all = new ArrayList<>(members);
    all.addAll(other.members);
    return new Piece(reading, all);
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
}
