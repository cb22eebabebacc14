package io.hudizorder.hudi;

import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieRecord;

/** Lays out and writes one group; called by Hudi's strategy on threads of its own. */
public interface GroupWriter<T> {

  /** The row path, the default: reads the group itself. */
  HoodieData<WriteStatus> writeRows(
      HoodieClusteringGroup group, boolean preserveMetadata, String instant);

  /**
   * The record path, {@code hoodie.datasource.write.row.writer.enable=false}.
   *
   * @param records of the group, as Hudi has read them
   * @param fileGroups that they are of: Hudi passes no group along
   */
  HoodieData<WriteStatus> writeRecords(
      List<HoodieFileGroupId> fileGroups,
      HoodieData<HoodieRecord<T>> records,
      int files,
      boolean preserveMetadata,
      String instant);
}
