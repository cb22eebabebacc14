package io.hudizorder.hudi.v1_2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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

  /** So many replacements are looked at: overwrites, of which there may be any number, are, too. */
  private static final int MOST = 20;

  private final HoodieTableMetaClient table;

  ArchivedPlans(HoodieTableMetaClient table) {
    this.table = table;
  }

  /** Those of the latest replacements, the latest first; read one by one, as far as asked for. */
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
    return times.stream().limit(MOST).map(this::plan).flatMap(Optional::stream);
  }

  private Optional<HoodieClusteringPlan> plan(String time) {
    // Before 1.1 Hudi passes over files that a range of both ends lies within.
    List<byte[]> found = Collections.synchronizedList(new ArrayList<>());
    new ArchivedTimelineLoaderV2()
        .loadInstants(
            table,
            new StartTsFilter(time),
            LoadMode.PLAN,
            ArchivedPlans::isReplacement,
            (same, instant) -> {
              ByteBuffer plan = (ByteBuffer) instant.get("plan");
              if (same.equals(time) && plan != null && plan.hasRemaining()) {
                found.add(plan.array());
              }
            });
    return found.stream().findFirst().flatMap(content -> plan(time, content));
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
