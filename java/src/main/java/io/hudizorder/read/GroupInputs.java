package io.hudizorder.read;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.Instants;
import io.hudizorder.hudi.SliceReader;
import io.hudizorder.parquet.BaseFileFooter;
import io.hudizorder.parquet.ParquetSize;
import io.hudizorder.plan.GroupTarget;
import io.hudizorder.plan.slice.RowLogs;
import io.hudizorder.plan.slice.SliceSizes;
import io.hudizorder.read.TaskInput.WholeFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieFileFormat;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.util.Lazy;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * Opens clustering groups: slices that the fast reader reads exactly as Hudi's would by it, all
 * others by Hudi's.
 */
public final class GroupInputs {

  /** Since Hudi 1.0. */
  private static final String MULTIPLE_FORMATS = "hoodie.table.multiple.base.file.formats.enable";

  private final HoodieSparkEngineContext engine;
  private final HoodieTableMetaClient metaClient;
  private final HoodieWriteConfig config;
  private final Schema schema;
  private final StructType sparkSchema;
  private final String instant;

  /** One for all groups: Spark keeps a listener for every session. */
  private final Lazy<SparkSession> vectorising;

  /**
   * One for all groups: it reads the schemas of commits, and Spark has to send it to every task.
   */
  private final Lazy<SliceReader> sliceReader = Lazy.lazily(this::makeSliceReader);

  /** Made where a group is laid out by bytes: its configuration takes some milliseconds. */
  private final Lazy<ParquetSize> encoder = Lazy.lazily(this::makeEncoder);

  /**
   * @param schema the table's schema with meta columns
   */
  public GroupInputs(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Schema schema,
      String instant) {
    this.engine = engine;
    this.metaClient = metaClient;
    this.config = config;
    this.schema = schema;
    this.sparkSchema = HudiCalls.here().sparkSchema(schema);
    this.instant = instant;
    this.vectorising =
        Lazy.lazily(
            () -> VectorisedInput.vectorising(spark(), metaClient.getStorage().getScheme()));
  }

  public PlannedInput open(List<FileSlice> slices) {
    Map<String, BaseFileFooter> footers = footers(slices);
    return new PlannedInput(
        open(slices, footers),
        BaseFileFooter.widths(footers.values()),
        new GroupTarget(config, bytes(slices, footers)),
        rows -> encoder.get().applyAsLong(rows));
  }

  private ParquetSize makeEncoder() {
    HoodieWriteConfig written = HoodieWriteConfig.newBuilder().withProps(config.getProps()).build();
    // As the files are written: by the table's schema alone.
    written.setInternalSchemaString("");
    return new ParquetSize(written, engine.jsc().hadoopConfiguration(), sparkSchema);
  }

  /**
   * Looks at groups for one file each, in one job, for those that a task can read by itself: of
   * base files without logs, all of which the fast reader reads.
   *
   * @return one for each group, in their order; none where it has another slice
   */
  public List<Optional<TaskInput>> openInTasks(List<List<FileSlice>> groups) {
    Map<String, BaseFileFooter> footers =
        footers(
            groups.stream()
                .filter(group -> group.stream().allMatch(GroupInputs::isBaseFileAlone))
                .flatMap(List::stream)
                .collect(Collectors.toList()));
    Predicate<FileSlice> fast = isReadFast(footers);
    return groups.stream()
        .map(
            group ->
                group.stream().allMatch(fast)
                    ? Optional.of(inTask(group, footers))
                    : Optional.<TaskInput>empty())
        .collect(Collectors.toList());
  }

  private TaskInput inTask(List<FileSlice> slices, Map<String, BaseFileFooter> footers) {
    List<WholeFile> files =
        slices.stream()
            .map(GroupInputs::basePath)
            .map(path -> new WholeFile(path, footers.get(path).length()))
            .collect(Collectors.toList());
    long target = new GroupTarget(config, bytes(slices, footers)).of(1);
    return new TaskInput(files, rows(slices, footers), target);
  }

  /** What reads some top-level columns within a task. */
  public TaskReader taskReader(StructType columns) {
    return new TaskReader(vectorising.get(), columns);
  }

  private GroupInput open(List<FileSlice> slices, Map<String, BaseFileFooter> footers) {
    Map<Boolean, List<FileSlice>> parts =
        slices.stream().collect(Collectors.partitioningBy(isReadFast(footers)));
    List<FileSlice> plain = parts.get(true);
    List<FileSlice> others = parts.get(false);
    if (others.isEmpty()) {
      return vectorised(plain, footers);
    }
    boolean counted =
        others.stream().allMatch(GroupInputs::isBaseFileAlone)
            && others.stream().map(GroupInputs::basePath).allMatch(footers::containsKey);
    GroupInput merging = merging(others, counted ? rows(others, footers) : 0);
    return plain.isEmpty() ? merging : new MixedInput(vectorised(plain, footers), merging);
  }

  private Predicate<FileSlice> isReadFast(Map<String, BaseFileFooter> footers) {
    Predicate<FileSlice> latest = isOfLatestSchema();
    return slice ->
        isBaseFileAlone(slice)
            && latest.test(slice)
            && footers.containsKey(basePath(slice))
            && footers.get(basePath(slice)).hasTableSchema();
  }

  /** Opens slices by Hudi's reader, whatever they are. */
  public GroupInput openByHudi(List<FileSlice> slices) {
    return merging(slices, 0);
  }

  /** Opens files that this clustering has just written. */
  public GroupInput openWritten(List<HoodieWriteStat> stats) {
    List<FileSlice> slices = WrittenSlices.of(config.getBasePath(), stats, instant);
    return open(slices, footers(slices));
  }

  /** The footers of Parquet base files by their paths. */
  private Map<String, BaseFileFooter> footers(List<FileSlice> slices) {
    boolean parquet =
        metaClient.getTableConfig().getBaseFileFormat() == HoodieFileFormat.PARQUET
            && !metaClient.getTableConfig().getBooleanOrDefault(MULTIPLE_FORMATS, false);
    List<String> paths =
        slices.stream()
            .filter(slice -> parquet && slice.getBaseFile().isPresent())
            .map(GroupInputs::basePath)
            .collect(Collectors.toList());
    Map<String, BaseFileFooter> footers = new HashMap<>();
    if (!paths.isEmpty()) {
      List<BaseFileFooter> found =
          BaseFileFooter.readAll(
              engine.jsc(),
              metaClient.getStorageConf(),
              paths,
              sparkSchema,
              HudiCalls.here().repairsTimes() ? Optional.of(parquetSchema()) : Optional.empty(),
              fillable());
      for (int i = 0; i < paths.size(); i++) {
        footers.put(paths.get(i), found.get(i));
      }
    }
    return footers;
  }

  /**
   * The columns that are null in files from before they were added, for Spark as for Hudi. Where
   * schema on read has recorded changes, a file may have such a column by another name; and what a
   * partition's path says Hudi may take from there.
   */
  private Set<String> fillable() {
    if (SerDeHelper.fromJson(config.getInternalSchema()).isPresent()) {
      return Set.of();
    }
    String[] partitionFields =
        metaClient.getTableConfig().getPartitionFields().orElse(new String[0]);
    return schema.getFields().stream()
        .filter(field -> field.hasDefaultValue() && field.defaultVal() == JsonProperties.NULL_VALUE)
        .map(Schema.Field::name)
        .filter(name -> !name.startsWith("_hoodie_"))
        .filter(name -> !List.of(partitionFields).contains(name))
        .collect(Collectors.toSet());
  }

  private static String basePath(FileSlice slice) {
    return slice.getBaseFile().get().getPath();
  }

  private static boolean isBaseFileAlone(FileSlice slice) {
    return slice.getBaseFile().isPresent()
        && !slice.getBaseFile().get().getBootstrapBaseFile().isPresent()
        && RowLogs.of(slice).findAny().isEmpty();
  }

  /**
   * Whether a slice was written since the table's last evolution by schema on read: a name means
   * the column that it means now.
   */
  private Predicate<FileSlice> isOfLatestSchema() {
    Option<InternalSchema> evolved = SerDeHelper.fromJson(config.getInternalSchema());
    if (evolved.isEmpty()) {
      return slice -> true;
    }
    long since = evolved.get().schemaId();
    // As Hudi's InternalSchemaCache finds the schema of a file.
    return slice -> since > 0 && Long.parseLong(slice.getBaseInstantTime()) >= since;
  }

  private MessageType parquetSchema() {
    Configuration conf = metaClient.getStorageConf().unwrapCopyAs(Configuration.class);
    return HudiCalls.here().parquetSchema(schema, conf);
  }

  private GroupInput vectorised(List<FileSlice> slices, Map<String, BaseFileFooter> footers) {
    List<String> paths = slices.stream().map(GroupInputs::basePath).collect(Collectors.toList());
    return new VectorisedInput(vectorising.get(), paths, sparkSchema, rows(slices, footers));
  }

  private static long rows(List<FileSlice> slices, Map<String, BaseFileFooter> footers) {
    return slices.stream().mapToLong(slice -> footers.get(basePath(slice)).rows()).sum();
  }

  private GroupInput merging(List<FileSlice> slices, long rows) {
    return new MergingInput(spark(), sliceReader.get(), schema, slices, rows);
  }

  private SliceReader makeSliceReader() {
    String latest = Instants.readUpTo(metaClient, instant);
    return HudiCalls.here().sliceReader(engine, metaClient, config, latest);
  }

  private SparkSession spark() {
    return engine.getSqlContext().sparkSession();
  }

  /**
   * What the plan's author took the slices for; a plan stores names of files without their sizes.
   */
  private long bytes(List<FileSlice> slices, Map<String, BaseFileFooter> footers) {
    Map<StoragePath, Long> others =
        FileSizes.of(
            metaClient.getStorage(),
            slices.stream()
                .flatMap(slice -> withoutFooters(slice, footers))
                .collect(Collectors.toList()));
    SliceSizes sizes = new SliceSizes(config);
    return slices.stream()
        .mapToLong(
            slice ->
                sizes.of(
                    slice.getBaseFile().isPresent() ? baseBytes(slice, footers, others) : 0,
                    RowLogs.of(slice).mapToLong(log -> others.get(log.getPath())).sum()))
        .sum();
  }

  private static Stream<StoragePath> withoutFooters(
      FileSlice slice, Map<String, BaseFileFooter> footers) {
    Stream<StoragePath> logs = RowLogs.of(slice).map(HoodieLogFile::getPath);
    Stream<StoragePath> others = Stream.concat(bootstrapped(slice), logs);
    return slice.getBaseFile().isPresent() && !footers.containsKey(basePath(slice))
        ? Stream.concat(Stream.of(slice.getBaseFile().get().getStoragePath()), others)
        : others;
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

  private static long baseBytes(
      FileSlice slice, Map<String, BaseFileFooter> footers, Map<StoragePath, Long> others) {
    BaseFileFooter footer = footers.get(basePath(slice));
    long own =
        footer != null ? footer.length() : others.get(slice.getBaseFile().get().getStoragePath());
    return own + bootstrapped(slice).mapToLong(others::get).sum();
  }
}
