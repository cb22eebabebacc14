package io.hudizorder.hudi.v1_2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.timeline.LSMTimeline;
import org.apache.hudi.common.table.timeline.versioning.TimelineLayoutVersion;
import org.apache.hudi.storage.StoragePath;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.io.api.Binary;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plans of clusterings in the archive of a timeline, as Hudi has it since 1.0: Parquet files,
 * each of instants that follow one another. Hudi's own loader reads all of them, or a range of time
 * from its beginning; of these no more is read than is asked for, the newest file first.
 */
final class ArchivedPlans {

  private static final Logger LOG = LoggerFactory.getLogger(ArchivedPlans.class);

  /**
   * How many bytes of replacements are read at most before older files are not looked at. An
   * overwrite tells each file that it writes where a clustering has its plan: of a table that is
   * overwritten every hour each plan and each bulk insert would read the more the older it gets.
   */
  private static final long MOST_BYTES = 64L << 20;

  private static final String TIME = "instantTime";
  private static final String ACTION = "action";
  private static final String PLAN = "plan";
  private static final String READ =
      String.format(
          "message instant { optional binary %s (UTF8); optional binary %s (UTF8);"
              + " optional binary %s; }",
          TIME, ACTION, PLAN);

  private final HoodieTableMetaClient table;
  private final long mostBytes;
  private long bytes;

  ArchivedPlans(HoodieTableMetaClient table) {
    this(table, MOST_BYTES);
  }

  ArchivedPlans(HoodieTableMetaClient table, long mostBytes) {
    this.table = table;
    this.mostBytes = mostBytes;
  }

  /**
   * Those of the latest replacements, the latest first; read as far as asked for, once.
   *
   * @throws UncheckedIOException where the archive cannot be read
   */
  Stream<HoodieClusteringPlan> newestFirst() {
    if (!TimelineLayoutVersion.LAYOUT_VERSION_2.equals(table.getTimelineLayoutVersion())) {
      return Stream.empty();
    }
    List<String> files = new ArrayList<>(files());
    files.sort(Comparator.comparing(LSMTimeline::getMaxInstantTime).reversed());
    return files.stream()
        .takeWhile(file -> bytes < mostBytes)
        .flatMap(file -> plans(new StoragePath(table.getArchivePath(), file)).stream());
  }

  private List<String> files() {
    try {
      return LSMTimeline.latestSnapshotManifest(table, table.getArchivePath()).getFileNames();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list the archive of '" + table.getBasePath() + "'", e);
    }
  }

  /** Those of a file, the latest first. */
  private Collection<HoodieClusteringPlan> plans(StoragePath file) {
    Map<String, HoodieClusteringPlan> found = new TreeMap<>(Comparator.reverseOrder());
    Configuration conf = table.getStorageConf().unwrapCopyAs(Configuration.class);
    conf.set(ReadSupport.PARQUET_READ_SCHEMA, READ);
    // Row groups and pages without a replacement are not read.
    FilterCompat.Filter replacements =
        FilterCompat.get(
            FilterApi.eq(
                FilterApi.binaryColumn(ACTION),
                Binary.fromString(HoodieTimeline.REPLACE_COMMIT_ACTION)));
    try (ParquetReader<Group> reader =
        ParquetReader.builder(new GroupReadSupport(), new Path(file.toUri()))
            .withConf(conf)
            .withFilter(replacements)
            .build()) {
      for (Group instant = reader.read(); instant != null; instant = reader.read()) {
        if (instant.getFieldRepetitionCount(PLAN) > 0) {
          byte[] content = instant.getBinary(PLAN, 0).getBytes();
          String time = instant.getString(TIME, 0);
          bytes += content.length;
          plan(time, content).ifPresent(plan -> found.put(time, plan));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the archived instants in '" + file + "'", e);
    }
    return found.values();
  }

  /** None of an overwrite, of which it is what that was about to write. */
  private Optional<HoodieClusteringPlan> plan(String time, byte[] content) {
    byte[] magic = DataFileConstants.MAGIC;
    if (!Arrays.equals(magic, Arrays.copyOf(content, magic.length))) {
      // JSON of Hudi before 1.0, which an upgrade leaves as it is.
      return Optional.empty();
    }
    try (DataFileReader<HoodieRequestedReplaceMetadata> reader =
        new DataFileReader<>(
            new SeekableByteArrayInput(content),
            new SpecificDatumReader<>(HoodieRequestedReplaceMetadata.class))) {
      // By its schema: what lists the files of a write takes long to be read.
      return reader.getSchema().getField("clusteringPlan") != null && reader.hasNext()
          ? Optional.ofNullable(reader.next().getClusteringPlan())
          : Optional.empty();
    } catch (IOException | AvroRuntimeException e) {
      // Nobody can mend it, and a layout that is not known costs a rewrite at most.
      LOG.warn("Passing over the damaged plan of '{}' in the archive", time, e);
      return Optional.empty();
    }
  }
}
