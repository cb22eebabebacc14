package io.hudizorder.write;

import static java.util.stream.Collectors.toList;

import io.hudizorder.read.GroupInputs;
import io.hudizorder.spark.expression.RowFingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.HoodieJavaRDD;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.api.java.JavaRDD;

/**
 * Writes groups out, once, and proves before Hudi commits that their rows are the rows read. What
 * Hudi commits is what was proven: nothing that it is given can write again.
 */
public final class VerifiedWrites {

  /** So many statuses take less time than to start a task. */
  private static final int A_TASK = 1_000;

  private static final String REPORT = "Please report this with the log";

  private final HoodieSparkEngineContext engine;
  private final HoodieTable<?, ?, ?, ?> table;
  private final HoodieWriteConfig config;
  private final GroupInputs inputs;
  private final Verify verify;
  private final PhaseTimer phases;
  private final String instant;
  private final Queue<WriteStatus> collected = new ConcurrentLinkedQueue<>();

  public VerifiedWrites(
      HoodieSparkEngineContext engine,
      HoodieTable<?, ?, ?, ?> table,
      GroupInputs inputs,
      Verify verify,
      PhaseTimer phases,
      String instant) {
    this.engine = engine;
    this.table = table;
    this.config = table.getConfig();
    this.inputs = inputs;
    this.verify = verify;
    this.phases = phases;
    this.instant = instant;
  }

  /**
   * Runs the write of one group and checks it as {@code verify} asks.
   *
   * @param statuses the lazy write: computing it twice would write the files twice
   * @param rowsRead how many rows went in, asked after the write
   * @return the group's part of what {@link #statuses} is asked for in the end
   * @throws HoodieClusteringException when rows failed, were lost or were changed
   */
  public HoodieData<WriteStatus> settle(
      FittedGroup group, HoodieData<WriteStatus> statuses, LongSupplier rowsRead) {
    Written written = phases.time("sort and write", () -> write(byTask(statuses)));
    List<HoodieWriteStat> stats = written.files.stream().flatMap(List::stream).collect(toList());
    String partition = group.partitionPath();
    if (verify != Verify.NONE) {
      phases.time(
          "verify", () -> verifyCount(partition, stats, rowsRead.getAsLong(), written.failures));
    }
    if (verify == Verify.CONTENT) {
      phases.time(
          "verify",
          () -> verifyContent(partition, group.input().fingerprint(), fingerprint(stats)));
    }
    return written.rest;
  }

  /** The same of small groups. */
  public HoodieData<WriteStatus> settle(SmallGroups groups) {
    if (groups.size() == 0) {
      return engine.emptyHoodieData();
    }
    Written written = phases.time("small groups", () -> write(groups.write()));
    if (verify != Verify.NONE) {
      for (int g = 0; g < groups.size(); g++) {
        verifyCount(
            groups.partitionPath(g), written.files.get(g), groups.rows(g), written.failures);
      }
    }
    if (verify == Verify.CONTENT) {
      List<Pair<RowFingerprint, RowFingerprint>> both =
          phases.time("verify", () -> groups.fingerprints(written.files));
      for (int g = 0; g < groups.size(); g++) {
        verifyContent(groups.partitionPath(g), both.get(g).getLeft(), both.get(g).getRight());
      }
    }
    return written.rest;
  }

  /** What a write has written, by task or by group, and what is left for Hudi to commit. */
  private static final class Written {
    private final HoodieData<WriteStatus> rest;
    private final List<List<HoodieWriteStat>> files;

    /** Why rows could not be written, asked where some could not. */
    private final Supplier<List<String>> failures;

    Written(
        HoodieData<WriteStatus> rest,
        List<List<HoodieWriteStat>> files,
        Supplier<List<String>> failures) {
      this.rest = rest;
      this.files = files;
      this.failures = failures;
    }
  }

  private static JavaRDD<List<WriteStatus>> byTask(HoodieData<WriteStatus> statuses) {
    // What Spark makes of an array is a view that Kryo does not know.
    return HoodieJavaRDD.getJavaRDD(statuses).glom().map(ArrayList::new);
  }

  private Written write(JavaRDD<List<WriteStatus>> statuses) {
    if (table.shouldTrackSuccessRecords()) {
      HoodieData<List<WriteStatus>> pinned = pinned(HoodieJavaRDD.of(statuses));
      return new Written(
          pinned.flatMap(List::iterator),
          pinned.map(VerifiedWrites::stats).collectAsList(),
          () -> pinned.flatMap(files -> failures(files).iterator()).collectAsList());
    }
    List<List<WriteStatus>> written = statuses.collect();
    written.forEach(collected::addAll);
    return new Written(
        engine.emptyHoodieData(),
        written.stream().map(VerifiedWrites::stats).collect(toList()),
        () -> written.stream().flatMap(files -> failures(files).stream()).collect(toList()));
  }

  private static List<HoodieWriteStat> stats(List<WriteStatus> written) {
    return written.stream().map(WriteStatus::getStat).collect(toList());
  }

  /** Of each file of which rows could not be written, why one of them could not. */
  private static List<String> failures(List<WriteStatus> written) {
    return written.stream()
        .flatMap(status -> status.getErrors().values().stream().limit(1))
        .map(VerifiedWrites::inOneLine)
        .collect(toList());
  }

  private static String inOneLine(Throwable failure) {
    return String.valueOf(failure.getMessage()).replaceAll("\\s+", " ").replaceFirst("\\.? ?$", "");
  }

  /**
   * What was settled of all groups, for Hudi to commit.
   *
   * @param settled the union of what {@link #settle} has returned
   */
  public HoodieData<WriteStatus> statuses(HoodieData<WriteStatus> settled) {
    if (table.shouldTrackSuccessRecords()) {
      return settled;
    }
    // A union takes the lineage of every group along, with a task for each file.
    List<WriteStatus> all = new ArrayList<>(collected);
    return HoodieJavaRDD.of(all, engine, 1 + all.size() / A_TASK);
  }

  /**
   * Writes, and keeps the statuses where they are: they name every record of the table, for an
   * index that asks. A checkpoint has no lineage, so that a block that is lost fails the commit,
   * where Spark would otherwise write its files again; and none of Hudi's RDDs, which hold on to
   * theirs. Of a task that Spark has run twice it may keep both blocks, and read either: they name
   * the same file groups.
   */
  private HoodieData<List<WriteStatus>> pinned(HoodieData<List<WriteStatus>> statuses) {
    HoodieData<List<WriteStatus>> pinned = statuses.map(files -> files);
    pinned.persist(
        config.getString(HoodieWriteConfig.WRITE_STATUS_STORAGE_LEVEL_VALUE),
        engine,
        HoodieData.HoodieDataCacheKey.of(config.getBasePath(), instant));
    HoodieJavaRDD.getJavaRDD(pinned).rdd().localCheckpoint();
    pinned.count();
    return pinned;
  }

  private void verifyCount(
      String partition, List<HoodieWriteStat> stats, long read, Supplier<List<String>> failures) {
    long failed = stats.stream().mapToLong(HoodieWriteStat::getTotalWriteErrors).sum();
    // The row path counts rows that failed among those written, the record path does not.
    if (failed > 0) {
      throw refused(
          partition,
          String.format(
              "%,d of %,d rows could not be written%s",
              failed,
              read,
              failures.get().stream().findFirst().map(why -> ", as of one: " + why).orElse("")));
    }
    long written = stats.stream().mapToLong(HoodieWriteStat::getNumWrites).sum();
    if (written != read) {
      throw refused(
          partition,
          String.format("%,d rows were read and %,d were written. %s", read, written, REPORT));
    }
  }

  private RowFingerprint fingerprint(List<HoodieWriteStat> stats) {
    return stats.isEmpty() ? RowFingerprint.EMPTY : inputs.openWritten(stats).fingerprint();
  }

  private void verifyContent(String partition, RowFingerprint before, RowFingerprint after) {
    if (!before.equals(after)) {
      throw refused(partition, "read " + before + " and wrote " + after + ". " + REPORT);
    }
  }

  private HoodieClusteringException refused(String partition, String difference) {
    return new HoodieClusteringException(
        String.format(
            "Cannot commit clustering %s: in a group of partition '%s' %s. The table is as before;"
                + " the next clustering rolls this attempt back",
            instant, partition, difference));
  }
}
