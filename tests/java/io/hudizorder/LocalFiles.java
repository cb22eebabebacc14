package io.hudizorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Hadoop's local file system, to be named in {@code fs.file.impl}, which sets the permissions of a
 * new file by a call to the system, and has the faults of {@link FaultyFiles}.
 *
 * <p>Hadoop without its native library starts {@code chmod} for every file and folder that it
 * creates.
 */
public final class LocalFiles extends LocalFileSystem {

  public LocalFiles() {
    super(new Raw());
  }

  /** Below the checksums. */
  public static class Raw extends RawLocalFileSystem {

    @Override
    public FSDataInputStream open(Path path, int buffer) throws IOException {
      java.nio.file.Path file = pathToFile(path).toPath();
      FaultyFiles.opening(file);
      return FaultyFiles.opened(file, super.open(path, buffer));
    }

    @Override
    public FSDataOutputStream create(
        Path path,
        boolean overwrite,
        int buffer,
        short replication,
        long block,
        Progressable progress)
        throws IOException {
      FaultyFiles.created(pathToFile(path).toPath());
      return super.create(path, overwrite, buffer, replication, block, progress);
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
      FaultyFiles.created(pathToFile(path).toPath());
      return super.create(path, permission, overwrite, buffer, replication, block, progress);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
      FaultyFiles.deleting(pathToFile(path).toPath());
      return super.delete(path, recursive);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      String symbols =
          permission.getUserAction().SYMBOL
              + permission.getGroupAction().SYMBOL
              + permission.getOtherAction().SYMBOL;
      Files.setPosixFilePermissions(
          pathToFile(path).toPath(), PosixFilePermissions.fromString(symbols));
    }
  }
}
