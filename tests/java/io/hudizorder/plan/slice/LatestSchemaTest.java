package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.internal.schema.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LatestSchemaTest {

  private static final FileSlice SLICE = new FileSlice("p", "20260101000000002", "f");

  /** A schema of instant 0 is one of which nobody knows since when it holds. */
  @ParameterizedTest
  @CsvSource({
    "20260101000000001, true",
    "20260101000000002, true",
    "20260101000000003, false",
    "0, false"
  })
  void aFileHasTheSchemaThatItWasWrittenSince(long evolved, boolean latest) {
    InternalSchema schema = new InternalSchema(evolved, Types.RecordType.get(List.of()));

    assertThat(LatestSchema.isOf(SLICE, Option.of(schema))).isEqualTo(latest);
  }

  @Test
  void allHaveItWhereNoneWasEvolved() {
    assertThat(LatestSchema.isOf(SLICE, Option.empty())).isTrue();
  }
}
