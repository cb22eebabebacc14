package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Joins what a partition has: to each piece, the smallest first, larger ones as far as it pays.
 *
 * <p>There may be thousands of runs, one of each load, that lie too far apart to be joined: all
 * pairs of them are looked at, once.
 */
final class Gathering {

  /** How much must be gained of what joining runs gains that lie all over each other. */
  private static final double MEETING = 0.35;

  /**
   * The same among runs that were left alone. It is higher, for to join a run with what is fresh
   * beside it costs less than to lay out both now, and both once more as one later.
   */
  private static final double MEETING_AGAIN = 0.85;

  private final long maxBytes;

  /** How much may be read before larger runs are taken in. */
  private final double most;

  /** How much larger than what is gathered a run may be that is taken in whatever is gained. */
  private final double growth;

  /** The smallest first, but for what has just been gathered. */
  private final List<Piece> pieces;

  /** What is read of the partition. */
  private double touched;

  /** What has been gathered, the first first. */
  private final List<Piece> gathered = new ArrayList<>();

  /** How much of that there was when a piece was started from in vain. */
  private final Map<Piece, Integer> tried = new HashMap<>();

  /**
   * @param runs the smallest first
   * @param readOfOthers what is read beside them, of files that cannot be taken
   * @param maxBytes of what is gathered
   * @param most that may be read before larger runs are taken in
   * @param growth how much larger than what is gathered a run may be that is taken in before
   */
  Gathering(List<Piece> runs, double readOfOthers, long maxBytes, double most, double growth) {
    this.pieces = new ArrayList<>(runs);
    this.touched = readOfOthers + Piece.touched(runs);
    this.maxBytes = maxBytes;
    this.most = most;
    this.growth = growth;
  }

  /** What there is now, the smallest first. */
  List<Piece> pieces() {
    return Collections.unmodifiableList(pieces);
  }

  /** Adds what is fresh, with whatever it takes in. */
  void add(Piece fresh) {
    touched += fresh.touched;
    pieces.add(0, fresh);
    gather(0, false);
    pieces.sort(Piece.SMALLEST_FIRST);
  }

  /**
   * Starts from each piece until nothing more would be done once this is done.
   *
   * @param isNew whether a piece was not left alone by an earlier plan
   */
  void settle(Predicate<Piece> isNew) {
    int at = 0;
    while (at < pieces.size()) {
      Piece start = pieces.get(at);
      boolean again = !isNew.test(start);
      if (mayTakeIn(start, again) && gather(at, again)) {
        pieces.sort(Piece.SMALLEST_FIRST);
        at = 0;
      } else {
        tried.put(start, gathered.size());
        at++;
      }
    }
  }

  /** Whether a piece was not started from yet, or meets one that was gathered since. */
  private boolean mayTakeIn(Piece start, boolean again) {
    Integer then = tried.get(start);
    return then == null
        || gathered.subList(then, gathered.size()).stream()
            .anyMatch(later -> start.meets(later, again ? MEETING_AGAIN : MEETING));
  }

  /**
   * Has a piece take in larger ones as far as it pays, and puts what comes of it in its place.
   *
   * @param again whether all of them are runs that were left alone
   */
  private boolean gather(int at, boolean again) {
    Piece start = pieces.get(at);
    Piece piece = start;
    int next = at + 1;
    // None that is larger still is within reach.
    while (next < pieces.size() && isInReach(pieces.get(next), piece, again)) {
      Piece other = pieces.get(next);
      if (!piece.meets(other, again ? MEETING_AGAIN : MEETING)) {
        next++;
      } else {
        Piece joined = piece.with(other);
        touched += joined.touched - piece.touched - other.touched;
        piece = joined;
        pieces.remove(next);
        // What is gathered spans more now, and may meet what it did not.
        next = at + 1;
      }
    }
    if (piece == start) {
      return false;
    }
    pieces.set(at, piece);
    gathered.add(piece);
    return true;
  }

  private boolean isInReach(Piece other, Piece piece, boolean again) {
    double scale = again ? PartitionRuns.TIGHTER : 1;
    double reach = scale * touched > most ? growth * growth : growth;
    return piece.bytes + other.bytes <= maxBytes && other.bytes <= scale * reach * piece.bytes;
  }
}
