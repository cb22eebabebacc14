package io.hudizorder.layout.query;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
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

  /**
   * How many different queries must ask for a partition to tell as much of it as what is asked of
   * all: of fewer, nothing is learnt by holding half of them back either.
   */
  private static final double TELLING = 8;

  private final PartitionedQueries table;

  /** The conditions that may be true in the partition. */
  private final BitSet met;

  /** The same where those do not count that others are expected to ask otherwise. */
  private final Map<PartitionedQueries.Expected, BitSet> metByOthers = new IdentityHashMap<>();

  /** How much what is asked of the partition tells of it, from 0 to 1. */
  private final double trust;

  private final List<AskedQuery> queries = new ArrayList<>();
  private final Set<String> askedElsewhere;
  private final double share;

  ReachingQueries(PartitionedQueries table, PartitionValues partition) {
    this.table = table;
    this.met = table.conditions().of(partition);
    double asks =
        table.all().stream()
            .mapToLong(
                query -> query.partitions().stream().filter(one -> reaches(query, one)).count())
            .sum();
    this.trust = asks / (asks + TELLING);
    double reached = 0;
    Map<String, Double> elsewhere = new HashMap<>();
    for (AskedQuery query : table.all()) {
      double part = query.weight() * (partition.areUnknown() ? addWhole(query) : add(query));
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
    if (query.partitions().isEmpty()) {
      return addWhole(query);
    }
    Map<BitSet, Double> parts = new LinkedHashMap<>();
    double reaching = 0;
    double rest = 1;
    for (AskedPartitions one : query.partitions()) {
      rest -= one.share();
      BitSet boxes = boxes(query, one, met);
      PartitionedQueries.Expected others = table.expected(one);
      boolean moves = !others.columns().isEmpty();
      if (!boxes.isEmpty()) {
        reaching += one.share();
        merge(parts, boxes, moves ? trust * one.share() : one.share());
      }
      if (moves) {
        BitSet expected = boxes(query, one, metByOthers.computeIfAbsent(others, this::metBy));
        merge(parts, expected, (1 - trust) * others.part() * one.share());
      }
    }
    if (rest > PartitionedQueries.ROUNDING) {
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

  private double addWhole(AskedQuery query) {
    queries.add(query);
    return 1;
  }

  private BitSet metBy(PartitionedQueries.Expected others) {
    BitSet all = table.conditions().of(others.columns());
    all.or(met);
    return all;
  }

  private boolean reaches(AskedQuery query, AskedPartitions one) {
    return table.conditions().reaches(query, one, met);
  }

  /** The boxes that a row may lie in where some conditions may be true. */
  private BitSet boxes(AskedQuery query, AskedPartitions one, BitSet conditions) {
    BitSet boxes = new BitSet();
    for (int box = 0; box < query.boxes().size(); box++) {
      boxes.set(box, table.conditions().mayBe(one, box, conditions));
    }
    return boxes;
  }
}
