package io.hudizorder;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.option.OwnOptions;
import java.util.Map;
import org.apache.hudi.common.config.ConfigProperty;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.config.HoodieWriteConfig;

/** Which classes take rows and records to Parquet: ours in place of Hudi's, never of the user's. */
final class FileWriters {

  private static final Map<ConfigProperty<String>, Class<?>> OURS =
      Map.of(
          HoodieStorageConfig.HOODIE_PARQUET_SPARK_ROW_WRITE_SUPPORT_CLASS,
          RowWriter.class,
          HoodieStorageConfig.HOODIE_AVRO_WRITE_SUPPORT_CLASS,
          HudiCalls.here().recordWriter());

  private FileWriters() {}

  /**
   * Refuses options that the configured writers would not obey.
   *
   * @throws IllegalArgumentException when somebody's own writer is configured
   */
  static void check(HoodieConfig config, ZOrderOptions options) {
    OURS.forEach(
        (writer, ours) -> {
          String name = config.getStringOrDefault(writer);
          if (options.limitsPages()
              && !isReplaceable(writer, name)
              && !name.equals(ours.getName())) {
            throw new IllegalArgumentException(
                String.format(
                    "Cannot cluster: '%s' was '%d', which the writer that takes the place of"
                        + " Hudi's obeys, and '%s' was '%s'; unset one of them",
                    OwnOptions.PAGE_ROW_LIMIT.key(), options.pageRowLimit(), writer.key(), name));
          }
        });
  }

  /** Puts our writers into the configuration of a write, with the options that they obey. */
  static void install(HoodieConfig config, ZOrderOptions options) {
    config.setValue(OwnOptions.PAGE_ROW_LIMIT.key(), Long.toString(options.pageRowLimit()));
    OURS.forEach(
        (writer, ours) -> {
          if (isReplaceable(writer, config.getStringOrDefault(writer))) {
            config.setValue(writer, ours.getName());
          }
        });
  }

  /** What the writers of all groups of a clustering go by. */
  static HoodieWriteConfig config(HoodieWriteConfig given, ZOrderOptions options) {
    HoodieWriteConfig config = copy(given);
    // Needed to read older files; it knows less of timestamps than the schema that is written.
    config.setInternalSchemaString("");
    HudiCalls.here().prepareRowWriter(config);
    install(config, options);
    return config;
  }

  /** The same with a size of files, for Hudi's writer of records, which asks its configuration. */
  static HoodieWriteConfig limited(HoodieWriteConfig writing, long mostBytes) {
    HoodieWriteConfig config = copy(writing);
    config.setValue(HoodieStorageConfig.PARQUET_MAX_FILE_SIZE, String.valueOf(mostBytes));
    return config;
  }

  private static HoodieWriteConfig copy(HoodieWriteConfig config) {
    return HoodieWriteConfig.newBuilder().withProps(config.getProps()).build();
  }

  private static boolean isReplaceable(ConfigProperty<String> writer, String name) {
    return name.equals(writer.defaultValue());
  }
}
