package io.hudizorder.hudi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class ObjectSizesTest {

  @Test
  void nobodyLooksIntoTheJvmUnlessSomebodyHasChosenSo() {
    Properties system = new Properties();
    system.setProperty("jol.skipDynamicAttach", "false");

    ObjectSizes.reckon(system);

    assertThat(system)
        .containsEntry("jol.skipHotspotSAAttach", "true")
        .containsEntry("jol.skipDynamicAttach", "false")
        .containsEntry("jol.skipInstallAttach", "true");
  }
}
