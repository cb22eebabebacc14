package io.hudizorder.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SortColumnTest {

  private static final StructType SCHEMA =
      StructType.fromDDL(
          "_hoodie_record_key string, distance int, dest string, price decimal(38,4),"
              + " fare decimal(18,2), day date, tags array<string>, counts map<string,int>,"
              + " gone interval day to second, place struct<lat: double, name: string>");

  private static List<SortColumn> resolve(String... names) {
    return SortColumn.resolve(SCHEMA, List.of(names), List.of("day"));
  }

  @Test
  void columnsKeepTheUsersOrderAndTheSchemasSpelling() {
    assertThat(resolve("DEST", "distance", "place.LAT"))
        .extracting(SortColumn::name)
        .containsExactly("dest", "distance", "place.lat");
  }

  @Test
  void aNestedColumnKnowsItsRootAndType() {
    SortColumn column = resolve("place.lat").get(0);

    assertThat(column.root()).isEqualTo("place");
    assertThat(column.type()).isEqualTo(DataTypes.DoubleType);
  }

  @ParameterizedTest
  @CsvSource({"dest, true", "price, true", "fare, false", "distance, false"})
  void aColumnIsWideWhenAWordCannotTellItsValuesApart(String name, boolean wide) {
    assertThat(resolve(name).get(0).wide()).isEqualTo(wide);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "distanse | there is no such column; did you mean 'distance'?",
        "place.lot | there is no such column in 'place'; did you mean 'lat'?",
        "distance.x | 'distance' is of type int and has no fields",
        "tags | values of type array<string> have no order; choose a column with one value a row",
        "counts | values of type map<string,int> have no order",
        "place | have no order; name one of its fields, such as 'place.lat'",
        "gone | have no order; choose a column of a number",
        "day | it is a partition column, which has one value in all rows of a group"
      })
  void aColumnThatCannotBeClusteredByIsRefusedWithTheRemedy(String name, String message) {
    assertThatThrownBy(() -> resolve(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot cluster by '" + name + "'")
        .hasMessageContaining(message);
  }

  @Test
  void aColumnNamedTwiceIsRefusedInAnySpelling() {
    assertThatThrownBy(() -> resolve("dest", "Dest")).hasMessageContaining("it is named twice");
  }

  @Test
  void moreColumnsThanAZValueHoldsAreRefused() {
    List<String> names =
        IntStream.range(0, 129).mapToObj(i -> "c" + i).collect(Collectors.toList());

    assertThatThrownBy(() -> SortColumn.resolve(SCHEMA, names, List.of()))
        .hasMessageContaining("Cannot cluster by 129 columns: a z-value holds at most 128");
  }
}
