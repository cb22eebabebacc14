package io.hudizorder.read;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A group whose slices are not all read in the same way. */
final class MixedInput implements GroupInput {

  private final List<GroupInput> parts;

  private MixedInput(List<GroupInput> parts) {
    this.parts = List.copyOf(parts);
  }

  /** The group of these parts, of which there is at least one. */
  static GroupInput of(List<GroupInput> parts) {
    return parts.size() == 1 ? parts.get(0) : new MixedInput(parts);
  }

  @Override
  public Dataset<Row> rows() {
    return union(GroupInput::rows);
  }

  @Override
  public Dataset<Row> columns(List<String> names) {
    return union(part -> part.columns(names));
  }

  private Dataset<Row> union(Function<GroupInput, Dataset<Row>> rows) {
    return parts.stream().map(rows).reduce(Dataset::unionByName).orElseThrow();
  }

  @Override
  public long countedRows() {
    return parts.stream().mapToLong(GroupInput::countedRows).sum();
  }

  @Override
  public List<String> readers() {
    return parts.stream()
        .flatMap(part -> part.readers().stream())
        .distinct()
        .collect(Collectors.toList());
  }
}
