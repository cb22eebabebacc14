package io.hudizorder.concurrency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieInstantInfo;
import org.apache.hudi.avro.model.HoodieRollbackPlan;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RollbacksTest {

  private static final String CLUSTERING = "20260101000000002";
  private static final String OTHER = "20260101000000001";
  private static final String OF_CLUSTERING = "20260101000000003";
  private static final String OF_OTHER = "20260101000000004";

  @TempDir Path folder;

  @Test
  void rollbacksOfTheInstantAreSeenAndTheirPlansReadOnce() throws Exception {
    HoodieTableMetaClient table =
        HoodieTableMetaClient.newTableBuilder()
            .setTableType(HoodieTableType.COPY_ON_WRITE)
            .setTableName("t")
            .initTable(HadoopFSUtils.getStorageConf(new Configuration()), folder.toString());
    HoodieInstant first = request(table, OF_CLUSTERING, CLUSTERING);
    request(table, OF_OTHER, OTHER);
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    Rollbacks rollbacks = new Rollbacks(CLUSTERING);

    assertEquals(Set.of(OF_CLUSTERING), rollbacks.seen(now));

    String name = table.getInstantFileNameGenerator().getFileName(first);
    assertTrue(table.getStorage().deleteFile(new StoragePath(table.getTimelinePath(), name)));
    assertEquals(Set.of(OF_CLUSTERING), rollbacks.seen(now));
  }

  private static HoodieInstant request(
      HoodieTableMetaClient table, String rollback, String rolledBack) {
    HoodieInstant requested =
        table.createNewInstant(
            HoodieInstant.State.REQUESTED, HoodieTimeline.ROLLBACK_ACTION, rollback);
    HoodieInstantInfo instant =
        new HoodieInstantInfo(rolledBack, HoodieTimeline.REPLACE_COMMIT_ACTION);
    table
        .getActiveTimeline()
        .saveToRollbackRequested(requested, new HoodieRollbackPlan(instant, List.of(), 1));
    return requested;
  }
}
