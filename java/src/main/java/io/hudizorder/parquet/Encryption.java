package io.hudizorder.parquet;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.crypto.keytools.KeyToolkit;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext;
import org.apache.parquet.schema.MessageType;

/** Parquet's encryption of files, which goes by the configuration of whoever writes them alone. */
public final class Encryption {

  private Encryption() {}

  /**
   * Whether Parquet encrypts what is written by a configuration; it says nothing where it does not.
   *
   * @param file in the place of those to be written
   * @param conf which is changed
   */
  public static boolean isOfWritten(Path file, MessageType schema, Configuration conf) {
    // Otherwise its key material would be stored beside the file.
    conf.setBoolean(KeyToolkit.KEY_MATERIAL_INTERNAL_PROPERTY_NAME, true);
    WriteContext context = new WriteContext(schema, Map.of());
    return ParquetOutputFormat.createEncryptionProperties(conf, file, context) != null;
  }
}
