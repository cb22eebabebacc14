package io.hudizorder.spark;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.functions;

/** Columns by their names, whatever characters these have. */
public final class NamedColumn {

  private NamedColumn() {}

  /** A top-level column, or a field within one, each part of its path quoted. */
  public static Column of(String... path) {
    return functions.col(
        Arrays.stream(path)
            .map(part -> "`" + part.replace("`", "``") + "`")
            .collect(Collectors.joining(".")));
  }
}
