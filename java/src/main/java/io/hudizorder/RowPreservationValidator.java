package io.hudizorder;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.verify.ClusteringProof;
import java.util.List;
import java.util.Set;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.validator.SparkPreCommitValidator;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Lets no clustering be committed, whichever strategy executed it, that has other rows than the
 * file slices it replaces; the class to name in {@code hoodie.precommit.validators}. Other commits
 * change rows, and pass.
 *
 * <p>Both sides are read once more, as queries read them, by Hudi's own reader: this proves the
 * fast reader too, which {@code verify=content} takes on trust, and costs about twice as much.
 */
public final class RowPreservationValidator<T, I, K, O extends HoodieData<WriteStatus>>
    extends SparkPreCommitValidator<T, I, K, O> {

  private String instant;
  private List<HoodieWriteStat> written;

  /** Called by Hudi, by name, for one commit. */
  public RowPreservationValidator(
      HoodieSparkTable<T> table, HoodieEngineContext engine, HoodieWriteConfig config) {
    super(table, engine, config);
  }

  @Override
  public void validate(
      String instant, HoodieWriteMetadata<O> result, Dataset<Row> before, Dataset<Row> after) {
    this.instant = instant;
    this.written = result.getWriteStats().get();
    super.validate(instant, result, before, after);
  }

  /**
   * Validates.
   *
   * @param before unused, as is {@code after}: these are rows of base files alone
   * @throws HoodieClusteringException when rows differ; of a {@code HoodieValidationException} Hudi
   *     would log the message, and tell its caller that some validation failed
   */
  @Override
  protected void validateRecordsBeforeAndAfter(
      Dataset<Row> before, Dataset<Row> after, Set<String> partitions) {
    HoodieTableMetaClient table = getHoodieTable().getMetaClient();
    Option<HoodieClusteringPlan> plan =
        FormatCalls.here()
            .inflightClustering(table, instant)
            .flatMap(inflight -> ClusteringUtils.getClusteringPlan(table, inflight))
            .map(Pair::getRight);
    if (!plan.isPresent()) {
      return;
    }
    ClusteringProof proof =
        ClusteringProof.of(
            getHoodieTable(), getEngineContext(), getWriteConfig(), plan.get(), written, instant);
    if (!proof.holds()) {
      throw new HoodieClusteringException(
          String.format(
              "Cannot commit clustering %s: %s. The table is as before; if the plan is still"
                  + " pending, execute it by another strategy, or cancel it",
              instant, proof));
    }
  }
}
