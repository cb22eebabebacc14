package io.hudizorder.zcolumn;

import java.util.Set;
import org.apache.hudi.common.config.RecordMergeMode;
import org.apache.hudi.common.model.AWSDmsAvroPayload;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.EventTimeAvroPayload;
import org.apache.hudi.common.model.HoodieAvroPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.table.HoodieTableConfig;

/**
 * How a table merges a record with an older one of its key. Where that combines the columns of
 * both, such as those that were left out, nobody sees the row that comes of it before it is
 * written.
 */
final class RecordMerging {

  /** Payloads that take one of the two records as it is. */
  private static final Set<String> WHOLE =
      Set.of(
          OverwriteWithLatestAvroPayload.class.getName(),
          DefaultHoodieRecordPayload.class.getName(),
          EventTimeAvroPayload.class.getName(),
          AWSDmsAvroPayload.class.getName(),
          HoodieAvroPayload.class.getName());

  private RecordMerging() {}

  static boolean keepsRecordsWhole(HoodieTableConfig table) {
    return table.getRecordMergeMode() != RecordMergeMode.CUSTOM
        && table.getPartialUpdateMode().isEmpty()
        && isWhole(table.getPayloadClass());
  }

  static boolean isWhole(String payload) {
    return payload == null || payload.isEmpty() || WHOLE.contains(payload);
  }
}
