package io.hudizorder;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.HoodieAvroWriteSupport;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.ConfigProperty;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.exception.HoodieException;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.StructType;

/**
 * The most rows of a page, {@link ZOrderOptions#PAGE_ROW_LIMIT}.
 *
 * <p>Hudi 1.2.0 does not pass such a limit to Parquet, so that Parquet's own of 20,000 rows stays.
 * What Hudi lets be chosen is the class that takes rows to Parquet: here its own two, with the
 * limit put where Parquet's column store looks it up. That is a private field, named in the error
 * should a release of Parquet have another.
 */
public final class PageRowLimit {

  /** What takes rows, and what takes records, to Parquet. */
  private static final List<ConfigProperty<String>> WRITERS =
      List.of(
          HoodieStorageConfig.HOODIE_PARQUET_SPARK_ROW_WRITE_SUPPORT_CLASS,
          HoodieStorageConfig.HOODIE_AVRO_WRITE_SUPPORT_CLASS);

  private static final List<String> OURS = List.of(Rows.class.getName(), Records.class.getName());

  private PageRowLimit() {}

  /**
   * Refuses a limit that the configured writers would not obey.
   *
   * @throws IllegalArgumentException when somebody's own writer is configured
   */
  static void check(HoodieConfig config, ZOrderOptions options) {
    for (ConfigProperty<String> writer : WRITERS) {
      String name = config.getStringOrDefault(writer);
      if (options.limitsPages() && !name.equals(writer.defaultValue()) && !OURS.contains(name)) {
        throw new IllegalArgumentException(
            String.format(
                "Cannot cluster: '%s' was '%d', which only Hudi's own writer obeys, and '%s' was"
                    + " '%s'; unset one of them",
                ZOrderOptions.PAGE_ROW_LIMIT.key(), options.pageRowLimit(), writer.key(), name));
      }
    }
  }

  /** Makes the writers of a configuration obey the limit, where one was chosen. */
  static void install(HoodieConfig config, ZOrderOptions options) {
    if (options.limitsPages()) {
      config.setValue(ZOrderOptions.PAGE_ROW_LIMIT.key(), Long.toString(options.pageRowLimit()));
      for (int w = 0; w < OURS.size(); w++) {
        config.setValue(WRITERS.get(w), OURS.get(w));
      }
    }
  }

  /** Hudi's writer of Spark's rows. */
  public static final class Rows extends HoodieRowParquetWriteSupport {

    private final long limit;

    public Rows(
        Configuration conf, StructType schema, Option<BloomFilter> bloom, HoodieConfig config) {
      super(conf, schema, bloom, config);
      this.limit = ZOrderOptions.pageRowLimit(config.getProps());
    }

    /** Called once a row group, whose pages all come from one column store. */
    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      limit(consumer, limit);
      super.prepareForWrite(consumer);
    }
  }

  /** Hudi's writer of Avro records, of the record path. */
  public static final class Records<T> extends HoodieAvroWriteSupport<T> {

    private final long limit;

    public Records(
        MessageType type, HoodieSchema schema, Option<BloomFilter> bloom, Properties config) {
      super(type, schema, bloom, config);
      this.limit = ZOrderOptions.pageRowLimit(config);
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      limit(consumer, limit);
      super.prepareForWrite(consumer);
    }
  }

  private static void limit(RecordConsumer consumer, long rows) {
    try {
      Object writer = consumer;
      // Validation and debug logs wrap the consumer that writes.
      while (!hasField(writer, "columns")) {
        writer = field(writer.getClass(), "delegate").get(writer);
      }
      Object columns = field(writer.getClass(), "columns").get(writer);
      Object properties = field(columns.getClass(), "props").get(columns);
      field(ParquetProperties.class, "pageRowCountLimit").setInt(properties, (int) rows);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new HoodieException(
          String.format(
              "Cannot limit the rows of a page: the Parquet library of this Spark keeps the limit"
                  + " elsewhere; leave '%s' unset",
              ZOrderOptions.PAGE_ROW_LIMIT.key()),
          e);
    }
  }

  private static boolean hasField(Object owner, String name) {
    try {
      field(owner.getClass(), name);
      return true;
    } catch (NoSuchFieldException e) {
      return false;
    }
  }

  private static Field field(Class<?> owner, String name) throws NoSuchFieldException {
    Class<?> type = owner;
    while (type != Object.class) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
      type = type.getSuperclass();
    }
    throw new NoSuchFieldException(owner.getName() + "." + name);
  }
}
