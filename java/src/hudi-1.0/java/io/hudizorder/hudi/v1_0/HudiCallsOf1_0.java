package io.hudizorder.hudi.v1_0;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.SliceReader;
import io.hudizorder.hudi.v1_2.FormatOf1;
import org.apache.avro.Schema;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.sql.HoodieDataTypeUtils;

/** Hudi 1.0. */
public final class HudiCallsOf1_0 extends UntilHudi1_0 {

  @Override
  public FormatCalls format() {
    return new FormatOf1();
  }

  @Override
  public void requireWritable(
      HoodieTableMetaClient table, HoodieWriteConfig config, Schema schema) {
    super.requireWritable(table, config, schema);
    GroupExecution.requireRows(table, config, schema);
  }

  @Override
  public SliceReader sliceReader(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant) {
    return new FileGroupSliceReader(engine, table, config, instant);
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
    return new GroupExecution<>(table, engine, config, groups)
        .performClustering(plan, schema, instant);
  }

  @Override
  public String newInstant(HoodieTableMetaClient table) {
    return table.createNewInstantTime(false);
  }

  @Override
  protected void prepareDecimals(HoodieWriteConfig config, Schema schema) {
    HoodieDataTypeUtils.tryOverrideParquetWriteLegacyFormatProperty(config.getProps(), schema);
  }
}
