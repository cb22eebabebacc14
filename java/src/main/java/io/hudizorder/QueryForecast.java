package io.hudizorder;

import io.hudizorder.layout.tree.QueryShares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What the samples of clustering groups foretell of the queries that files are cut for, in the mean
 * of the groups by the files that each is to fill.
 */
final class QueryForecast {

  /** One kind of queries. */
  private static final class Line {
    private double files;
    private double plain;
    private double cut;

    void add(QueryShares.Pair shares, int more) {
      files += more;
      plain += more * shares.plain();
      cut += more * shares.cut();
    }
  }

  private final Map<String, Line> lines = new LinkedHashMap<>();

  /**
   * Takes in a group.
   *
   * @param columns the sort columns
   * @param files that the group is to fill
   */
  synchronized void add(QueryShares shares, List<String> columns, int files) {
    line("known\t").add(shares.known(), files);
    shares.heldBack().ifPresent(pair -> line("held_back\t").add(pair, files));
    shares.seldomAsked().forEach((c, pair) -> line("column\t" + columns.get(c)).add(pair, files));
  }

  private Line line(String name) {
    return lines.computeIfAbsent(name, unknown -> new Line());
  }

  /**
   * Lines of a kind, the column that it is about, and the shares of rows that are read of plain
   * trees and of those cut for the known queries.
   */
  synchronized List<String> describe() {
    return lines.entrySet().stream()
        .map(
            line ->
                String.format(
                    "%s\t%s\t%s",
                    line.getKey(),
                    line.getValue().plain / line.getValue().files,
                    line.getValue().cut / line.getValue().files))
        .collect(Collectors.toCollection(ArrayList::new));
  }
}
