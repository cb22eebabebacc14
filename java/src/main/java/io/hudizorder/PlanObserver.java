package io.hudizorder;

import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringGroup;

/** An executor that has a plan made to look at it, and wants to know what it leaves alone. */
interface PlanObserver {

  /**
   * Called once a plan is made, though there be nothing to do.
   *
   * @param notes as {@link io.hudizorder.plan.upkeep.LeftAlone} tells it
   */
  void leftAlone(List<HoodieClusteringGroup> notes);
}
