package io.hudizorder.hudi.v1_2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieArchivedTimeline.LoadMode;
import org.apache.hudi.common.table.timeline.HoodieArchivedTimeline.StartTsFilter;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.timeline.versioning.TimelineLayoutVersion;
import org.apache.hudi.common.table.timeline.versioning.v2.ArchivedTimelineLoaderV2;

/** The plans of clusterings in the archive of a timeline, as Hudi has it since 1.0. */
final class ArchivedPlans {

  private final HoodieTableMetaClient table;

  ArchivedPlans(HoodieTableMetaClient table) {
    this.table = table;
  }

  /** Those of the latest replacements, the latest first; read as far as asked for. */
  Stream<HoodieClusteringPlan> newestFirst() {
    if (!TimelineLayoutVersion.LAYOUT_VERSION_2.equals(table.getTimelineLayoutVersion())) {
      return Stream.empty();
    }
    List<String> times = Collections.synchronizedList(new ArrayList<>());
    new ArchivedTimelineLoaderV2()
        .loadInstants(
            table,
            null,
            LoadMode.ACTION,
            ArchivedPlans::isReplacement,
            (time, instant) -> times.add(time));
    times.sort(Comparator.reverseOrder());
    // Twice as many each time, for of overwrites, which have no plan, there may be any number.
    return Stream.iterate(0, from -> from < times.size(), from -> 2 * from + 1)
        .map(from -> times.subList(from, Math.min(2 * from + 1, times.size())))
        .flatMap(this::plans);
  }

  /**
   * Those of some replacements.
   *
   * @param times of these, the latest first
   */
  private Stream<HoodieClusteringPlan> plans(List<String> times) {
    Map<String, byte[]> found = new ConcurrentHashMap<>();
    Set<String> wanted = new HashSet<>(times);
    // Before 1.1 Hudi passes over files that a range of both ends lies within.
    new ArchivedTimelineLoaderV2()
        .loadInstants(
            table,
            new StartTsFilter(times.get(times.size() - 1)),
            LoadMode.PLAN,
            ArchivedPlans::isReplacement,
            (time, instant) -> {
              ByteBuffer plan = (ByteBuffer) instant.get("plan");
              // Of an overwrite it is what that was about to write.
              if (wanted.contains(time)
                  && plan != null
                  && plan.hasRemaining()
                  && plan(time, plan.array()).isPresent()) {
                found.put(time, plan.array());
              }
            });
    return times.stream()
        .filter(found::containsKey)
        .map(time -> plan(time, found.get(time)))
        .flatMap(Optional::stream);
  }

  private static boolean isReplacement(GenericRecord instant) {
    return instant.get("action").toString().equals(HoodieTimeline.REPLACE_COMMIT_ACTION);
  }

  /** None of an overwrite. */
  private static Optional<HoodieClusteringPlan> plan(String time, byte[] content) {
    try (DataFileReader<HoodieRequestedReplaceMetadata> reader =
        new DataFileReader<>(
            new SeekableByteArrayInput(content),
            new SpecificDatumReader<>(HoodieRequestedReplaceMetadata.class))) {
      return reader.hasNext()
          ? Optional.ofNullable(reader.next().getClusteringPlan())
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the archived plan of '" + time + "'", e);
    }
  }
}
