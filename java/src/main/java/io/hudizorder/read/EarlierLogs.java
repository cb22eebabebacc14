package io.hudizorder.read;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.plan.slice.RowLogs;
import java.util.List;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.exception.HoodieClusteringException;

/**
 * Log files that Hudi has in a file slice though they are of an earlier one, so that its base file
 * has their rows already. In a table of before version 8 a log has the name of its slice, and Hudi
 * since 1.0 goes by the times of files all the same, in the zone of the process: where the table
 * was copied, or is in another zone, what was changed or deleted since comes back to its readers,
 * and a clustering would make that for good.
 */
final class EarlierLogs {

  private EarlierLogs() {}

  /**
   * @throws HoodieClusteringException when a slice has one
   */
  static void refuse(HoodieTableMetaClient table, List<FileSlice> slices) {
    if (!FormatCalls.here().completesByFileTimes(table)) {
      return;
    }
    slices.stream()
        .flatMap(slice -> RowLogs.of(slice).filter(log -> isBefore(slice, log)))
        .findFirst()
        .ifPresent(
            log -> {
              throw new HoodieClusteringException(
                  String.format(
                      "Cannot cluster: log file '%s' is of an earlier slice of its file group, and"
                          + " Hudi takes it for one of the latest, by the times of the files in"
                          + " .hoodie: rows that were changed or deleted since are back, and would"
                          + " stay. Give these files the times that they had before the table was"
                          + " copied, or cluster in the time zone of its instants",
                      log.getPath()));
            });
  }

  private static boolean isBefore(FileSlice slice, HoodieLogFile log) {
    return slice.getBaseFile().isPresent()
        && FormatCalls.here().time(log).compareTo(slice.getBaseFile().get().getCommitTime()) < 0;
  }
}
