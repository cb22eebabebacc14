package io.hudizorder.layout.query;

import io.hudizorder.layout.query.AskedQuery.Values;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What queries ask of partition columns, by number: each condition is held once against each value
 * of its column, however many partitions have it.
 */
final class PartitionConditions {

  /** Of how many values of a column it is known at a time which conditions they meet. */
  private static final int MOST_VALUES = 4096;

  private static final class Column {
    private final Map<List<Values>, Integer> numbers = new IdentityHashMap<>();
    private final BitSet all = new BitSet();
    private final Map<PartitionValues.Value, BitSet> met =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<PartitionValues.Value, BitSet> eldest) {
            return size() > MOST_VALUES;
          }
        };

    /** Those that a value meets; all where it is not known. */
    BitSet metBy(PartitionValues.Value value) {
      return value == null ? all : met.computeIfAbsent(value, this::held);
    }

    private BitSet held(PartitionValues.Value value) {
      BitSet held = new BitSet();
      numbers.forEach(
          (asked, number) -> {
            if (asked.stream().anyMatch(value::isOf)) {
              held.set(number);
            }
          });
      return held;
    }
  }

  private final Map<String, Column> columns = new HashMap<>();

  /** The conditions of each box. */
  private final Map<AskedPartitions, int[][]> asked = new IdentityHashMap<>();

  private int count;

  PartitionConditions(List<AskedQuery> queries) {
    for (AskedQuery query : queries) {
      for (AskedPartitions one : query.partitions()) {
        asked.put(one, one.conditions().stream().map(this::numbers).toArray(int[][]::new));
      }
    }
  }

  private int[] numbers(Map<String, List<Values>> conditions) {
    return conditions.entrySet().stream()
        .mapToInt(condition -> number(condition.getKey(), condition.getValue()))
        .toArray();
  }

  private int number(String name, List<Values> values) {
    Column column = columns.computeIfAbsent(name, first -> new Column());
    int number = column.numbers.computeIfAbsent(values, first -> count++);
    column.all.set(number);
    return number;
  }

  /** Those that may be true in a partition. */
  synchronized BitSet of(PartitionValues partition) {
    BitSet met = new BitSet(count);
    columns.forEach((name, column) -> met.or(column.metBy(partition.of(name))));
    return met;
  }

  /** Those on some columns. */
  BitSet of(Collection<String> names) {
    BitSet found = new BitSet(count);
    names.forEach(name -> found.or(columns.get(name).all));
    return found;
  }

  /** Whether a row may lie in any box of a query where these conditions may be true. */
  boolean reaches(AskedQuery query, AskedPartitions one, BitSet met) {
    for (int box = 0; box < query.boxes().size(); box++) {
      if (mayBe(one, box, met)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a row may lie in a box of a query where these conditions may be true. */
  boolean mayBe(AskedPartitions one, int box, BitSet met) {
    int[][] conditions = asked.get(one);
    for (int condition : conditions[conditions.length == 1 ? 0 : box]) {
      if (!met.get(condition)) {
        return false;
      }
    }
    return true;
  }
}
