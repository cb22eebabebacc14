package io.hudizorder.plan.slice;

import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.internal.schema.InternalSchema;

/** Whether a name means in a base file the column that it means now. */
public final class LatestSchema {

  private LatestSchema() {}

  /**
   * Whether a slice's base file was written since the table's last evolution by schema on read.
   *
   * @param evolved what the table was evolved to, if it was
   */
  public static boolean isOf(FileSlice slice, Option<InternalSchema> evolved) {
    if (evolved.isEmpty()) {
      return true;
    }
    long since = evolved.get().schemaId();
    // As Hudi's InternalSchemaCache finds the schema of a file.
    return since > 0 && Long.parseLong(slice.getBaseInstantTime()) >= since;
  }
}
