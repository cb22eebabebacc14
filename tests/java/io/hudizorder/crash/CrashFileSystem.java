package io.hudizorder.crash;

import io.hudizorder.LocalFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Hadoop's local file system, to be named in {@code fs.file.impl}: every call that changes or lists
 * what lies below a folder goes through {@link StorageCalls}, which may have it fail.
 *
 * <p>As with HDFS, a file is there and empty from its creation on, what is written comes into it
 * when its stream is flushed or closed, and no checksums lie beside it.
 */
public final class CrashFileSystem extends LocalFileSystem {

  public CrashFileSystem() {
    super(new Raw());
    setWriteChecksum(false);
  }

  private static final class Raw extends LocalFiles.Raw {

    @Override
    public FSDataOutputStream create(
        Path path,
        boolean overwrite,
        int buffer,
        short replication,
        long block,
        Progressable progress)
        throws IOException {
      StorageCalls.Step<Void> creation =
          () -> {
            super.create(path, overwrite, buffer, replication, block, progress).close();
            return null;
          };
      StorageCalls.change("create", path, creation);
      return new FSDataOutputStream(new Written(pathToFile(path).toPath(), path), null);
    }

    @Override
    public FSDataOutputStream create(
        Path path,
        FsPermission permission,
        boolean overwrite,
        int buffer,
        short replication,
        long block,
        Progressable progress)
        throws IOException {
      return create(path, overwrite, buffer, replication, block, progress);
    }

    @Override
    public FSDataOutputStream createNonRecursive(
        Path path,
        FsPermission permission,
        EnumSet<CreateFlag> flags,
        int buffer,
        short replication,
        long block,
        Progressable progress)
        throws IOException {
      boolean overwrite = flags.contains(CreateFlag.OVERWRITE);
      return create(path, overwrite, buffer, replication, block, progress);
    }

    @Override
    public FSDataOutputStream append(Path path, int buffer, Progressable progress) {
      throw new UnsupportedOperationException("append to " + path);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
      return StorageCalls.rename(from, to, () -> super.rename(from, to));
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
      if (!exists(path)) {
        return false;
      }
      return StorageCalls.change("delete", path, () -> super.delete(path, recursive));
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
      return mkdirs(path, null);
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
      if (exists(path)) {
        return super.mkdirs(path, permission);
      }
      return StorageCalls.change("mkdirs", path, () -> super.mkdirs(path, permission));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      return StorageCalls.list(path, () -> super.listStatus(path));
    }
  }

  /** What is written to a file, kept until it is flushed. */
  private static final class Written extends OutputStream implements Syncable {

    private final java.nio.file.Path file;
    private final Path path;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean closed;

    Written(java.nio.file.Path file, Path path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public void write(int octet) {
      kept.write(octet);
    }

    @Override
    public void write(byte[] octets, int offset, int length) throws IOException {
      boolean full = StorageCalls.isFull(path);
      kept.write(octets, offset, full ? length / 2 : length);
      if (full) {
        throw new IOException("No space left on device: " + path);
      }
    }

    @Override
    public void hflush() throws IOException {
      byte[] content = kept.toByteArray();
      kept.reset();
      if (content.length > 0) {
        StorageCalls.write(
            path,
            content,
            () -> Files.write(file, content, StandardOpenOption.WRITE, StandardOpenOption.APPEND));
      }
    }

    @Override
    public void hsync() throws IOException {
      hflush();
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        hflush();
      }
    }
  }
}
