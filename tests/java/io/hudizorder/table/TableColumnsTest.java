package io.hudizorder.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableColumnsTest {

  private static final String HUDIS = "org.apache.hudi.keygen.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SimpleKeyGenerator | day | day",
        "ComplexKeyGenerator | day, region | day region",
        "CustomKeyGenerator | day:SIMPLE,at:timestamp | day",
        "CustomKeyGenerator | day,at | ''",
        "TimestampBasedKeyGenerator | at | ''",
        "TimestampBasedAvroKeyGenerator | at | ''",
      })
  void aFieldOfWhichAPartitionHasAPartMayBeSortedBy(
      String keyGenerator, String fields, String constant) {
    assertThat(String.join(" ", TableColumns.constantFields(HUDIS + keyGenerator, fields)))
        .isEqualTo(constant);
  }

  @Test
  void aFieldOfSomebodysOwnKeyGeneratorMayBeSortedBy() {
    assertThat(TableColumns.constantFields("org.example.OurKeys", "day")).isEmpty();
    assertThat(TableColumns.constantFields(null, "day")).containsExactly("day");
  }

  @Test
  void columnsThatMayBeOthersWhenARowIsMadeAgainAreLeftOut() {
    StructType schema =
        StructType.fromDDL(
            "_hoodie_record_key string, id string, place struct<x: int>, name string, total double,"
                + " part float, list array<int>, deep struct<a: struct<b: double>>,"
                + " map map<string, int>, price decimal(9,2), at timestamp");

    assertThat(TableColumns.repeatableColumns(schema, List.of("ID", " place.x")))
        .containsExactly("name", "price", "at");
    assertThat(TableColumns.repeatableColumns(schema, List.of("")))
        .containsExactly("id", "place", "name", "price", "at");
  }
}
