package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MixedInputTest {

  private static VectorisedInput rows(long rows) {
    return new VectorisedInput(null, List.of("/any.parquet"), new StructType(), rows);
  }

  /** Nobody knows how many rows files with logs have: 0 says so. */
  @ParameterizedTest
  @CsvSource({"5, 7, 12", "5, 0, 0"})
  void itsRowsAreKnownWhereThoseOfAllItsFilesAre(long fast, long exact, long all) {
    assertThat(new MixedInput(rows(fast), rows(exact)).estimatedRows()).isEqualTo(all);
  }
}
