package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeartbeatTest {

  private static final String INSTANT = "20260101000000001";
  private static final int INTERVAL_MS = 20;
  private static final int PATIENCE_MS = 10_000;

  /** More beats than a commit has. */
  private static final int MANY = 40;

  private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

  @TempDir Path folder;
  private Path file;
  private Heartbeat heart;

  @BeforeEach
  void setUp() {
    file = folder.resolve(".hoodie/.heartbeat").resolve(INSTANT);
    heart = newHeart();
  }

  @AfterEach
  void stop() {
    heart.stop();
  }

  private Heartbeat newHeart() {
    return newHeart(INTERVAL_MS, 500);
  }

  private HoodieStorage storage() {
    return storage(new Configuration());
  }

  private HoodieStorage storage(Configuration files) {
    return HoodieStorageUtils.getStorage(folder.toString(), HadoopFSUtils.getStorageConf(files));
  }

  private Heartbeat newHeart(int intervalMs, int misses) {
    return newHeart(new Configuration(), intervalMs, misses);
  }

  private Heartbeat newHeart(Configuration files, int intervalMs, int misses) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath(folder.toString())
            .withHeartbeatIntervalInMs(intervalMs)
            .withHeartbeatTolerableMisses(misses)
            .build();
    return new Heartbeat(storage(files), config, INSTANT);
  }

  /** Whether it beats once more within some milliseconds. */
  private boolean beatsWithin(int milliseconds) throws Exception {
    Files.setLastModifiedTime(file, LONG_AGO);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    while (Files.getLastModifiedTime(file).equals(LONG_AGO)) {
      if (System.nanoTime() > end) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return true;
  }

  @Test
  void itBeatsAsOftenAsOthersExpectWhereLessIsAskedFor() {
    assertThat(Heartbeat.cappedMs(INTERVAL_MS)).isEqualTo(INTERVAL_MS);
    assertThat(Heartbeat.cappedMs(2 * Heartbeat.OF_WRITERS_MS)).isEqualTo(Heartbeat.OF_WRITERS_MS);
  }

  @Test
  void itIsShownWhileItBeatsAndNoLonger() throws Exception {
    assertThat(newHeart().isShown()).isFalse();
    assertThat(heart.start()).isTrue();
    assertThat(beatsWithin(PATIENCE_MS)).isTrue();
    assertThat(newHeart().isShown()).isTrue();

    heart.stop();

    assertThat(beatsWithin(10 * INTERVAL_MS)).isFalse();
    assertThat(newHeart().isShown()).isFalse();
  }

  /** Another may have the settings of this one, but beat more seldom than this one does. */
  @Test
  void itIsShownForAsLongAsItsSettingsSayHoweverOftenThisOneBeats() throws Exception {
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(300)));

    assertThat(newHeart(110_000, 2).isShown()).isTrue();
    assertThat(newHeart(90_000, 2).isShown()).isFalse();
  }

  @EnabledOnOs(OS.LINUX)
  @Test
  void thatOfADeadProcessIsNotShownHoweverYoungAndIsReplaced() throws Exception {
    Process process = new ProcessBuilder("sleep", "100").start();
    String identity = ProcessIdentity.of(process.pid());
    process.destroyForcibly().waitFor();
    Files.createDirectories(file.getParent());
    Files.writeString(file, identity);

    assertThat(heart.isShown()).isFalse();
    assertThat(heart.start()).isTrue();
    assertThat(file).hasContent(ProcessIdentity.ofThis());
  }

  @EnabledOnOs(OS.LINUX)
  @Test
  void thatOfHudisOwnClientNamesNoProcess() throws Exception {
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    assertThat(heart.isShownByHudi()).isTrue();

    Files.setLastModifiedTime(file, LONG_AGO);

    assertThat(heart.isShownByHudi()).isFalse();
    assertThat(heart.start()).isTrue();
    heart.stop(); // and writes no more, while it is read
    assertThat(newHeart().isShown()).isTrue();
    assertThat(newHeart().isShownByHudi()).isFalse();
  }

  @Test
  void ofTwoWhoHaveFoundTheSameSignDeadOneTakesIt() throws Exception {
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    Files.setLastModifiedTime(file, LONG_AGO);
    Heartbeat other = newHeart();
    assertThat(heart.isShown()).isFalse();
    assertThat(other.isShown()).isFalse();

    assertThat(heart.start()).isTrue();
    assertThat(other.start()).isFalse();
  }

  /** That has taken it for dead within the same moment. */
  @Test
  void theSignOfAnotherProcessIsNeitherWrittenOverNorTakenAway() throws Exception {
    heart = newHeart(PATIENCE_MS, 2);
    heart.start();
    assertThat(heart.isLost()).isFalse();
    Files.writeString(file, "another process");
    Files.delete(folder.resolve(".hoodie/.heartbeat/." + INSTANT + ".crc"));

    heart.commitBegins();
    heart.abandon();
    heart.remove();

    assertThat(heart.isLost()).isTrue();
    assertThat(file).hasContent("another process");
    assertThat(newHeart().isShown()).isTrue();
  }

  /** By somebody who knows that the execution has ended, such as a repair. */
  @Test
  void whatSomebodyHasRemovedDoesNotComeBack() throws Exception {
    heart.start();
    Files.delete(file);
    TimeUnit.MILLISECONDS.sleep(10 * INTERVAL_MS);

    assertThat(file).doesNotExist();
  }

  @Test
  void oneThatIsAbandonedIsDeadAtOnce() throws IOException {
    heart.start();
    heart.abandon();

    assertThat(file).exists();
    assertThat(newHeart().isShown()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPlanThatIsGivenUpIsThatOfSomebodyDeadWhetherItsExecutionHadBegunOrNot(boolean begun)
      throws IOException {
    Heartbeat heart = newHeart();
    if (begun) {
      heart.start();
      heart.stop();
    }
    Heartbeat.abandon(storage(), new StoragePath(folder.toString()), INSTANT);

    assertThat(file).hasContent(ProcessIdentity.ofThis());
    assertThat(newHeart().isShown()).isFalse();
  }

  @Test
  void oneThatIsRemovedLeavesNothing() throws Exception {
    heart.start();
    heart.remove();
    TimeUnit.MILLISECONDS.sleep(10 * INTERVAL_MS);

    assertThat(file).doesNotExist();
  }

  /**
   * Files that nobody deletes any more once they have content, of which no times of access are
   * kept, as an HDFS can be told.
   */
  public static final class Undeletable extends LocalFileSystem {

    @Override
    public void setTimes(org.apache.hadoop.fs.Path file, long modified, long accessed)
        throws IOException {
      if (accessed != -1) {
        throw new IOException("Access time is not supported");
      }
      super.setTimes(file, modified, accessed);
    }

    @Override
    public boolean delete(org.apache.hadoop.fs.Path file, boolean recursive) throws IOException {
      if (exists(file)) {
        throw new IOException("may not be deleted");
      }
      return super.delete(file, recursive);
    }
  }

  /** Or else others would wait for it for minutes. */
  @Test
  void oneThatCannotBeRemovedIsAsOfSomebodyDead() {
    Configuration files = new Configuration();
    files.set("fs.file.impl", Undeletable.class.getName());
    files.setBoolean("fs.file.impl.disable.cache", true);
    heart = newHeart(files, INTERVAL_MS, 500);
    heart.start();

    heart.remove();

    assertThat(file).exists();
    assertThat(newHeart().isShown()).isFalse();
  }

  /** Where Hudi fails, nobody is told: its thread goes on with something else. */
  @Test
  void oneOfACommitThatNobodyMakesAnyMoreEndsByItself() throws Exception {
    heart.start();
    heart.commitBegins();

    int beats = 0;
    while (beats < MANY && beatsWithin(20 * INTERVAL_MS)) {
      beats++;
    }

    assertThat(beats).isLessThan(MANY);
  }

  /** By the name of Hudi's class and method that commit. */
  private static final class TableServiceClient {

    static void cluster(Callable<Void> commit) throws Exception {
      commit.call();
    }
  }

  /** Such as by a validator, which fails before anything that would tell of it. */
  @Test
  void oneOfACommitThatHudiHasGivenUpIsAbandonedAtOnce() throws Exception {
    heart.start();
    TableServiceClient.cluster(
        () -> {
          heart.commitBegins();
          for (int beat = 0; beat < MANY; beat++) {
            assertThat(beatsWithin(PATIENCE_MS)).isTrue();
          }
          return null;
        });

    TimeUnit.MILLISECONDS.sleep(20 * INTERVAL_MS);

    assertThat(newHeart().isShown()).isFalse();
  }

  @Test
  void oneWhoseCommitHasEndedGoesOnForTheLastLook() throws Exception {
    heart.start();
    heart.commitBegins();
    heart.commitEnded();

    for (int beat = 0; beat < MANY; beat++) {
      assertThat(beatsWithin(PATIENCE_MS)).isTrue();
    }
  }
}
