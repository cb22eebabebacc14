package io.hudizorder.plan.slice;

import java.util.List;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.config.HoodieWriteConfig;

/** How many bytes a file slice will take as Parquet: its base file, and its logs compressed. */
public final class SliceSizes {

  private final double logRatio;

  public SliceSizes(HoodieWriteConfig config) {
    this.logRatio =
        config.getDoubleOrDefault(
            HoodieStorageConfig.LOGFILE_TO_PARQUET_COMPRESSION_RATIO_FRACTION);
  }

  public long of(FileSlice slice) {
    long base = slice.getBaseFile().map(file -> file.getFileSize()).orElse(0L);
    long logs = slice.getLogFiles().mapToLong(HoodieLogFile::getFileSize).sum();
    return of(base, logs);
  }

  public long of(long baseBytes, long logBytes) {
    return baseBytes + Math.round(logBytes * logRatio);
  }

  public long total(List<FileSlice> slices) {
    return slices.stream().mapToLong(this::of).sum();
  }
}
