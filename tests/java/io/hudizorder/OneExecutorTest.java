package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.concurrency.PlanInUseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class OneExecutorTest extends HudiTables {

  @Test
  void aPlanIsRefusedToWhoComesWhileAnotherProcessExecutesIt() throws IOException {
    HudiTable table = table(600, 2);
    String instant = table.schedule("a");
    Path heartbeat = folder.resolve("t/.hoodie/.heartbeat").resolve(instant);
    Files.createDirectories(heartbeat.getParent());
    Files.createFile(heartbeat); // as any writer of Hudi's shows that it is alive

    assertThatThrownBy(() -> table.execute(instant, Map.of()))
        .isInstanceOf(PlanInUseException.class);

    assertThat(heartbeat).exists();
    assertThat(table.filesOf(instant)).isEmpty();

    Files.delete(heartbeat);
    table.execute(instant, Map.of());

    assertThat(table.filesOf(instant)).isNotEmpty();
    assertThat(heartbeat).doesNotExist();
  }
}
