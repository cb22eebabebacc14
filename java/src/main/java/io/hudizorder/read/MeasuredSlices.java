package io.hudizorder.read;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.parquet.BaseFileFooter;
import io.hudizorder.parquet.BaseFileFooters;
import io.hudizorder.parquet.Encryption;
import io.hudizorder.plan.slice.LatestSchema;
import io.hudizorder.plan.slice.RowLogs;
import io.hudizorder.plan.slice.SliceSizes;
import io.hudizorder.spark.sample.RowWidths;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieFileFormat;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.apache.hudi.storage.StoragePath;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.StructType;

/**
 * What is known of file slices before their rows are read: the footers of Parquet base files, in
 * one job, and the bytes of all others.
 */
final class MeasuredSlices {

  /** Since Hudi 1.0. */
  private static final String MULTIPLE_FORMATS = "hoodie.table.multiple.base.file.formats.enable";

  /** What logs may have of the bytes that a plan sees, for base files to tell about all rows. */
  private static final double MOST_LOGGED = 0.1;

  /**
   * One takes several times as much in a log of Avro, by its meta columns. In one of Parquet it may
   * take a third, where it has hardly more than a key: the estimate is then as much too low.
   */
  private static final long LEAST_BYTES_OF_LOGGED_ROW = 32;

  private final HoodieTableMetaClient metaClient;
  private final HoodieWriteConfig config;
  private final Schema schema;

  /** By schema on read. */
  private final Option<InternalSchema> evolved;

  private final BaseFileFooters footers;

  /** Bytes of files without footers. */
  private final Map<StoragePath, Long> sizes;

  /**
   * Reads footers, and asks storage for sizes.
   *
   * @param schema the table's schema with meta columns
   * @param columns the same as Spark has it
   * @param known sizes of some files
   */
  MeasuredSlices(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Schema schema,
      StructType columns,
      List<FileSlice> slices,
      Map<StoragePath, Long> known) {
    this.metaClient = metaClient;
    this.config = config;
    this.schema = schema;
    this.evolved = SerDeHelper.fromJson(config.getInternalSchema());
    this.footers = readFooters(engine, columns, slices);
    slices.forEach(this::requireValues);
    slices.stream()
        .map(slice -> slice.getBaseFile().orElse(null))
        .filter(file -> file != null && isEncrypted(file))
        .findAny()
        .ifPresent(this::requireEncryption);
    this.sizes =
        FileSizes.of(
            engine,
            metaClient,
            slices.stream().flatMap(this::withoutFooters).collect(Collectors.toList()),
            known);
  }

  /** Whether the fast reader reads a slice exactly as Hudi's would. */
  boolean isReadFast(FileSlice slice) {
    return isBaseFileAlone(slice)
        && LatestSchema.isOf(slice, evolved)
        && footer(slice).isReadAlike();
  }

  /**
   * Whether the footer of a slice's base file tells how many rows it has: the skeleton of a
   * bootstrap has as many as the file that its values are in.
   */
  boolean isCounted(FileSlice slice) {
    return footer(slice) != null && RowLogs.of(slice).findAny().isEmpty();
  }

  /** Whether footers tell all that there is to know of the rows of slices beforehand. */
  boolean areCounted(List<FileSlice> slices) {
    return slices.stream().allMatch(this::isBaseFileAlone);
  }

  /** The rows of base files: all rows of slices that are counted. */
  long rows(List<FileSlice> slices) {
    return slices.stream()
        .map(this::footer)
        .filter(Objects::nonNull)
        .mapToLong(BaseFileFooter::rows)
        .sum();
  }

  /** About how many rows slices have; 0 where logs may add many, or delete them. */
  long estimatedRows(List<FileSlice> slices) {
    double bytes = plannedBytes(slices);
    double logged = bytes - slices.stream().mapToLong(this::baseBytes).sum();
    boolean isMeasured = slices.stream().allMatch(this::isMeasured);
    return isMeasured && logged <= MOST_LOGGED * bytes ? rows(slices) : 0;
  }

  /** About how many rows slices have at most: were no record in a log an update. */
  long mostRows(List<FileSlice> slices) {
    return rows(slices)
        + slices.stream().mapToLong(this::logBytes).sum() / LEAST_BYTES_OF_LOGGED_ROW;
  }

  /** Whether a slice has at most a base file with a footer, as all files have here, and logs. */
  boolean isMeasured(FileSlice slice) {
    return hasFooters()
        && (slice.getBaseFile().isEmpty()
            || (footer(slice) != null && bootstrapped(slice).findAny().isEmpty()));
  }

  /** Whether the base files of the table are all of Parquet. */
  private boolean hasFooters() {
    return metaClient.getTableConfig().getBaseFileFormat() == HoodieFileFormat.PARQUET
        && !metaClient.getTableConfig().getBooleanOrDefault(MULTIPLE_FORMATS, false);
  }

  /** What the rows of base files take, and which columns may take more of some than of others. */
  RowWidths widths() {
    return footers.widths();
  }

  /** Bytes of a slice's base file and of the file that a bootstrap has left its rows in. */
  long baseBytes(FileSlice slice) {
    if (slice.getBaseFile().isEmpty()) {
      return 0;
    }
    BaseFileFooter footer = footer(slice);
    long own =
        footer != null ? footer.length() : sizes.get(slice.getBaseFile().get().getStoragePath());
    return own + bootstrapped(slice).mapToLong(sizes::get).sum();
  }

  long logBytes(FileSlice slice) {
    return RowLogs.of(slice).mapToLong(log -> sizes.get(log.getPath())).sum();
  }

  /** What the plan's author took slices for; a plan stores names of files without their sizes. */
  long plannedBytes(List<FileSlice> slices) {
    SliceSizes planned = new SliceSizes(config);
    return slices.stream().mapToLong(slice -> planned.of(baseBytes(slice), logBytes(slice))).sum();
  }

  /** Null where a slice has no Parquet base file. */
  private BaseFileFooter footer(FileSlice slice) {
    return slice.getBaseFile().map(file -> footers.of(file.getPath())).orElse(null);
  }

  private boolean isBaseFileAlone(FileSlice slice) {
    return isCounted(slice) && bootstrapped(slice).findAny().isEmpty();
  }

  private BaseFileFooters readFooters(
      HoodieSparkEngineContext engine, StructType columns, List<FileSlice> slices) {
    if (!hasFooters()) {
      return BaseFileFooters.NONE;
    }
    List<String> paths =
        slices.stream()
            .filter(slice -> slice.getBaseFile().isPresent())
            .map(slice -> slice.getBaseFile().get().getPath())
            .collect(Collectors.toList());
    if (paths.isEmpty()) {
      return BaseFileFooters.NONE;
    }
    return BaseFileFooters.readAll(
        engine.jsc(),
        metaClient.getStorageConf(),
        paths,
        columns,
        HudiCalls.here().repairsTimes() ? Optional.of(parquetSchema()) : Optional.empty(),
        fillable(),
        required());
  }

  /** The skeleton of a bootstrap has no columns of its own. */
  private void requireValues(FileSlice slice) {
    BaseFileFooter footer = footer(slice);
    if (footer != null && bootstrapped(slice).findAny().isEmpty()) {
      footer
          .lackedColumn()
          .ifPresent(
              column -> {
                throw new HoodieClusteringException(
                    String.format(
                        "Cannot cluster: rows of base file '%s' have no value of '%s', which is"
                            + " there in every row as the table's schema says. Readers that go by"
                            + " it make one up, as 0, and it would be written for good. Write these"
                            + " rows anew by an upsert, or the column as one that may be null, and"
                            + " cluster again",
                        slice.getBaseFile().get().getPath(), column));
              });
    }
  }

  private boolean isEncrypted(HoodieBaseFile file) {
    BaseFileFooter footer = footers.of(file.getPath());
    return footer != null && footer.isEncrypted();
  }

  private void requireEncryption(HoodieBaseFile file) {
    if (!Encryption.isOfWritten(new Path(file.getPath()), parquetSchema(), conf())) {
      throw new HoodieClusteringException(
          String.format(
              "Cannot cluster: base file '%s' is encrypted, and what this session writes is not."
                  + " Have its Hadoop configuration name the keys of what is written, such as"
                  + " 'parquet.encryption.footer.key' and 'parquet.encryption.column.keys', and"
                  + " cluster again",
              file.getPath()));
    }
  }

  private MessageType parquetSchema() {
    return HudiCalls.here().parquetSchema(schema, conf());
  }

  private Configuration conf() {
    return metaClient.getStorageConf().unwrapCopyAs(Configuration.class);
  }

  /** The columns that are null in files from before they were added, for Spark as for Hudi. */
  private Set<String> fillable() {
    return storedByName(
        field -> field.hasDefaultValue() && field.defaultVal() == JsonProperties.NULL_VALUE);
  }

  /** The columns that are null in no row, for Spark as for Hudi. */
  private Set<String> required() {
    return storedByName(field -> !field.schema().isNullable());
  }

  /**
   * Some of the columns that a file has by their own names, or not at all. Where schema on read has
   * recorded changes, a file may have one by another name; and what a partition's path says Hudi
   * may take from there.
   */
  private Set<String> storedByName(Predicate<Schema.Field> wanted) {
    if (evolved.isPresent()) {
      return Set.of();
    }
    String[] partitionFields =
        metaClient.getTableConfig().getPartitionFields().orElse(new String[0]);
    return schema.getFields().stream()
        .filter(wanted)
        .map(Schema.Field::name)
        .filter(name -> !name.startsWith("_hoodie_"))
        .filter(name -> !List.of(partitionFields).contains(name))
        .collect(Collectors.toSet());
  }

  private Stream<StoragePath> withoutFooters(FileSlice slice) {
    Stream<StoragePath> base =
        Stream.ofNullable(slice.getBaseFile().orElse(null))
            .filter(file -> footers.of(file.getPath()) == null)
            .map(HoodieBaseFile::getStoragePath);
    Stream<StoragePath> logs = RowLogs.of(slice).map(HoodieLogFile::getPath);
    return Stream.of(base, bootstrapped(slice), logs).flatMap(files -> files);
  }

  /** The file that a bootstrap has left a slice's rows in, if any. */
  private static Stream<StoragePath> bootstrapped(FileSlice slice) {
    return Stream.ofNullable(
        slice
            .getBaseFile()
            .flatMap(HoodieBaseFile::getBootstrapBaseFile)
            .map(BaseFile::getStoragePath)
            .orElse(null));
  }
}
