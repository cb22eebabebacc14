package io.hudizorder.plan;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.slice.RunId;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;

/**
 * What a plan says of one group's layout, over what it says of all: kept with the group, so that
 * whoever executes it lays its rows out as planned, and gives its files the ids that a later plan
 * looks for.
 */
public final class GroupLayout implements Serializable {

  private static final long serialVersionUID = 1L;

  private final int layout;
  private final double[] weights;

  private GroupLayout(int layout, double[] weights) {
    this.layout = layout;
    this.weights = weights.clone();
  }

  /** What holds for a group unless something else is said of it. */
  public GroupLayout(LayoutSpec spec, long fileBytes) {
    this(RunId.layout(spec, fileBytes), spec.weights());
  }

  /**
   * @param others of the sort columns, for these rows
   */
  public GroupLayout withWeights(double[] others) {
    return new GroupLayout(layout, others);
  }

  /**
   * What the plan says.
   *
   * @param fileBytes bytes of a file where the plan says nothing, for another strategy has made it
   */
  public static GroupLayout of(HoodieClusteringGroup group, LayoutSpec spec, long fileBytes) {
    Map<String, String> said =
        group.getExtraMetadata() == null ? Collections.emptyMap() : group.getExtraMetadata();
    String layout = said.get(GroupKeys.LAYOUT);
    String weights = said.get(GroupKeys.WEIGHTS);
    return new GroupLayout(
        layout == null ? RunId.layout(spec, fileBytes) : Integer.parseUnsignedInt(layout, 16),
        weights == null
            ? spec.weights()
            : Arrays.stream(weights.split(",")).mapToDouble(Double::parseDouble).toArray());
  }

  /** For {@link HoodieClusteringGroup#setExtraMetadata}. */
  public Map<String, String> toMetadata() {
    Map<String, String> said = new HashMap<>();
    said.put(GroupKeys.LAYOUT, Integer.toHexString(layout));
    said.put(
        GroupKeys.WEIGHTS,
        Arrays.stream(weights).mapToObj(Double::toString).collect(Collectors.joining(",")));
    return said;
  }

  /** The run that the group becomes. */
  public RunId run(HoodieClusteringGroup group, String instant) {
    return RunId.of(layout, instant, group.getSlices().get(0).getFileId());
  }

  /** The layout of all groups, with the weights of this one. */
  public LayoutSpec of(LayoutSpec spec) {
    return spec.withWeights(weights);
  }
}
