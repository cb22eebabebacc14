package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.plan.GroupLayout;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.PlannedInput;
import io.hudizorder.write.FittedGroup;
import io.hudizorder.write.RowFiles;
import io.hudizorder.write.VerifiedWrites;
import io.hudizorder.write.Verify;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.HoodieJavaRDD;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.api.java.JavaRDD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A written file that its statuses leave out, or tell of twice, is not committed. */
@Timeout(300)
class StatusesProofTest extends HudiTables {

  private static final String FAULT = "test.fault";

  /** What becomes of the status of one file, and who has to refuse it behind the strategy. */
  enum Fault {
    LOST(0, "Cannot commit clustering "),
    /** Hudi itself does, before it asks a validator. */
    DOUBLED(2, "Duplicate key ");

    private final int times;
    private final String refusal;

    Fault(int times, String refusal) {
      this.times = times;
      this.refusal = refusal;
    }

    HoodieData<WriteStatus> of(HoodieData<WriteStatus> statuses) {
      // By partition: to number files, Spark would have them written twice.
      JavaRDD<WriteStatus> told =
          HoodieJavaRDD.getJavaRDD(statuses)
              .mapPartitionsWithIndex((task, written) -> task == 0 ? tell(written) : written, true);
      return HoodieJavaRDD.of(told);
    }

    private Iterator<WriteStatus> tell(Iterator<WriteStatus> written) {
      List<WriteStatus> told = new ArrayList<>();
      written.forEachRemaining(told::add);
      told.addAll(Collections.nCopies(times, told.remove(0)));
      return told.iterator();
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void whatAWriteTellsWrongIsRefusedByTheCount(Fault fault) {
    HudiTable table = tableOfSeveralFiles();
    String instant = table.schedule("a");
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      assertThatThrownBy(() -> settle(client, instant, fault::of))
          .hasMessageContaining("Cannot commit clustering " + instant)
          .hasMessageContaining("600 rows were read and ");
    }
    requireAsBefore(table, instant);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void whatAStrategyTellsWrongIsRefusedBehindIt(Fault fault) {
    HudiTable table = tableOfSeveralFiles();
    String instant = table.schedule("a");
    Map<String, String> settings =
        Map.of(
            "hoodie.clustering.execution.strategy.class",
            Forgetful.class.getName(),
            "hoodie.precommit.validators",
            RowPreservationValidator.class.getName(),
            FAULT,
            fault.name());

    assertThatThrownBy(() -> table.execute(instant, settings)).hasMessageContaining(fault.refusal);

    requireAsBefore(table, instant);
  }

  /** Spark keeps what both have told, and answers one question from one, another from the other. */
  @Test
  void aTaskThatIsRunAgainWritesOtherFilesOfTheSameFileGroups() {
    HudiTable table = tableOfSeveralFiles();
    String instant = table.schedule("a");
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      settle(
          client,
          instant,
          statuses -> {
            List<HoodieWriteStat> once = statuses.map(WriteStatus::getStat).collectAsList();
            List<HoodieWriteStat> again = statuses.map(WriteStatus::getStat).collectAsList();
            assertThat(each(again, HoodieWriteStat::getFileId))
                .hasSizeGreaterThan(1)
                .doesNotHaveDuplicates()
                .isEqualTo(each(once, HoodieWriteStat::getFileId));
            assertThat(each(again, HoodieWriteStat::getPath))
                .doesNotContainAnyElementsOf(each(once, HoodieWriteStat::getPath));
            return statuses;
          });
    }
  }

  private static List<String> each(
      List<HoodieWriteStat> files, Function<HoodieWriteStat, String> said) {
    return files.stream().map(said).collect(Collectors.toList());
  }

  private HudiTable tableOfSeveralFiles() {
    return table(600, 1).with("hoodie.clustering.plan.strategy.target.file.max.bytes", "5000");
  }

  private static void requireAsBefore(HudiTable table, String instant) {
    assertThat(table.timeline()).noneMatch(name -> name.startsWith(instant + "_"));
    assertThat(table.read().select("id").distinct().count()).isEqualTo(600);
    assertThat(table.read().count()).isEqualTo(600);
  }

  /** Writes the one group of a plan, as its strategy does; what is told of it is settled. */
  private static void settle(
      SparkRDDWriteClient<?> client, String instant, UnaryOperator<HoodieData<WriteStatus>> told) {
    HoodieWriteConfig config = client.getConfig();
    HoodieSparkEngineContext engine = (HoodieSparkEngineContext) client.getEngineContext();
    HoodieTable<?, ?, ?, ?> table = HoodieSparkTable.create(config, engine);
    HoodieClusteringPlan plan =
        ClusteringUtils.getAllPendingClusteringPlans(table.getMetaClient())
            .findFirst()
            .get()
            .getRight();
    HoodieClusteringGroup group = plan.getInputGroups().get(0);
    String partition = group.getSlices().get(0).getPartitionPath();
    ClusteringSetup setup =
        ClusteringSetup.of(table.getMetaClient(), config, plan.getStrategy().getStrategyParams());
    ZOrderClusteringExecutionStrategy<?> strategy =
        new ZOrderClusteringExecutionStrategy<>(table, engine, config);
    GroupInputs inputs = strategy.inputs(setup.columns().schema(), instant);
    PlannedInput input = inputs.open(strategy.slices(group));
    GroupLayout layout =
        GroupLayout.of(group, setup.options().layout(), config.getClusteringTargetFileMaxBytes());
    RowFiles files =
        new RowFiles(
            table,
            FileWriters.config(config, setup.options()),
            setup.columns().sparkSchema(),
            instant,
            true);
    try (FittedGroup fitted =
        FittedGroup.fit(
            setup.clustering(layout.of(setup.options().layout())),
            setup.columns(),
            input,
            partition,
            group.getNumOutputFileGroups())) {
      HoodieData<WriteStatus> statuses =
          files.write(
              fitted.arrangeRows(input.rows()),
              new RowFiles.OfGroup(partition, Long.MAX_VALUE, layout.run(group, instant)));
      new VerifiedWrites(
              engine,
              table,
              inputs,
              Verify.COUNT,
              ClusteringReport.begin(config.getBasePath(), instant, false),
              instant)
          .settle(fitted, told.apply(statuses), input::countedRows);
    }
  }

  /** Executes a plan as its parent does, and tells Hudi of its files with a {@link Fault}. */
  public static final class Forgetful<T> extends ZOrderClusteringExecutionStrategy<T> {

    private static final long serialVersionUID = 1L;

    /** Called by Hudi, by name. */
    public Forgetful(
        HoodieTable<?, ?, ?, ?> table, HoodieEngineContext engine, HoodieWriteConfig config) {
      super(table, engine, config);
    }

    @Override
    public HoodieWriteMetadata<HoodieData<WriteStatus>> performClustering(
        HoodieClusteringPlan plan, HoodieSchema schema, String instant) {
      HoodieWriteMetadata<HoodieData<WriteStatus>> done =
          super.performClustering(plan, schema, instant);
      Fault fault = Fault.valueOf(getWriteConfig().getString(FAULT));
      done.setWriteStatuses(fault.of(done.getWriteStatuses()));
      return done;
    }
  }
}
