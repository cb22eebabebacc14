package io.hudizorder.plan.slice;

import java.util.List;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * How many bytes a file slice will take as Parquet: its base file, with the file that a bootstrap
 * has left its rows in, and its logs compressed.
 */
public final class SliceSizes {

  private final double logRatio;

  public SliceSizes(HoodieWriteConfig config) {
    this.logRatio =
        config.getDoubleOrDefault(
            HoodieStorageConfig.LOGFILE_TO_PARQUET_COMPRESSION_RATIO_FRACTION);
  }

  public long of(FileSlice slice) {
    long base = slice.getBaseFile().map(SliceSizes::bytes).orElse(0L);
    long logs = RowLogs.of(slice).mapToLong(HoodieLogFile::getFileSize).sum();
    return of(base, logs);
  }

  private static long bytes(HoodieBaseFile file) {
    return file.getFileSize() + file.getBootstrapBaseFile().map(BaseFile::getFileSize).orElse(0L);
  }

  public long of(long baseBytes, long logBytes) {
    return baseBytes + Math.round(logBytes * logRatio);
  }

  public long total(List<FileSlice> slices) {
    return slices.stream().mapToLong(this::of).sum();
  }
}
