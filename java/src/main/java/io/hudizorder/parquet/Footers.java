package io.hudizorder.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport;

/**
 * The footers of Parquet files. Parquet's own reader interns every text of a footer, for the names
 * of columns that many have in common; of Hudi's Bloom filter of 431 KB, which is a text in it and
 * like no other, that takes a hundred times as long as all the rest.
 */
public final class Footers {

  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

  /** Of the footer's length and the magic bytes, which a file ends with. */
  private static final int END = Integer.BYTES + MAGIC.length;

  private Footers() {}

  /**
   * Reads a footer.
   *
   * @throws IOException when it cannot be read
   * @throws RuntimeException when the file is none of Parquet's, as its own reader says it
   */
  public static ParquetMetadata read(Path file, Configuration conf) throws IOException {
    return read(HadoopInputFile.fromPath(file, conf), conf);
  }

  /** The same of a file that was opened, which has asked storage for its length. */
  static ParquetMetadata read(HadoopInputFile input, Configuration conf) throws IOException {
    FileMetaData plain = plain(input);
    if (plain != null && !plain.isSetEncryption_algorithm()) {
      return new ParquetMetadataConverter(conf).fromParquetMetadata(plain);
    }
    // With the options come the keys of encrypted footers; and Parquet says what is no file of it.
    try (ParquetFileReader reader =
        ParquetFileReader.open(input, HadoopReadOptions.builder(conf, input.getPath()).build())) {
      return reader.getFooter();
    }
  }

  /** What a file ends with; null where that is encrypted, or damaged. */
  private static FileMetaData plain(InputFile input) throws IOException {
    long length = input.getLength();
    if (length < MAGIC.length + END) {
      return null;
    }
    try (SeekableInputStream stream = input.newStream()) {
      byte[] end = read(stream, length - END, END);
      int bytes = ByteBuffer.wrap(end).order(ByteOrder.LITTLE_ENDIAN).getInt();
      boolean isPlain = Arrays.equals(end, Integer.BYTES, END, MAGIC, 0, MAGIC.length);
      if (!isPlain || bytes <= 0 || bytes > length - MAGIC.length - END) {
        return null;
      }
      return parsed(read(stream, length - END - bytes, bytes));
    }
  }

  private static byte[] read(SeekableInputStream stream, long start, int bytes) throws IOException {
    byte[] found = new byte[bytes];
    stream.seek(start);
    stream.readFully(found);
    return found;
  }

  private static FileMetaData parsed(byte[] footer) {
    FileMetaData found = new FileMetaData();
    try {
      found.read(new TCompactProtocol(new TIOStreamTransport(new ByteArrayInputStream(footer))));
      return found;
    } catch (TException damaged) {
      return null;
    }
  }
}
