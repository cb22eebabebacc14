package io.hudizorder.parquet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
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

/**
 * The least and greatest values that a footer tells of. Hudi's way of reading them, and its index
 * of column statistics, have 0 for both where a file has nulls alone, or a NaN.
 */
public final class FooterRange {

  private FooterRange() {}

  /**
   * The least and greatest value of columns in all row groups.
   *
   * @return column by column the two: numbers, a {@code LocalDate} for a date, an {@code Instant}
   *     or {@code LocalDateTime} for a timestamp, text or bytes as they are. Both are null where
   *     all values are, as those of a column are that the file has not; there is none where the
   *     file does not tell, as of a NaN, or of the timestamps of 96 bits that Spark once wrote
   */
  public static List<List<Comparable<?>>> of(ParquetMetadata footer, List<String> columns) {
    Map<String, List<ColumnChunkMetaData>> chunks = new HashMap<>();
    columns.forEach(column -> chunks.put(column, new ArrayList<>()));
    for (BlockMetaData block : footer.getBlocks()) {
      for (ColumnChunkMetaData chunk : block.getColumns()) {
        List<ColumnChunkMetaData> ofColumn = chunks.get(chunk.getPath().toDotString());
        if (ofColumn != null) {
          ofColumn.add(chunk);
        }
      }
    }
    return columns.stream().map(column -> of(chunks.get(column))).collect(Collectors.toList());
  }

  private static List<Comparable<?>> of(List<ColumnChunkMetaData> chunks) {
    Statistics<?> all = null;
    for (ColumnChunkMetaData chunk : chunks) {
      Statistics<?> some = chunk.getStatistics();
      if (some.getNumNulls() == chunk.getValueCount()) {
        continue;
      }
      if (!some.hasNonNullValue()) {
        return Collections.emptyList();
      }
      if (all == null) {
        all = some.copy();
      } else {
        all.mergeStatistics(some);
      }
    }
    if (all == null) {
      return Arrays.asList(null, null);
    }
    PrimitiveType type = all.type();
    // Timestamps of 96 bits have no order.
    return type.getPrimitiveTypeName() == PrimitiveTypeName.INT96
        ? Collections.emptyList()
        : List.of(value(type, all.genericGetMin()), value(type, all.genericGetMax()));
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
