package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TimeZone;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuietTimelineTest {

  private static final TimeZone HERE = TimeZone.getDefault();

  @TempDir Path folder;

  @BeforeEach
  void goToBerlin() {
    TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
  }

  @AfterEach
  void goBack() {
    TimeZone.setDefault(HERE);
  }

  /** One of the hour by which clocks go back may be earlier than what was committed before it. */
  @ParameterizedTest
  @CsvSource({
    "20261025005000000, true",
    "20261025001005000, false",
    "20261025025000000, false",
    "20261025035000000, true"
  })
  void aTimelineIsQuietWhereAllHasEndedWellBefore(String clustering, boolean quiet)
      throws IOException {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    Files.createFile(folder.resolve(".hoodie/timeline/20261025000900000_20261025001000000.commit"));

    assertThat(QuietTimeline.since(HoodieTableMetaClient.reload(table), clustering))
        .isEqualTo(quiet);
  }
}
