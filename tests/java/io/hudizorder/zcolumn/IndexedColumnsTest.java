package io.hudizorder.zcolumn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;

/** What is indexed with a z-column is what Hudi would index of a table without one, and this. */
class IndexedColumnsTest {

  private static final String LIST = "hoodie.metadata.index.column.stats.column.list";
  private static final String MOST = "hoodie.metadata.index.column.stats.max.columns.to.index";
  private static final Map<String, String> NONE = Map$.MODULE$.<String, String>empty();

  @Test
  void theFirstColumnsAreThoseOfTheTableInWhateverOrderRowsHaveThem() {
    StructType table = columns("c1", "c2", "c3", "z");

    assertThat(indexed(NONE.updated(MOST, "2"), Optional.empty(), table)).contains("c1,c2,z");
    assertThat(indexed(NONE.updated(MOST, "2"), Optional.of(table), columns("z", "c3", "c2", "c1")))
        .contains("c1,c2,z");
    assertThat(indexed(NONE.updated(MOST, "2"), Optional.of(table), columns("new", "c3", "z")))
        .contains("c1,c2,z");
  }

  @Test
  void aZColumnAmongTheFirstNeedsNoList() {
    StructType table = columns("c1", "z");

    assertThat(indexed(NONE, Optional.of(table), columns("z", "c1"))).isEmpty();
  }

  @Test
  void aChosenListIsKept() {
    assertThat(indexed(NONE.updated(LIST, "c3, c1"), Optional.empty(), columns("c1", "z")))
        .contains("c3,c1,z");
    assertThat(indexed(NONE.updated(LIST, "z, c1"), Optional.empty(), columns("c1", "z")))
        .contains("z, c1");
  }

  @Test
  void whereHudiIndexesNoColumnTheZColumnIsAlone() {
    assertThat(indexed(NONE.updated(MOST, "0"), Optional.empty(), columns("c1", "z")))
        .contains("z");
  }

  private static Optional<String> indexed(
      Map<String, String> options, Optional<StructType> stored, StructType rows) {
    Map<String, String> found = IndexedColumns.with("z", options, stored, rows);
    return found.contains(LIST) ? Optional.of(found.apply(LIST)) : Optional.empty();
  }

  private static StructType columns(String... names) {
    return new StructType(
        IntStream.range(0, names.length)
            .mapToObj(i -> DataTypes.createStructField(names[i], DataTypes.LongType, true))
            .toArray(org.apache.spark.sql.types.StructField[]::new));
  }
}
