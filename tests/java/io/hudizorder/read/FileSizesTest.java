package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.apache.hudi.storage.hadoop.HoodieHadoopStorage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileSizesTest {

  private static final int MOST_CALLS = 4;

  private static final AtomicInteger calls = new AtomicInteger();

  @TempDir Path folder;

  private HoodieStorage storage;

  @BeforeEach
  void openStorage() {
    Configuration conf = new Configuration();
    conf.setClass("fs.file.impl", Counted.class, LocalFileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    storage =
        new HoodieHadoopStorage(
            new StoragePath(folder.toString()), new HadoopStorageConfiguration(conf));
    calls.set(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 5, 60})
  void ofManyFilesOfAFolderTakeFewCalls(int files) throws IOException {
    List<StoragePath> paths = new ArrayList<>();
    for (int n = 0; n < files; n++) {
      Path file = Files.write(folder.resolve("log" + n), new byte[n]);
      paths.add(new StoragePath(file.toString()));
    }

    Map<StoragePath, Long> sizes = FileSizes.of(storage, paths);

    assertThat(calls.get()).isLessThanOrEqualTo(MOST_CALLS);
    assertThat(sizes).hasSize(files);
    for (int n = 0; n < files; n++) {
      assertThat(sizes).containsEntry(paths.get(n), (long) n);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10})
  void aFileThatIsNotThereIsNamed(int others) throws IOException {
    List<StoragePath> paths = new ArrayList<>(List.of(new StoragePath(folder + "/gone")));
    for (int n = 0; n < others; n++) {
      paths.add(new StoragePath(Files.createFile(folder.resolve("log" + n)).toString()));
    }

    assertThatThrownBy(() -> FileSizes.of(storage, paths))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("Cannot read the size of '" + folder + "/gone'");
  }

  @Test
  void ofFilesOfTwoFoldersAreThoseOfTheirFolder() throws IOException {
    List<StoragePath> paths = new ArrayList<>();
    for (int n = 0; n < 20; n++) {
      Path file = Files.createDirectories(folder.resolve("p" + n % 2)).resolve("log" + n / 2);
      paths.add(new StoragePath(Files.write(file, new byte[n]).toString()));
    }

    Map<StoragePath, Long> sizes = FileSizes.of(storage, paths);

    assertThat(paths.stream().mapToLong(sizes::get).sum()).isEqualTo(190);
    assertThat(sizes).containsEntry(paths.get(19), 19L).containsEntry(paths.get(18), 18L);
  }

  /** A file system that counts what is asked of a file or a folder. */
  public static final class Counted extends LocalFileSystem {

    @Override
    public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
      calls.incrementAndGet();
      return super.getFileStatus(path);
    }

    @Override
    public FileStatus[] listStatus(org.apache.hadoop.fs.Path path) throws IOException {
      calls.incrementAndGet();
      return super.listStatus(path);
    }
  }
}
