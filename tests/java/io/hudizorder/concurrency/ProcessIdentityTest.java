package io.hudizorder.concurrency;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class ProcessIdentityTest {

  @TempDir Path folder;

  @Test
  void thisProcessLives() {
    assertFalse(ProcessIdentity.isDead(identityOfThis()));
  }

  @Test
  void aProcessThatWasKilledIsDead() throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    String identity = ProcessIdentity.of(process.pid());
    assertFalse(ProcessIdentity.isDead(identity));
    process.destroyForcibly().waitFor();
    assertTrue(ProcessIdentity.isDead(identity));
  }

  /** The system keeps it, with its number and its time, until its parent asks. */
  @Test
  @Timeout(60)
  void aProcessThatWasKilledIsDeadBeforeAnybodyAsksForItsEnd() throws Exception {
    Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
    try (BufferedReader told =
        new BufferedReader(
            new InputStreamReader(parent.getInputStream(), StandardCharsets.US_ASCII))) {
      long child = Long.parseLong(told.readLine());
      String identity = ProcessIdentity.of(child);
      assertFalse(ProcessIdentity.isDead(identity));
      Path stat = Path.of("/proc/" + child + "/stat");

      while (!Files.readString(Path.of("/proc/" + parent.pid() + "/stat")).contains("(sleep)")) {
        Thread.onSpinWait(); // a shell would ask
      }
      ProcessHandle.of(child).get().destroyForcibly();
      while (!Files.readString(stat).contains(") Z ")) {
        Thread.onSpinWait();
      }

      assertTrue(ProcessIdentity.isDead(identity));
    } finally {
      parent.destroyForcibly().waitFor();
    }
  }

  @Test
  void aProcessWhoseNumberAnotherOneHasIsDead() {
    String identity = identityOfThis();
    String earlier = identity.substring(0, identity.lastIndexOf(' ')) + " 1";
    assertTrue(ProcessIdentity.isDead(earlier));
  }

  @Test
  void ofAProcessOnAnotherMachineNothingIsKnown() {
    String number = identityOfThis().split(" ", 3)[2];
    assertFalse(ProcessIdentity.isDead("another-boot pid:[1] " + number));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "LockInfo{createTime='2026'}", "1 2 3 4 5"})
  void whatIsNoNameOfAProcessProvesNothing(String words) {
    assertFalse(ProcessIdentity.isDead(words));
  }

  @Test
  void aFileTellsWhoSignedItLast() throws IOException {
    StoragePath file = new StoragePath(folder.resolve("file").toString());
    HoodieStorage storage =
        HoodieStorageUtils.getStorage(file, HadoopFSUtils.getStorageConf(new Configuration()));
    assertFalse(ProcessIdentity.isDead(storage, file), "there is none");
    String identity = identityOfThis();
    String dead = identity.substring(0, identity.lastIndexOf(' ')) + " 1";
    Files.writeString(folder.resolve("file"), dead);
    assertTrue(ProcessIdentity.isDead(storage, file));
    ProcessIdentity.sign(storage, file);
    assertFalse(ProcessIdentity.isDead(storage, file));
  }

  private static String identityOfThis() {
    return ProcessIdentity.of(ProcessHandle.current().pid());
  }
}
