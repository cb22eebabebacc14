package io.hudizorder.plan.upkeep;

import static io.hudizorder.hudi.Instants.lastClusterings;
import static io.hudizorder.hudi.Instants.timeOf;

import io.hudizorder.hudi.FormatCalls;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.collection.Pair;

/**
 * What the plan of the last clustering left to the next: steps that its limits left out, and files
 * of writes that had begun when it was made and ended later. What a plan has weighed and left alone
 * stays left alone; these nobody has weighed, or not in vain.
 */
public final class LastPlan implements Serializable {

  private static final long serialVersionUID = 1L;

  /** There is none on the timeline. */
  static final LastPlan NONE = new LastPlan("", 0, Set.of(), Set.of());

  private final String clustering;
  private final double bytes;
  private final Set<String> limited;
  private final Set<String> unseen;

  /**
   * @param clustering its instant; "" for none
   * @param bytes that it rewrote
   * @param limited the partitions where its limits may have left steps out
   * @param unseen instants of writes that were requested before and completed after
   */
  LastPlan(String clustering, double bytes, Collection<String> limited, Collection<String> unseen) {
    this.clustering = clustering;
    this.bytes = bytes;
    this.limited = Set.copyOf(limited);
    this.unseen = Set.copyOf(unseen);
  }

  /** By the timeline of a table. */
  public static LastPlan of(HoodieTableMetaClient table) {
    Optional<Pair<HoodieInstant, HoodieClusteringPlan>> last = lastClusterings(table).findFirst();
    return last.map(found -> of(table, timeOf(found.getLeft()), found.getRight())).orElse(NONE);
  }

  private static LastPlan of(
      HoodieTableMetaClient table, String clustering, HoodieClusteringPlan plan) {
    try {
      Set<String> unseen =
          FormatCalls.here().completedSince(table, clustering).stream()
              .map(instant -> timeOf(instant))
              .filter(time -> time.compareTo(clustering) < 0)
              .collect(Collectors.toSet());
      double bytes = plan.getInputGroups().stream().mapToDouble(PlanLimit::bytes).sum();
      return new LastPlan(clustering, bytes, limited(plan), unseen);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read when clustering " + clustering + " began", e);
    }
  }

  /** Where it has left something, if it came to a limit. */
  private static List<String> limited(HoodieClusteringPlan plan) {
    Map<String, String> said = plan.getExtraMetadata();
    boolean isLimited =
        said != null
            && (said.containsKey(FileReason.MAX_GROUPS.files())
                || said.containsKey(FileReason.MAX_BYTES_PER_PLAN.files()));
    return isLimited ? FormatCalls.here().unfinished(plan) : List.of();
  }

  /** Whether it rewrote no more than a plan may. */
  boolean isWithin(long maxBytes) {
    return bytes <= maxBytes;
  }

  /** Whether there is one. */
  boolean exists() {
    return !clustering.isEmpty();
  }

  /** Whether its limits may have left out steps of a partition. */
  boolean hasLeftStepsIn(String partition) {
    return limited.contains(partition);
  }

  /**
   * The instant by which to tell whether it has seen what a write has left: later if it has not.
   */
  String seenAs(String commit) {
    return unseen.contains(commit) ? clustering + "." + commit : commit;
  }
}
