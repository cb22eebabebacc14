package io.hudizorder;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;

/**
 * The groups of a plan as it is foretold what queries read of them: of those of several files the
 * largest are sampled, and stand for the others; of those of one file nothing has to be sampled.
 */
final class ForetoldGroups {

  private final List<HoodieClusteringGroup> sampled;
  private final List<HoodieClusteringGroup> whole;
  private final double files;

  private ForetoldGroups(
      List<HoodieClusteringGroup> sampled, List<HoodieClusteringGroup> whole, double files) {
    this.sampled = sampled;
    this.whole = whole;
    this.files = files;
  }

  /**
   * @param groups of one partition each
   * @param most how many are sampled at most
   */
  static ForetoldGroups of(List<HoodieClusteringGroup> groups, int most) {
    Map<Boolean, List<HoodieClusteringGroup>> bySize =
        groups.stream()
            .sorted(Comparator.comparing(HoodieClusteringGroup::getNumOutputFileGroups).reversed())
            .collect(Collectors.partitioningBy(group -> group.getNumOutputFileGroups() > 1));
    List<HoodieClusteringGroup> several = bySize.get(true);
    return new ForetoldGroups(
        several.stream().limit(most).collect(Collectors.toList()),
        bySize.get(false),
        files(several));
  }

  private static double files(List<HoodieClusteringGroup> groups) {
    return groups.stream().mapToInt(HoodieClusteringGroup::getNumOutputFileGroups).sum();
  }

  List<HoodieClusteringGroup> sampled() {
    return sampled;
  }

  /** Those of one file. */
  List<HoodieClusteringGroup> whole() {
    return whole;
  }

  /** For how many times its own files each of the sampled ones stands. */
  double eachStandsFor() {
    return files / files(sampled);
  }
}
