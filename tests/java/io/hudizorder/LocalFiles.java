package io.hudizorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, to be named in {@code fs.file.impl}, which sets the permissions of a
 * new file by a call to the system.
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
