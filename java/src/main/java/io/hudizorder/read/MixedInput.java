package io.hudizorder.read;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A group of which some slices are read fast and the others by Hudi's reader. */
final class MixedInput implements GroupInput {

  private final GroupInput fast;
  private final GroupInput exact;

  MixedInput(GroupInput fast, GroupInput exact) {
    this.fast = fast;
    this.exact = exact;
  }

  @Override
  public Dataset<Row> rows() {
    return fast.rows().unionByName(exact.rows());
  }

  @Override
  public Dataset<Row> columns(List<String> names) {
    return fast.columns(names).unionByName(exact.columns(names));
  }

  @Override
  public long countedRows() {
    return fast.countedRows() + exact.countedRows();
  }

  @Override
  public List<String> readers() {
    return Stream.concat(fast.readers().stream(), exact.readers().stream())
        .collect(Collectors.toList());
  }
}
