package io.hudizorder.parquet;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * What the footer of a Parquet base file says: its rows, and whether Spark reads it as Hudi does.
 */
public final class BaseFileFooter implements Serializable {

  private static final long serialVersionUID = 1L;

  private final long length;
  private final long rows;
  private final boolean readAlike;
  private final boolean encrypted;

  /** Null where there is none. */
  private final String lackedColumn;

  private BaseFileFooter(
      long length, long rows, boolean readAlike, boolean encrypted, String lackedColumn) {
    this.length = length;
    this.rows = rows;
    this.readAlike = readAlike;
    this.encrypted = encrypted;
    this.lackedColumn = lackedColumn;
  }

  static BaseFileFooter of(ParquetMetadata footer, long length, ExpectedSchema table) {
    return new BaseFileFooter(
        length,
        footer.getBlocks().stream().mapToLong(BlockMetaData::getRowCount).sum(),
        table.isReadAlikeBySpark(footer.getFileMetaData().getSchema()),
        footer.getFileMetaData().getEncryptionType() != EncryptionType.UNENCRYPTED,
        lackedColumn(footer, table.required()));
  }

  /** Bytes of the file. */
  public long length() {
    return length;
  }

  public long rows() {
    return rows;
  }

  /** Whether Spark's own Parquet reader gives exactly the table's rows. */
  public boolean isReadAlike() {
    return readAlike;
  }

  /** Whether any of its columns is, or the footer itself. */
  public boolean isEncrypted() {
    return encrypted;
  }

  /**
   * A column of which every row has a value, as the table's schema says, and some rows of the file
   * have none. Spark's readers ask none of them whether it has, and make a value up, as 0.
   */
  public Optional<String> lackedColumn() {
    return Optional.ofNullable(lackedColumn);
  }

  private static String lackedColumn(ParquetMetadata footer, Set<String> required) {
    List<ColumnChunkMetaData> chunks =
        footer.getBlocks().stream()
            .flatMap(group -> group.getColumns().stream())
            .collect(Collectors.toList());
    TreeSet<String> lacked = new TreeSet<>(chunks.isEmpty() ? Set.of() : required);
    chunks.forEach(chunk -> lacked.remove(topLevel(chunk)));
    chunks.stream()
        .filter(chunk -> required.contains(topLevel(chunk)))
        // Of what is nested, nulls tell nothing of the column itself.
        .filter(chunk -> chunk.getPath().size() == 1 && chunk.getStatistics().getNumNulls() > 0)
        .forEach(chunk -> lacked.add(topLevel(chunk)));
    return lacked.isEmpty() ? null : lacked.first();
  }

  private static String topLevel(ColumnChunkMetaData chunk) {
    return chunk.getPath().toArray()[0];
  }
}
