package io.hudizorder.parquet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** What a footer tells of a column: Hudi before 1.1 leaves timestamps as numbers. */
public final class FooterRange {

  private FooterRange() {}

  /**
   * The least and greatest value of all row groups, null where one of them does not tell.
   *
   * @throws UnsupportedOperationException for the timestamps of 96 bits that Spark once wrote
   */
  public static List<Comparable<?>> of(ParquetMetadata footer, String column) {
    List<ColumnChunkMetaData> chunks =
        footer.getBlocks().stream()
            .flatMap(block -> block.getColumns().stream())
            .filter(chunk -> chunk.getPath().toDotString().equals(column))
            .collect(Collectors.toList());
    if (chunks.isEmpty()) {
      return Collections.emptyList();
    }
    PrimitiveType type = chunks.get(0).getPrimitiveType();
    if (type.getPrimitiveTypeName() == PrimitiveTypeName.INT96) {
      throw new UnsupportedOperationException("timestamps of 96 bits have no order");
    }
    Statistics<?> all = null;
    for (ColumnChunkMetaData chunk : chunks) {
      Statistics<?> some = chunk.getStatistics();
      boolean onlyNulls = some.getNumNulls() == chunk.getValueCount();
      if (!onlyNulls && !some.hasNonNullValue()) {
        return Arrays.asList(null, null);
      }
      if (all == null || !all.hasNonNullValue()) {
        all = some.copy();
      } else if (!onlyNulls) {
        all.mergeStatistics(some);
      }
    }
    return all.hasNonNullValue()
        ? List.of(value(type, all.genericGetMin()), value(type, all.genericGetMax()))
        : Arrays.asList(null, null);
  }

  private static Comparable<?> value(PrimitiveType type, Comparable<?> stored) {
    LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
    if (logical instanceof DecimalLogicalTypeAnnotation) {
      int scale = ((DecimalLogicalTypeAnnotation) logical).getScale();
      return stored instanceof Binary
          ? new BigDecimal(new BigInteger(((Binary) stored).getBytes()), scale)
          : BigDecimal.valueOf(((Number) stored).longValue(), scale);
    }
    if (logical instanceof DateLogicalTypeAnnotation) {
      return LocalDate.ofEpochDay((Integer) stored);
    }
    if (logical instanceof TimestampLogicalTypeAnnotation) {
      return time((TimestampLogicalTypeAnnotation) logical, (Long) stored);
    }
    if (stored instanceof Binary) {
      return logical instanceof StringLogicalTypeAnnotation
          ? ((Binary) stored).toStringUsingUTF8()
          : ((Binary) stored).toByteBuffer();
    }
    return stored;
  }

  private static Comparable<?> time(TimestampLogicalTypeAnnotation type, long stored) {
    ChronoUnit unit =
        type.getUnit() == TimeUnit.MILLIS
            ? ChronoUnit.MILLIS
            : type.getUnit() == TimeUnit.MICROS ? ChronoUnit.MICROS : ChronoUnit.NANOS;
    Instant instant = Instant.EPOCH.plus(stored, unit);
    return type.isAdjustedToUTC() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }
}
