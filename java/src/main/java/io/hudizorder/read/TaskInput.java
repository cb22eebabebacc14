package io.hudizorder.read;

import io.hudizorder.plan.GroupTarget;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.hudi.common.model.FileSlice;

/** A group for one file, whose slices a task reads by itself: what is known before that. */
public final class TaskInput implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final long UNCOUNTED = -1;

  /** A base file, whole. */
  static final class WholeFile implements Serializable {
    private static final long serialVersionUID = 1L;

    final String path;
    final long bytes;

    WholeFile(String path, long bytes) {
      this.path = path;
      this.bytes = bytes;
    }
  }

  private final List<WholeFile> files;
  private final List<FileSlice> merged;
  private final long rows;
  private final long mostRows;
  private final long bytes;
  private final long target;

  TaskInput(
      List<WholeFile> files,
      List<FileSlice> merged,
      long rows,
      long mostRows,
      long bytes,
      long target) {
    this.files = files;
    this.merged = merged;
    this.rows = rows;
    this.mostRows = mostRows;
    this.bytes = bytes;
    this.target = target;
  }

  static TaskInput of(List<FileSlice> slices, MeasuredSlices measured, GroupTarget target) {
    // By Kryo, which knows no immutable lists.
    List<WholeFile> files = new ArrayList<>();
    List<FileSlice> merged = new ArrayList<>();
    long bytes = 0;
    for (FileSlice slice : slices) {
      long base = measured.baseBytes(slice);
      bytes += base + measured.logBytes(slice);
      if (measured.isReadFast(slice)) {
        files.add(new WholeFile(slice.getBaseFile().get().getPath(), base));
      } else {
        merged.add(slice);
      }
    }
    return new TaskInput(
        files,
        merged,
        measured.areCounted(slices) ? measured.rows(slices) : UNCOUNTED,
        measured.mostRows(slices),
        bytes,
        target.of(1));
  }

  /** The base files that the fast reader reads. */
  List<WholeFile> files() {
    return files;
  }

  /** The other slices, which are for Hudi's. */
  List<FileSlice> merged() {
    return merged;
  }

  /** What reports call the readers that read it. */
  public List<String> readers() {
    List<String> readers = new ArrayList<>();
    if (!files.isEmpty()) {
      readers.add(VectorisedInput.READER);
    }
    if (isMerged()) {
      readers.add(MergingInput.READER);
    }
    return readers;
  }

  /** Whether there are slices for Hudi's reader. */
  public boolean isMerged() {
    return !merged.isEmpty();
  }

  /** Whether footers tell how many rows there are, which logs may add to, or delete. */
  public boolean isCounted() {
    return rows != UNCOUNTED;
  }

  /** The rows by footers, where these tell. */
  public long rows() {
    return rows;
  }

  /** About how many rows there are at most. */
  public long mostRows() {
    return mostRows;
  }

  /** Bytes of all files. */
  public long bytes() {
    return bytes;
  }

  /** The bytes that the file should have. */
  public long target() {
    return target;
  }
}
