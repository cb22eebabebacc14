package io.hudizorder.parquet;

import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.sample.RowWidths.Bytes;
import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.parquet.column.EncodingStats;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * What the rows of files take in them, and their columns of variable length: of all files together,
 * since of each it would be as much as there are files times columns.
 */
final class ColumnSizes implements Serializable {

  private static final long serialVersionUID = 1L;

  private long rows;
  private long bytes;
  private final Map<String, Bytes> variable = new TreeMap<>();

  /** Counts the rows of a file in. */
  void add(ParquetMetadata footer, Set<String> names) {
    for (BlockMetaData group : footer.getBlocks()) {
      rows += group.getRowCount();
      for (ColumnChunkMetaData chunk : group.getColumns()) {
        bytes += chunk.getTotalSize();
        String name = chunk.getPath().toArray()[0];
        if (names.contains(name) && isWrittenOut(footer.getFileMetaData().getSchema(), chunk)) {
          Bytes taken = new Bytes(chunk.getTotalSize(), chunk.getTotalUncompressedSize());
          variable.merge(name, taken, Bytes::plus);
        }
      }
    }
  }

  void add(ColumnSizes other) {
    rows += other.rows;
    bytes += other.bytes;
    other.variable.forEach((name, taken) -> variable.merge(name, taken, Bytes::plus));
  }

  RowWidths widths() {
    double all = Math.max(1, rows);
    Map<String, Bytes> ofOne = new TreeMap<>(variable);
    ofOne.replaceAll((name, taken) -> taken.over(all));
    return new RowWidths(bytes / all, ofOne);
  }

  /** Whether values take what they are long: from a dictionary, one takes as little as the next. */
  private static boolean isWrittenOut(MessageType file, ColumnChunkMetaData chunk) {
    if (file.getMaxRepetitionLevel(chunk.getPath().toArray()) > 0) {
      return true;
    }
    EncodingStats encodings = chunk.getEncodingStats();
    boolean inDictionary = encodings != null && !encodings.hasNonDictionaryEncodedPages();
    return chunk.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY
        && !inDictionary;
  }
}
