package io.hudizorder.read;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.Instants;
import io.hudizorder.hudi.SliceReader;
import io.hudizorder.parquet.ParquetSize;
import io.hudizorder.plan.GroupTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.util.Lazy;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * Opens clustering groups: slices that the fast reader reads exactly as Hudi's would by it, all
 * others by Hudi's.
 */
public final class GroupInputs {

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

  /** Of a plan that is executed, for groups not to be asked for theirs again. */
  private Map<StoragePath, Long> logSizes = Map.of();

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

  /**
   * Looks at the log files of all groups; to be called before anything is written.
   *
   * @throws HoodieClusteringException when one is shorter than it was when it was committed, or is
   *     of an earlier slice
   */
  public void requireWholeLogs(List<FileSlice> slices) {
    EarlierLogs.refuse(metaClient, slices);
    RecordedLogs logs = new RecordedLogs(metaClient, slices);
    logSizes = FileSizes.of(engine, metaClient, logs.paths());
    logs.requireWhole(logSizes);
  }

  public PlannedInput open(List<FileSlice> slices) {
    MeasuredSlices measured = measured(slices);
    return new PlannedInput(
        open(slices, measured),
        measured.estimatedRows(slices),
        measured.areCounted(slices),
        measured.widths(),
        new GroupTarget(config, measured.plannedBytes(slices)),
        rows -> encoder.get().applyAsLong(rows));
  }

  private MeasuredSlices measured(List<FileSlice> slices) {
    return new MeasuredSlices(engine, metaClient, config, schema, sparkSchema, slices, logSizes);
  }

  private ParquetSize makeEncoder() {
    HoodieWriteConfig written = HoodieWriteConfig.newBuilder().withProps(config.getProps()).build();
    // As the files are written: by the table's schema alone.
    written.setInternalSchemaString("");
    return new ParquetSize(written, engine.jsc().hadoopConfiguration(), sparkSchema);
  }

  /**
   * Looks at groups for one file each, at once, for those that a task can read by itself.
   *
   * @return one for each group, in their order; none where it has a slice that jobs are to read
   */
  public List<Optional<TaskInput>> openInTasks(List<List<FileSlice>> groups) {
    MeasuredSlices measured =
        measured(groups.stream().flatMap(List::stream).collect(Collectors.toList()));
    return groups.stream()
        .map(
            group ->
                group.stream().allMatch(measured::isMeasured)
                    ? Optional.of(
                        TaskInput.of(
                            group, measured, new GroupTarget(config, measured.plannedBytes(group))))
                    : Optional.<TaskInput>empty())
        .collect(Collectors.toList());
  }

  /**
   * The same of the files that were written of groups, each for its own.
   *
   * @param written by group
   */
  public List<TaskInput> openWrittenInTasks(List<List<HoodieWriteStat>> written) {
    return openInTasks(written.stream().map(this::slices).collect(Collectors.toList())).stream()
        .map(Optional::orElseThrow)
        .collect(Collectors.toList());
  }

  private List<FileSlice> slices(List<HoodieWriteStat> written) {
    return WrittenSlices.of(config.getBasePath(), written, instant);
  }

  /**
   * What reads groups within a task.
   *
   * @param merging whether one of them has slices that Hudi's reader reads
   */
  public TaskReader taskReader(boolean merging) {
    return new TaskReader(
        vectorising.get(),
        sparkSchema,
        merging
            ? Optional.of(new SliceRows(spark(), sliceReader.get(), schema, schema))
            : Optional.empty());
  }

  private GroupInput open(List<FileSlice> slices, MeasuredSlices measured) {
    Map<Boolean, List<FileSlice>> parts =
        slices.stream().collect(Collectors.partitioningBy(measured::isReadFast));
    Map<Boolean, List<FileSlice>> byHudi =
        parts.get(false).stream().collect(Collectors.partitioningBy(measured::isCounted));
    List<GroupInput> inputs = new ArrayList<>();
    if (!parts.get(true).isEmpty()) {
      inputs.add(vectorised(parts.get(true), measured));
    }
    if (!byHudi.get(true).isEmpty()) {
      inputs.add(byHudi(byHudi.get(true), OptionalLong.of(measured.rows(byHudi.get(true)))));
    }
    if (!byHudi.get(false).isEmpty()) {
      inputs.add(openByHudi(byHudi.get(false)));
    }
    return MixedInput.of(inputs);
  }

  /** Opens slices by Hudi's reader, whatever they are. */
  public GroupInput openByHudi(List<FileSlice> slices) {
    return byHudi(slices, OptionalLong.empty());
  }

  private GroupInput byHudi(List<FileSlice> slices, OptionalLong rows) {
    return new MergingInput(spark(), sliceReader.get(), schema, slices, rows);
  }

  /** Opens files that this clustering has just written. */
  public GroupInput openWritten(List<HoodieWriteStat> stats) {
    List<FileSlice> slices = slices(stats);
    return open(slices, measured(slices));
  }

  private GroupInput vectorised(List<FileSlice> slices, MeasuredSlices measured) {
    List<String> paths =
        slices.stream()
            .map(slice -> slice.getBaseFile().get().getPath())
            .collect(Collectors.toList());
    return new VectorisedInput(vectorising.get(), paths, sparkSchema, measured.rows(slices));
  }

  private SliceReader makeSliceReader() {
    String latest = Instants.readUpTo(metaClient, instant);
    return HudiCalls.here().sliceReader(engine, metaClient, config, latest);
  }

  private SparkSession spark() {
    return engine.getSqlContext().sparkSession();
  }
}
