package io.hudizorder;

import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.query.PartitionedQueries;
import io.hudizorder.option.PlanVersion;
import io.hudizorder.plan.LastLayout;
import io.hudizorder.plan.slice.PlannedSlice;
import io.hudizorder.spark.fit.QueryWords;
import io.hudizorder.spark.fit.RowClustering;
import io.hudizorder.table.MetadataIndexes;
import io.hudizorder.table.SchemaHistory;
import io.hudizorder.table.SuitableTable;
import io.hudizorder.table.TableColumns;
import io.hudizorder.table.TableSchema;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.ReflectionUtils;
import org.apache.hudi.config.HoodieClusteringConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.index.HoodieIndex;

/**
 * The options of a clustering held against the table they are for. Both strategies make one before
 * they do anything, so that whatever cannot be done is refused before anything is written.
 */
final class ClusteringSetup {

  private static final String ROW_WRITER = "hoodie.datasource.write.row.writer.enable";

  private final ZOrderOptions options;
  private final TableColumns columns;
  private final PartitionedQueries queries;

  private ClusteringSetup(ZOrderOptions options, TableColumns columns) {
    this.options = options;
    this.columns = columns;
    this.queries = new PartitionedQueries(options.layout().queries());
  }

  /**
   * Validates.
   *
   * @param planParameters what a plan stored; empty where nobody made one of our options
   * @throws IllegalArgumentException with what is wrong, where, and the remedy
   */
  static ClusteringSetup of(
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Map<String, String> planParameters) {
    return of(metaClient, config, planParameters, () -> TableSchema.rowSchema(metaClient, config));
  }

  /**
   * The same for an execution.
   *
   * @param config as {@link TableSchema#config} has it, which has found the table's schema
   * @param planParameters what the plan stored; empty where another strategy made it
   */
  static ClusteringSetup ofExecution(
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Map<String, String> planParameters) {
    return of(metaClient, config, planParameters, () -> TableSchema.rowSchema(config));
  }

  private static ClusteringSetup of(
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Map<String, String> planParameters,
      Supplier<Schema> schema) {
    HudiRelease.requireSupported();
    PlanVersion.require(planParameters);
    Properties chosen =
        planParameters.isEmpty()
            ? LastLayout.completed(config.getProps(), LastLayout.of(metaClient))
            : config.getProps();
    return of(metaClient, config, chosen, planParameters, schema);
  }

  /**
   * Validates what a plan is to be made by.
   *
   * @param config complete, as {@link PlannerConfig} has it
   * @throws IllegalArgumentException with what is wrong, where, and the remedy
   */
  static ClusteringSetup ofPlanner(HoodieTableMetaClient metaClient, HoodieWriteConfig config) {
    requireOwnExecution(config);
    return of(
        metaClient,
        config,
        config.getProps(),
        Map.of(),
        () -> TableSchema.rowSchema(metaClient, config));
  }

  private static ClusteringSetup of(
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Properties chosen,
      Map<String, String> planParameters,
      Supplier<Schema> schema) {
    ZOrderOptions options = ZOrderOptions.of(chosen, planParameters);
    SuitableTable.requireWritten(metaClient);
    SuitableTable.require(metaClient);
    if (config.getIndexType() == HoodieIndex.IndexType.BUCKET) {
      throw SuitableTable.ofBuckets("'hoodie.index.type' was 'BUCKET'");
    }
    MetadataIndexes.requireKept(metaClient, config);
    requireReleases(config);
    FileWriters.check(config, options);
    TableColumns columns =
        TableColumns.of(metaClient.getTableConfig(), schema.get(), options.layout().columns());
    HudiCalls.here().requireWritable(metaClient, config, columns.schema());
    requireWholeRecords(config, columns);
    QueryWords.require(options.layout(), columns.sortColumns());
    return new ClusteringSetup(options, columns);
  }

  /**
   * A writer that clusters by itself executes by the configuration that it plans by; of others
   * nobody knows here how they will.
   */
  private static void requireOwnExecution(HoodieWriteConfig config) {
    String execution = config.getClusteringExecutionStrategyClass();
    boolean executes = config.inlineClusteringEnabled() || config.isAsyncClusteringEnabled();
    if (executes
        && !ZOrderClusteringExecutionStrategy.class.isAssignableFrom(
            ReflectionUtils.getClass(execution))) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: '%s' was '%s', which would execute the plan and sort by one column"
                  + " after the other; set it to '%s'",
              HoodieClusteringConfig.EXECUTION_STRATEGY_CLASS_NAME.key(),
              execution,
              ZOrderClusteringExecutionStrategy.class.getName()));
    }
  }

  /** Whether rows are written as rows, and not as records, which Hudi then reads. */
  static boolean writesRows(HoodieWriteConfig config) {
    return config.getBooleanOrDefault(ROW_WRITER, true);
  }

  private static void requireWholeRecords(HoodieWriteConfig config, TableColumns columns) {
    String operation = HoodieRecord.OPERATION_METADATA_FIELD;
    if (!writesRows(config) && columns.schema().getField(operation) != null) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: the table has the column '%s', which Hudi leaves out where it reads"
                  + " records, and '%s' was 'false'; set it to 'true'",
              operation, ROW_WRITER));
    }
  }

  private static void requireReleases(HoodieWriteConfig config) {
    if (!config.areReleaseResourceEnabled()) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: '%s' was 'false'; leave it out, since a clustering knows by what"
                  + " Hudi releases that it is committed, and looks then whether it hides rows",
              HoodieWriteConfig.RELEASE_RESOURCE_ENABLE.key()));
    }
  }

  /**
   * Refuses a plan of files whose rows would not be found, or not as they are.
   *
   * @throws IllegalArgumentException with what was found
   */
  static void requireReadable(
      HoodieWriteConfig config, SchemaHistory history, HoodieClusteringPlan plan) {
    HudiCalls.here().requireReadable(config, history.latest(), plan);
    history.requireRemembered(
        PlannedSlice.ofPlan(config.getBasePath(), plan).map(FileSlice::getBaseInstantTime));
  }

  /**
   * Whether what was refused is the plan's fault, so that no process can execute it, and not that
   * of the executing process's own settings.
   *
   * @param config of the execution
   */
  static boolean isPlansFault(
      HoodieTableMetaClient metaClient, HoodieWriteConfig config, HoodieClusteringPlan plan) {
    Map<String, String> parameters = plan.getStrategy().getStrategyParams();
    if (parameters != null && !PlanVersion.isExecutable(parameters)) {
      return false;
    }
    try {
      SuitableTable.require(metaClient);
      SuitableTable.require(plan);
      if (parameters != null && parameters.containsKey(PLAN_STRATEGY_SORT_COLUMNS.key())) {
        ZOrderOptions options = ZOrderOptions.of(new Properties(), parameters);
        TableColumns.of(
            metaClient.getTableConfig(), TableSchema.rowSchema(config), options.layout().columns());
      }
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  ZOrderOptions options() {
    return options;
  }

  /** The columns of the table, with those that the options name to sort by. */
  TableColumns columns() {
    return columns;
  }

  /** The queries of the layout, by partition. */
  PartitionedQueries queries() {
    return queries;
  }

  /**
   * What lays rows out.
   *
   * @param spec of all rows or of a group
   */
  RowClustering clustering(LayoutSpec spec) {
    return new RowClustering(spec, columns.sortColumns(), columns.identity());
  }
}
