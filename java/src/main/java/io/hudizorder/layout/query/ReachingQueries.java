package io.hudizorder.layout.query;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The queries that a partition is laid out for: those that may read a row of it, with the boxes
 * that such a row may lie in, and the less is asked of it, the more those that are asked of other
 * partitions and may be asked of any. A partition that none reaches is laid out for all.
 */
public final class ReachingQueries {

  /** Shares of a query add up to 1 but for this. */
  private static final double ROUNDING = 1e-9;

  /**
   * How many different queries must ask for a partition to tell as much of it as what is asked of
   * all: of fewer, nothing is learnt by holding half of them back either.
   */
  private static final double TELLING = 8;

  private final PartitionedQueries table;
  private final PartitionValues partition;

  /** How much what is asked of the partition tells of it, from 0 to 1. */
  private final double trust;

  private final List<AskedQuery> queries = new ArrayList<>();
  private final Set<String> askedElsewhere;
  private final double share;

  ReachingQueries(PartitionedQueries table, PartitionValues partition) {
    this.table = table;
    this.partition = partition;
    double asks =
        table.all().stream()
            .mapToLong(
                query ->
                    query.partitions().stream()
                        .filter(one -> !boxes(query, one, Set.of()).isEmpty())
                        .count())
            .sum();
    this.trust = asks / (asks + TELLING);
    double reached = 0;
    Map<String, Double> elsewhere = new HashMap<>();
    for (AskedQuery query : table.all()) {
      double part = query.weight() * add(query);
      reached += part;
      query
          .columns()
          .forEach(column -> elsewhere.merge(column, query.weight() - part, Double::sum));
    }
    elsewhere.values().removeIf(part -> part < Query.SELDOM * table.weight());
    this.askedElsewhere = elsewhere.keySet();
    this.share = table.weight() == 0 ? 0 : reached / table.weight();
    if (queries.isEmpty()) {
      queries.addAll(table.all());
    }
  }

  /** What the partition is laid out for. */
  public List<AskedQuery> queries() {
    return queries;
  }

  /** The columns that are not seldom asked of other partitions. */
  public Set<String> askedElsewhere() {
    return askedElsewhere;
  }

  /** Which part of all queries, by weight, may read a row of it. */
  public double share() {
    return share;
  }

  /** Takes a query in as far as it concerns the partition; returns which part of it reaches it. */
  private double add(AskedQuery query) {
    if (query.partitions().isEmpty() || partition.areUnknown()) {
      queries.add(query);
      return 1;
    }
    Map<BitSet, Double> parts = new LinkedHashMap<>();
    double reaching = 0;
    double rest = 1;
    for (AskedPartitions one : query.partitions()) {
      rest -= one.share();
      BitSet boxes = boxes(query, one, Set.of());
      PartitionedQueries.Expected others = table.expected(one);
      boolean moves = !others.columns().isEmpty();
      if (!boxes.isEmpty()) {
        reaching += one.share();
        merge(parts, boxes, moves ? trust * one.share() : one.share());
      }
      if (moves) {
        BitSet expected = boxes(query, one, others.columns());
        merge(parts, expected, (1 - trust) * others.part() * one.share());
      }
    }
    if (rest > ROUNDING) {
      BitSet every = new BitSet();
      every.set(0, query.boxes().size());
      reaching += rest;
      merge(parts, every, rest);
    }
    parts.forEach((boxes, part) -> queries.add(query.part(part, boxes)));
    return reaching;
  }

  private static void merge(Map<BitSet, Double> parts, BitSet boxes, double part) {
    if (!boxes.isEmpty() && part > 0) {
      parts.merge(boxes, part, Double::sum);
    }
  }

  /**
   * The boxes that a row of the partition may lie in.
   *
   * @param others columns whose conditions do not count
   */
  private BitSet boxes(AskedQuery query, AskedPartitions asked, Set<String> others) {
    BitSet boxes = new BitSet();
    for (int box = 0; box < query.boxes().size(); box++) {
      boolean mayBe =
          asked.conditions(box).entrySet().stream()
              .allMatch(
                  condition ->
                      others.contains(condition.getKey())
                          || partition.mayBe(condition.getKey(), condition.getValue()));
      boxes.set(box, mayBe);
    }
    return boxes;
  }
}
