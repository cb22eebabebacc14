package io.hudizorder.read;

import java.io.Serializable;
import java.util.List;

/** A group for one file, whose base files a task reads by itself: what is known before that. */
public final class TaskInput implements Serializable {

  private static final long serialVersionUID = 1L;

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
  private final long rows;
  private final long target;

  TaskInput(List<WholeFile> files, long rows, long target) {
    this.files = files;
    this.rows = rows;
    this.target = target;
  }

  List<WholeFile> files() {
    return files;
  }

  /** The rows of all files by their footers. */
  public long rows() {
    return rows;
  }

  /** Bytes of all files. */
  public long bytes() {
    return files.stream().mapToLong(file -> file.bytes).sum();
  }

  /** The bytes that the file should have. */
  public long target() {
    return target;
  }
}
