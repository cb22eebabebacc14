package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Files that are, or are to be, laid out together. */
final class Piece {

  static final Comparator<Piece> SMALLEST_FIRST =
      Comparator.<Piece>comparingLong(piece -> piece.bytes).thenComparingInt(Piece::first);

  /** Numbers of files. */
  final List<Integer> members;

  final long bytes;

  /** The share of the partition's rows, column by column, in the range that holds all of them. */
  final double[] spans;

  /** Files of the target size that an equality reads of them. */
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
    this.spans = reading.spans(members);
    this.touched = Math.max(touched, reading.laidOut(bytes, spans));
  }

  Piece with(Piece other) {
    List<Integer> all = new ArrayList<>(members);
    all.addAll(other.members);
    return new Piece(reading, all);
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
