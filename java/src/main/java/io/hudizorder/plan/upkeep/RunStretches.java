package io.hudizorder.plan.upkeep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * What runs that are too large to be joined have in a stretch of all ranges, to be joined there: so
 * do plans that may each rewrite little come near to what one would that may rewrite all.
 *
 * <p>All files of the runs are halved by the middles of their ranges, each time along the column
 * where a half gains most for its bytes, and that half again, until it fits into what the plan may
 * rewrite. The other halves are for what is left of that. Once a stretch is laid out its files are
 * a run of their own, in which nothing is left to gain.
 */
final class RunStretches {

  /**
   * How many times what is read of a stretch afterwards is worth laying it out. Of two runs that
   * are as large as each other it is 1.41 by two columns, and of three 1.73. Where it is 1.5, a
   * limit of 30 files and loads of 3 have 1.8 times the optimum read in place of 1.7, for 5.5
   * tables rewritten in place of 6.4.
   */
  private static final double WORTH = 1.3;

  /** How many stretches of a partition a plan looks for: each takes time, and they get smaller. */
  private static final int MOST = 4;

  private final PartitionReading reading;

  /** What is read of each file, as far as joining can take it off. */
  private final double[] touched;

  /** Those that are left to be looked at, which have no file in common. */
  private final List<Piece> open = new ArrayList<>();

  /**
   * @param runs of the partition that are left alone otherwise
   */
  RunStretches(PartitionReading reading, List<Piece> runs) {
    this.reading = reading;
    touched = new double[reading.files().size()];
    List<Integer> all = new ArrayList<>();
    for (Piece run : runs) {
      // What a run reads beyond what is reckoned, as no layout cuts a column so finely, it would
      // read once more: the same stretch would be laid out by every plan.
      double share = Math.min(1, run.laidOut / Math.max(Double.MIN_NORMAL, run.touched));
      run.members.forEach(f -> touched[f] = share * reading.touched(f));
      all.addAll(run.members);
    }
    Collections.sort(all);
    if (!all.isEmpty()) {
      open.add(new Piece(reading, all));
    }
  }

  /**
   * Stretches that are worth laying out.
   *
   * @param excess that is read of the partition: no more is laid out than takes that off
   * @param maxBytes of all of them
   */
  List<Piece> worthJoining(double excess, long maxBytes) {
    List<Piece> joined = new ArrayList<>();
    double left = excess;
    long room = maxBytes;
    for (int tried = 0; tried < MOST && left > 0 && !open.isEmpty(); tried++) {
      Piece stretch = best(room);
      if (stretch.bytes <= room && touched(stretch) >= WORTH * stretch.touched) {
        joined.add(stretch);
        left -= touched(stretch) - stretch.touched;
        room -= stretch.bytes;
      }
    }
    return joined;
  }

  /** Takes that out which gains most for its bytes, in as large a part as there is room for. */
  private Piece best(long room) {
    Piece stretch = Collections.max(open, Comparator.comparingDouble(this::gain));
    open.remove(stretch);
    while (stretch.bytes > room && stretch.members.size() > 1) {
      List<Piece> halves = halves(stretch);
      stretch = halves.get(0);
      open.add(halves.get(1));
    }
    return stretch;
  }

  /** The better half, along any column, and the other. */
  private List<Piece> halves(Piece stretch) {
    List<Piece> best = null;
    for (int c = 0; c < stretch.spans.length; c++) {
      List<Integer> along = reading.alongColumn(c, stretch.members);
      int cut = 1;
      for (long bytes = reading.bytes(along.subList(0, 1)); cut < along.size() - 1; cut++) {
        bytes += reading.bytes(along.subList(cut, cut + 1));
        if (2 * bytes > stretch.bytes) {
          break;
        }
      }
      List<Piece> halves = new ArrayList<>();
      halves.add(new Piece(reading, along.subList(0, cut)));
      halves.add(new Piece(reading, along.subList(cut, along.size())));
      halves.sort(Comparator.comparingDouble(this::gain).reversed());
      if (best == null || gain(halves.get(0)) > gain(best.get(0))) {
        best = halves;
      }
    }
    return best;
  }

  /** What each byte takes off. */
  private double gain(Piece stretch) {
    return (touched(stretch) - stretch.touched) / Math.max(1, stretch.bytes);
  }

  private double touched(Piece stretch) {
    return stretch.members.stream().mapToDouble(f -> touched[f]).sum();
  }
}
