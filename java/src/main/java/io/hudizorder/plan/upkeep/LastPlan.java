package io.hudizorder.plan.upkeep;

import static io.hudizorder.hudi.Instants.lastClusterings;
import static io.hudizorder.hudi.Instants.timeOf;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.option.OwnOptions;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  /** There is none, nor a limit that it would have been within. */
  static final LastPlan NONE = new LastPlan("", Double.POSITIVE_INFINITY, Set.of(), Set.of());

  /** What the keys begin with by which a plan tells partitions where steps are left out. */
  private static final String LEFT_IN = OwnOptions.PREFIX + "left.in.";

  private final String clustering;
  private final double bytes;
  private final Set<String> limited;
  private final Set<String> unseen;
  private final boolean outdone;

  /**
   * @param clustering its instant; "" for none, and where it is archived
   * @param bytes that it rewrote
   * @param limited the partitions where its limits, or those of plans before, may have left steps
   *     out
   * @param unseen instants of writes that were requested before and completed after
   */
  LastPlan(String clustering, double bytes, Collection<String> limited, Collection<String> unseen) {
    this(clustering, bytes, limited, unseen, false);
  }

  private LastPlan(
      String clustering,
      double bytes,
      Collection<String> limited,
      Collection<String> unseen,
      boolean outdone) {
    this.clustering = clustering;
    this.bytes = bytes;
    this.limited = Set.copyOf(limited);
    this.unseen = Set.copyOf(unseen);
    this.outdone = outdone;
  }

  /**
   * By the timeline of a table; or by its archive, where nobody knows any more which writes had
   * begun then.
   */
  public static LastPlan of(HoodieTableMetaClient table) {
    Optional<Pair<HoodieInstant, HoodieClusteringPlan>> last = lastClusterings(table).findFirst();
    return last.map(found -> of(table, timeOf(found.getLeft()), found.getRight()))
        .or(() -> FormatCalls.here().archivedPlans(table).findFirst().map(LastPlan::archived))
        .orElse(NONE);
  }

  private static LastPlan archived(HoodieClusteringPlan plan) {
    return new LastPlan("", bytes(plan), limited(plan), Set.of());
  }

  private static double bytes(HoodieClusteringPlan plan) {
    return plan.getInputGroups().stream().mapToDouble(PlanLimit::bytes).sum();
  }

  private static LastPlan of(
      HoodieTableMetaClient table, String clustering, HoodieClusteringPlan plan) {
    try {
      Set<String> unseen =
          FormatCalls.here().completedSince(table, clustering).stream()
              .map(instant -> timeOf(instant))
              .filter(time -> time.compareTo(clustering) < 0)
              .collect(Collectors.toSet());
      return new LastPlan(clustering, bytes(plan), limited(plan), unseen);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read when clustering " + clustering + " began", e);
    }
  }

  /** Where steps are left out; where anything is, by a plan that tells of a limit and not where. */
  private static Collection<String> limited(HoodieClusteringPlan plan) {
    Map<String, String> said = Objects.requireNonNullElse(plan.getExtraMetadata(), Map.of());
    Set<String> left =
        said.keySet().stream()
            .filter(key -> key.startsWith(LEFT_IN))
            .map(key -> key.substring(LEFT_IN.length()))
            .collect(Collectors.toSet());
    boolean isLimited =
        FileReason.LIMITS.stream().anyMatch(limit -> said.containsKey(limit.files()));
    return left.isEmpty() && isLimited ? FormatCalls.here().unfinished(plan) : left;
  }

  /** What a plan says that leaves out steps of some partitions. */
  static Map<String, String> leftIn(Stream<String> partitions) {
    return partitions
        .distinct()
        .collect(Collectors.toMap(partition -> LEFT_IN + partition, partition -> "true"));
  }

  /**
   * Has the next plan tell what it does not look at of what this one has left.
   *
   * @param partitions that it does not look at, or in vain
   */
  public void passOn(HoodieClusteringPlan next, Collection<String> partitions) {
    LeftAlone.tell(next, leftIn(partitions.stream().filter(this::hasLeftStepsIn)));
  }

  /**
   * The same for the next plan.
   *
   * @param wantsMore whether it may find something everywhere that none before it wanted
   */
  public LastPlan before(boolean wantsMore) {
    return new LastPlan(clustering, bytes, limited, unseen, wantsMore);
  }

  /** Whether it rewrote no more than a plan may. */
  boolean isWithin(long maxBytes) {
    return bytes <= maxBytes;
  }

  /** Whether there may be steps of a partition that were left out, though nothing is new there. */
  boolean hasLeftStepsIn(String partition) {
    return outdone || limited.contains(partition);
  }

  /**
   * The instant by which to tell whether it has seen what a write has left: later if it has not.
   */
  String seenAs(String commit) {
    return unseen.contains(commit) ? clustering + "." + commit : commit;
  }
}
