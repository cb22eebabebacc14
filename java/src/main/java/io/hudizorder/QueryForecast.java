package io.hudizorder;

import io.hudizorder.layout.tree.QueryShares;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the samples of clustering groups foretell of the queries that files are cut for, in the mean
 * of the groups by the files that each is to fill. Of a group in a partition that some queries do
 * not ask for these read nothing.
 */
final class QueryForecast {

  /** One kind of queries. */
  private static final class Line {
    private double files;
    private double plain;
    private double cut;

    void add(double ofPlain, double ofCut, double more) {
      files += more;
      plain += more * ofPlain;
      cut += more * ofCut;
    }

    void add(QueryShares.Pair shares, double reaching, double more) {
      add(reaching * shares.plain(), reaching * shares.cut(), more);
    }

    void add(Line other) {
      files += other.files;
      plain += other.plain;
      cut += other.cut;
    }
  }

  /** The digits that are told: groups are added in the order in which they are done. */
  private static final double DIGITS = 1e9;

  private static final int KNOWN = -2;
  private static final int HELD_BACK = -1;

  /** Of sort columns by their number. */
  private final Map<Integer, Line> lines = new TreeMap<>();

  private final Map<Integer, String> names = new TreeMap<>();

  /** Groups that no tree divides, or that no query asks for. */
  private final Line whole = new Line();

  /**
   * Takes in a group.
   *
   * @param reaching the part of all queries, by weight, that asks for its partition
   * @param columns the sort columns
   * @param files that the group is to fill, and those that it stands for
   */
  synchronized void add(QueryShares shares, double reaching, List<String> columns, double files) {
    if (reaching == 0) {
      whole.add(0, 0, files);
    } else {
      line(KNOWN, "known\t").add(shares.known(), reaching, files);
      shares
          .heldBack()
          .ifPresent(pair -> line(HELD_BACK, "held_back\t").add(pair, reaching, files));
    }
    shares
        .seldomAsked()
        .forEach((c, pair) -> line(c, "column\t" + columns.get(c)).add(pair, 1, files));
  }

  /**
   * Takes in groups of one file each in a partition.
   *
   * @param full how full their files are together, each at most 1
   */
  synchronized void addWhole(double reaching, double full) {
    whole.add(reaching, reaching, full);
  }

  /** Whether it has nothing to tell: no group was sampled. */
  synchronized boolean isEmpty() {
    return lines.isEmpty();
  }

  private Line line(int kind, String name) {
    names.put(kind, name);
    return lines.computeIfAbsent(kind, unknown -> new Line());
  }

  /**
   * Lines of a kind, the column that it is about, and the shares of rows that are read of plain
   * trees and of those cut for the known queries; none where no group was sampled.
   */
  synchronized List<String> describe() {
    List<String> described = new ArrayList<>();
    lines.forEach(
        (kind, own) -> {
          Line all = new Line();
          all.add(own);
          if (kind < 0) {
            all.add(whole);
          }
          described.add(
              String.format(
                  "%s\t%s\t%s",
                  names.get(kind), rounded(all.plain / all.files), rounded(all.cut / all.files)));
        });
    return described;
  }

  private static double rounded(double share) {
    return Math.round(share * DIGITS) / DIGITS;
  }
}
