package io.hudizorder;

import io.hudizorder.layout.query.PartitionValues;
import io.hudizorder.plan.GroupParts;
import io.hudizorder.read.GroupInput;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.fit.PreviewSample;
import io.hudizorder.spark.fit.SampleGroups;
import io.hudizorder.table.TableColumns;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * What a clustering would do, before anything is written: the plan that would be made, and which
 * file each of a sample of its rows would go to. For callers from Python; texts and arrays go out.
 */
public final class ClusteringPreview implements AutoCloseable {

  private final ClusteringSetup setup;
  private final List<List<FileSlice>> groups;
  private final int[] files;
  private final GroupInputs inputs;
  private PreviewSample sampled;

  private ClusteringPreview(
      ClusteringSetup setup, List<List<FileSlice>> groups, int[] files, GroupInputs inputs) {
    this.setup = setup;
    this.groups = groups;
    this.files = files;
    this.inputs = inputs;
  }

  /**
   * Plans, as {@link ZOrderClusteringPlanStrategy} does, and stores nothing.
   *
   * @param client of the table, with the configuration of the clustering
   * @return null when there is nothing to cluster
   * @throws HoodieClusteringException for options that the clustering would refuse
   */
  public static ClusteringPreview of(BaseHoodieClient client) {
    HoodieWriteConfig config = client.getConfig();
    HoodieEngineContext engine = client.getEngineContext();
    UnwrittenPlan made = UnwrittenPlan.of(client);
    HoodieTable<?, ?, ?, ?> table = made.table();
    Option<String> instant = made.lastInstant();
    if (!instant.isPresent() || made.groups().isEmpty()) {
      return null;
    }
    ClusteringSetup setup = ClusteringSetup.of(table.getMetaClient(), config, made.parameters());
    ZOrderClusteringExecutionStrategy<?> strategy =
        new ZOrderClusteringExecutionStrategy<>(table, engine, config);
    List<HoodieClusteringGroup> planned = GroupParts.joined(made.groups(), true);
    List<List<FileSlice>> slices =
        planned.stream().map(strategy::slices).collect(Collectors.toList());
    int[] files =
        planned.stream().mapToInt(HoodieClusteringGroup::getNumOutputFileGroups).toArray();
    return new ClusteringPreview(
        setup, slices, files, strategy.inputs(setup.columns().schema(), instant.get()));
  }

  /** One line a group: files to be written, ids of the file groups to be replaced, partition. */
  public String describe() {
    return IntStream.range(0, files.length)
        .mapToObj(
            g ->
                String.join(
                    "\t",
                    Integer.toString(files[g]),
                    groups.get(g).stream()
                        .map(FileSlice::getFileId)
                        .collect(Collectors.joining(",")),
                    groups.get(g).get(0).getPartitionPath()))
        .collect(Collectors.joining("\n"));
  }

  /**
   * Samples the rows of all groups.
   *
   * @param values the columns to look at
   * @param estimatedRows about how many rows each group has
   * @param sampleRows rows to sample at least, or all there are
   * @return columns {@code group}, {@code v0}, {@code v1} and so on
   */
  public Dataset<Row> sample(
      List<String> values, List<? extends Number> estimatedRows, long sampleRows) {
    close();
    TableColumns columns = setup.columns();
    List<SortColumn> looked = SortColumn.resolve(columns.sparkSchema(), values, List.of());
    Set<String> read = new LinkedHashSet<>(columns.sampledColumns());
    looked.forEach(column -> read.add(column.root()));
    Column group = functions.lit(0);
    if (groups.size() > 1) {
      if (!columns.metaFields()) {
        throw new IllegalArgumentException(
            "Cannot forecast: the rows of "
                + groups.size()
                + " clustering groups cannot be told apart, 'hoodie.populate.meta.fields' is"
                + " 'false'; choose a single partition");
      }
      List<String> places =
          List.of(HoodieRecord.PARTITION_PATH_METADATA_FIELD, HoodieRecord.FILENAME_METADATA_FIELD);
      read.addAll(places);
      group =
          functions
              .udf(new GroupOf(groups), DataTypes.IntegerType)
              .apply(functions.col(places.get(0)), functions.col(places.get(1)));
    }
    GroupInput input =
        inputs.open(groups.stream().flatMap(List::stream).collect(Collectors.toList()));
    sampled =
        PreviewSample.draw(
            input.columns(new ArrayList<>(read)),
            group,
            columns.sortColumns(),
            looked,
            columns.identity(),
            setup.options().layout().seed(),
            estimatedRows.stream().mapToLong(Number::longValue).toArray(),
            files,
            sampleRows);
    return sampled.values();
  }

  /** Whether the sample has every row. */
  public boolean isWhole() {
    return sampled.isWhole();
  }

  /**
   * Lays the sampled rows out.
   *
   * @param options of the layout; its columns are among those of the plan
   * @return for each row the number of its file as four bytes, the least significant first
   */
  public byte[] files(Map<String, String> options) {
    ZOrderOptions chosen = layout(options);
    List<PartitionValues> partitions =
        groups.stream()
            .map(group -> setup.columns().partition(group.get(0).getPartitionPath()))
            .collect(Collectors.toList());
    return bytesOf(sampled.filesOf(chosen.layout(), columns(chosen), partitions));
  }

  /**
   * Lays the sampled rows out as if they were divided into other groups.
   *
   * @param options of the layout; its columns are among those of the plan
   * @param groups for each row the number of its group as four bytes, the least significant first
   * @param estimatedRows about how many rows each group has
   * @param filesOfGroups how many files each group is to fill
   * @return as of {@link #files}
   */
  public byte[] filesOfGroups(
      Map<String, String> options,
      byte[] groups,
      List<? extends Number> estimatedRows,
      List<? extends Number> filesOfGroups) {
    int[] groupOfRow = new int[groups.length / Integer.BYTES];
    ByteBuffer.wrap(groups).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(groupOfRow);
    SampleGroups others =
        new SampleGroups(
            groupOfRow,
            estimatedRows.stream().mapToLong(Number::longValue).toArray(),
            filesOfGroups.stream().mapToInt(Number::intValue).toArray());
    ZOrderOptions chosen = layout(options);
    return bytesOf(sampled.filesOf(chosen.layout(), columns(chosen), others));
  }

  private static ZOrderOptions layout(Map<String, String> options) {
    Properties properties = new Properties();
    properties.putAll(options);
    return ZOrderOptions.of(properties, options);
  }

  private List<SortColumn> columns(ZOrderOptions chosen) {
    return setup.columns().sortColumns(chosen.layout().columns());
  }

  private static byte[] bytesOf(int[] found) {
    ByteBuffer bytesOfFiles =
        ByteBuffer.allocate(Integer.BYTES * found.length).order(ByteOrder.LITTLE_ENDIAN);
    bytesOfFiles.asIntBuffer().put(found);
    return bytesOfFiles.array();
  }

  /** Frees the sample. */
  @Override
  public void close() {
    if (sampled != null) {
      sampled.close();
      sampled = null;
    }
  }

  /** The number of a row's group, by its partition, or where that is divided, by its file. */
  private static final class GroupOf implements UDF2<String, String, Integer> {
    private static final long serialVersionUID = 1L;

    private static final int NONE = -1;

    /** A partition's only group; {@link #NONE} where it has several. */
    private final Map<String, Integer> byPartition = new HashMap<>();

    private final Map<String, Integer> byFileId = new HashMap<>();

    GroupOf(List<List<FileSlice>> groups) {
      for (int g = 0; g < groups.size(); g++) {
        int number = g;
        byPartition.merge(groups.get(g).get(0).getPartitionPath(), g, (one, other) -> NONE);
        groups.get(g).forEach(slice -> byFileId.put(slice.getFileId(), number));
      }
    }

    @Override
    public Integer call(String partition, String file) {
      int only = byPartition.getOrDefault(partition, NONE);
      if (only != NONE || file == null) {
        return only;
      }
      // A base file is named after its file group, a token and its instant; a log's rows may be
      // without a name.
      return byFileId.getOrDefault(file.split("_", 2)[0], NONE);
    }
  }
}
