package io.hudizorder.plan.upkeep;

import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.slice.SliceSizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;

/** What a plan takes of the file slices of a partition, and why each is taken or left alone. */
public final class PartitionChoice {

  private final List<UpkeepStep> steps;
  private final Map<String, FileReason> reasons;
  private final Optional<PartitionReading> reading;

  /** The numbers of the partition. */
  private final Map<String, Double> metrics = new HashMap<>();

  PartitionChoice(
      List<UpkeepStep> steps, Map<String, FileReason> reasons, Optional<PartitionReading> reading) {
    this.steps = new ArrayList<>(steps);
    this.reasons = new HashMap<>(reasons);
    this.reading = reading;
    reading.ifPresent(
        partition -> {
          metrics.put(GroupKeys.READ_IN_ALL, partition.bytesRead());
          metrics.put(GroupKeys.READ_AS_ONE, partition.bytesReadAsOne());
          metrics.put(GroupKeys.BYTES_IN_ALL, (double) partition.bytes());
        });
  }

  /** All slices have one reason in common, and nobody has looked at what is read of them. */
  public static PartitionChoice all(List<FileSlice> slices, FileReason reason) {
    return new PartitionChoice(Collections.emptyList(), same(slices, reason), Optional.empty());
  }

  static Map<String, FileReason> same(List<FileSlice> slices, FileReason reason) {
    return slices.stream().collect(Collectors.toMap(FileSlice::getFileId, slice -> reason));
  }

  /** Sets of slices that are worth laying out together. */
  public List<UpkeepStep> steps() {
    return Collections.unmodifiableList(steps);
  }

  /** Whether more was to be done than a plan may rewrite. */
  public boolean isPartial() {
    return steps.stream().anyMatch(UpkeepStep::isPartial);
  }

  /** Why a slice is taken, or left alone; null for one that there was no choice of. */
  FileReason reason(FileSlice slice) {
    return reasons.get(slice.getFileId());
  }

  /** The numbers that a plan keeps with a group of slices: why they are taken, what it gains. */
  public Map<String, Double> metrics(List<FileSlice> group, SliceSizes sizes) {
    Map<String, Double> numbers = counts(group, this::reason, sizes);
    numbers.putAll(metrics);
    reading.ifPresent(
        partition -> {
          var fileIds = group.stream().map(FileSlice::getFileId).collect(Collectors.toSet());
          numbers.put(GroupKeys.READ_NOW, partition.bytesRead(fileIds));
          numbers.put(GroupKeys.READ_AFTER, partition.bytesReadLaidOut(fileIds));
        });
    return numbers;
  }

  /** The numbers of the partition. */
  Map<String, Double> metrics() {
    return Collections.unmodifiableMap(metrics);
  }

  /** How many slices there are for each reason, and of how many bytes. */
  static Map<String, Double> counts(
      List<FileSlice> slices, Function<FileSlice, FileReason> reasons, SliceSizes sizes) {
    Map<String, Double> counts = new HashMap<>();
    for (FileSlice slice : slices) {
      FileReason reason = reasons.apply(slice);
      counts.merge(reason.files(), 1.0, Double::sum);
      counts.merge(reason.bytes(), (double) sizes.of(slice), Double::sum);
    }
    return counts;
  }
}
