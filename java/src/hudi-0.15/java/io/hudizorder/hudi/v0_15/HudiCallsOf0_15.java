package io.hudizorder.hudi.v0_15;

import static org.apache.hudi.common.config.HoodieStorageConfig.PARQUET_WRITE_LEGACY_FORMAT_ENABLED;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.SliceReader;
import io.hudizorder.hudi.v1_0.UntilHudi1_0;
import io.hudizorder.option.ChosenValues;
import org.apache.avro.Schema;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.HoodieJavaRDD;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.sql.HoodieDataTypeUtils;

/** Hudi 0.15. */
public final class HudiCallsOf0_15 extends UntilHudi1_0 {

  @Override
  public FormatCalls format() {
    return new FormatOf0_15();
  }

  @Override
  public void requireWritable(
      HoodieTableMetaClient table, HoodieWriteConfig config, Schema schema) {
    super.requireWritable(table, config, schema);
    GroupExecution.requireRows(config);
  }

  @Override
  public void requireReadable(
      HoodieWriteConfig config, Option<InternalSchema> evolved, HoodieClusteringPlan plan) {
    new ReadableSlices(config, evolved).require(plan);
  }

  @Override
  public HoodieData<WriteStatus> committable(HoodieData<WriteStatus> written) {
    return HoodieJavaRDD.of(new WrittenStatuses(HoodieJavaRDD.getJavaRDD(written)));
  }

  @Override
  public SliceReader sliceReader(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant) {
    return new LogMergingReader(table, config, instant);
  }

  @Override
  public <T> HoodieWriteMetadata<HoodieData<WriteStatus>> cluster(
      HoodieTable<?, ?, ?, ?> table,
      HoodieSparkEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> groups,
      HoodieClusteringPlan plan,
      Schema schema,
      String instant) {
    return GroupExecution.run(engine, config, groups, plan, instant);
  }

  @Override
  public String newInstant(HoodieTableMetaClient table) {
    return HoodieActiveTimeline.createNewInstantTime();
  }

  @Override
  protected void prepareDecimals(HoodieWriteConfig config, Schema schema) {
    if (HoodieDataTypeUtils.hasSmallPrecisionDecimalType(sparkSchema(schema))
        && !ChosenValues.isChosen(config.getProps(), PARQUET_WRITE_LEGACY_FORMAT_ENABLED)) {
      config.setValue(PARQUET_WRITE_LEGACY_FORMAT_ENABLED, "true");
    }
  }
}
