package io.hudizorder.plan.slice;

import java.util.stream.Stream;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.table.cdc.HoodieCDCUtils;

/** The log files of a slice but those of change data, which hold no rows of it. */
public final class RowLogs {

  private RowLogs() {}

  public static Stream<HoodieLogFile> of(FileSlice slice) {
    return slice
        .getLogFiles()
        .filter(log -> !log.getSuffix().equals(HoodieCDCUtils.CDC_LOGFILE_SUFFIX));
  }
}
