package io.hudizorder;

import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.option.OwnOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import scala.collection.JavaConverters;

/**
 * A clustering whose reader or writer is broken is refused by the proof that can know, and leaves
 * the table as it was.
 *
 * <p>What each proof sees, on every way of a group's rows:
 *
 * <pre>
 *                                     count   content   validator
 *   row dropped, row doubled: read    yes*    yes       yes
 *   the same by the writer            no      yes       yes
 *   one dropped and another doubled   no      yes       yes
 *   value changed, null for a value   no      yes       yes
 *   values of two columns swapped     no      yes       yes
 *   written file appears late         no      yes       yes
 * </pre>
 *
 * <p>* Not where the reader is Hudi's, on the record path: nobody else has counted its rows.
 */
@Timeout(300)
class ProofsTest extends HudiTables {

  private static final int ROWS = 600;
  private static final String VALIDATORS = "hoodie.precommit.validators";

  /** Who is broken. */
  enum Broken {
    /** Once: who reads the same rows again reads them right. */
    READER,
    WRITER
  }

  enum Proof {
    /** The default, and behind it the validator, which refuses what a count cannot see. */
    COUNT(Map.of(OwnOptions.VERIFY.key(), "count", VALIDATORS, validator())),
    /** Which counts first. */
    CONTENT(Map.of(OwnOptions.VERIFY.key(), "content")),
    VALIDATOR(Map.of(OwnOptions.VERIFY.key(), "none", VALIDATORS, validator()));

    private final Map<String, String> settings;

    Proof(Map<String, String> settings) {
      this.settings = settings;
    }

    private static String validator() {
      return RowPreservationValidator.class.getName();
    }
  }

  @TempDir private static Path tables;

  private static final Map<List<Object>, Planned> PLANNED = new HashMap<>();

  /** A table with a plan, which a refused clustering leaves where it is. */
  private static final class Planned {
    private final HudiTable table;
    private final Path folder;
    private final Path untried;
    private final Path file;
    private final String instant;
    private final Map<String, Long> files;

    Planned(HudiTable table, Path folder) throws IOException {
      this.table = table;
      this.folder = folder;
      this.untried = folder.resolveSibling(folder.getFileName() + "-untried");
      this.file = dataFiles(folder).get(0);
      this.instant = table.schedule("a,b");
      this.files = files();
      FileUtils.copyDirectory(folder.toFile(), untried.toFile());
    }

    /** What the table is made of, but for the attempts of its plan. */
    private Map<String, Long> files() throws IOException {
      Map<String, Long> found = new TreeMap<>();
      for (Path file : dataFiles(folder)) {
        if (!file.toString().contains(instant)) {
          found.put(file.toString(), FileUtils.checksumCRC32(file.toFile()));
        }
      }
      return found;
    }

    void requireAsBefore() throws IOException {
      assertThat(table.timeline()).noneMatch(name -> name.startsWith(instant + "_"));
      assertThat(files()).isEqualTo(files);
      // Nobody tells an executor that its commit has failed: it is alive, and has ended.
      Files.deleteIfExists(folder.resolve(".hoodie/.heartbeat").resolve(instant));
    }

    /** Removes what a refused attempt has left, which Hudi would roll back before the next one. */
    void forgetAttempt() throws IOException {
      FileUtils.deleteDirectory(folder.toFile());
      FileUtils.copyDirectory(untried.toFile(), folder.toFile());
    }
  }

  @AfterEach
  void mendFiles() {
    FaultyFiles.mend();
  }

  /** After all faults a plan can be executed, and no file is left of those refused. */
  @AfterAll
  static void executePlans() throws IOException {
    for (Way way : Way.values()) {
      Planned planned = planned(way, Proof.COUNT);
      planned.table.execute(planned.instant, Map.of());
      Dataset<Row> rows = planned.table.read();
      assertThat(rows.selectExpr("id", "a", "b").except(rows()).count()).isZero();
      assertThat(rows.count()).isEqualTo(ROWS);
      int files = planned.table.filesOf(planned.instant).size();
      assertThat(rows.select("_hoodie_file_name").distinct().count()).isEqualTo(files);
      assertThat(files > 1).isEqualTo(way == Way.GROUPS);
    }
    PLANNED.clear();
  }

  static List<Arguments> faults() {
    List<Arguments> faults = new ArrayList<>();
    for (Way way : Way.values()) {
      for (Broken broken : Broken.values()) {
        for (RowFault fault : RowFault.values()) {
          Proof first = isCounted(way, broken, fault) ? Proof.COUNT : Proof.CONTENT;
          faults.add(Arguments.of(way, broken, fault, first));
          // Which knows nothing of the way.
          if (way == Way.GROUPS) {
            faults.add(Arguments.of(way, broken, fault, Proof.VALIDATOR));
          }
        }
      }
    }
    return faults;
  }

  static List<Arguments> quick() {
    return QuickCases.every(5, faults());
  }

  static List<Arguments> others() {
    return QuickCases.others(5, faults());
  }

  private static boolean isCounted(Way way, Broken broken, RowFault fault) {
    return fault.changesNumber() && broken == Broken.READER && way != Way.RECORDS;
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("others")
  void norAreOthersOnAnyWay(Way way, Broken broken, RowFault fault, Proof proof)
      throws IOException {
    otherRowsAreNotCommitted(way, broken, fault, proof);
  }

  @ParameterizedTest
  @MethodSource("quick")
  void otherRowsAreNotCommitted(Way way, Broken broken, RowFault fault, Proof proof)
      throws IOException {
    Planned planned = planned(way, proof);
    Map<String, String> settings = new HashMap<>();
    if (broken == Broken.READER) {
      FaultyFiles.readAs(planned.file, spoiled(planned.file, fault));
    } else {
      settings.put(FaultyRowWriter.FAULT, fault.name());
      settings.put("hoodie.parquet.spark.row.write.support.class", FaultyRowWriter.class.getName());
      settings.put("hoodie.avro.write.support.class", FaultyRecordWriter.class.getName());
    }

    assertThatThrownBy(() -> planned.table.execute(planned.instant, settings))
        .hasMessageContaining(refusal(way, broken, fault, proof));

    assertThat(FaultyFiles.mend()).isTrue();
    planned.requireAsBefore();
  }

  private static String refusal(Way way, Broken broken, RowFault fault, Proof proof) {
    if (proof == Proof.COUNT && isCounted(way, broken, fault)) {
      return "in a group of partition '0' 600 rows were read and ";
    }
    if (proof != Proof.CONTENT && broken == Broken.WRITER && fault == RowFault.DROPPED) {
      // The file has fewer values than rows, for its writer was called for each.
      return "Can not read value";
    }
    return proof == Proof.CONTENT
        ? "in a group of partition '0' read 600 rows of hash "
        : ": it read 600 rows of hash ";
  }

  static List<Arguments> proofs() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Proof.values()).map(proof -> Arguments.of(way, proof)))
        .collect(Collectors.toList());
  }

  @ParameterizedTest
  @MethodSource("proofs")
  void aFileThatAppearsLateIsNotCommitted(Way way, Proof proof) throws IOException {
    Planned planned = planned(way, proof);
    FaultyFiles.late("_" + planned.instant);

    assertThatThrownBy(() -> planned.table.execute(planned.instant, Map.of()))
        .hasStackTraceContaining("does not exist");

    assertThat(FaultyFiles.mend()).isTrue();
    planned.requireAsBefore();
  }

  private static Planned planned(Way way, Proof proof) throws IOException {
    List<Object> key = List.of(way, proof);
    if (!PLANNED.containsKey(key)) {
      Path folder = tables.resolve(way + "-" + proof);
      FileUtils.copyDirectory(written().toFile(), folder.toFile());
      HudiTable table = way.of(table(folder));
      proof.settings.forEach(table::with);
      PLANNED.put(key, new Planned(table, folder));
    } else if (proof != Proof.COUNT) {
      // Those of the count are executed in the end, after all that was refused.
      PLANNED.get(key).forgetAttempt();
    }
    return PLANNED.get(key);
  }

  /** The table that all others are copies of, of one file. */
  private static Path written() {
    Path folder = tables.resolve("written");
    if (!Files.exists(folder)) {
      table(folder).write(rows().withColumn("p", lit(0)), "bulk_insert");
    }
    return folder;
  }

  private static HudiTable table(Path folder) {
    return tableIn(folder)
        // A server for each of a hundred clients takes a good part of their time.
        .with("hoodie.embed.timeline.server", "false")
        .with("hoodie.write.markers.type", "DIRECT");
  }

  private static Dataset<Row> rows() {
    return spark
        .range(0, ROWS, 1, 1)
        .selectExpr("id", "nullif(hash(id), 0) as a", "nullif(hash(-id), 0) as b");
  }

  private static List<Path> dataFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".parquet"))
          .collect(Collectors.toList());
    }
  }

  /** A file of the rows of another, but for a fault. */
  private static Path spoiled(Path file, RowFault fault) throws IOException {
    Path folder = tables.resolve(fault.name());
    if (!Files.exists(folder)) {
      Dataset<Row> rows = spark.read().parquet(file.toString());
      List<Row> spoiled =
          rows.collectAsList().stream()
              .map(row -> JavaConverters.seqAsJavaList(row.toSeq()).toArray())
              .flatMap(row -> fault.of(row).stream())
              .map(RowFactory::create)
              .collect(Collectors.toList());
      spark.createDataFrame(spoiled, rows.schema()).coalesce(1).write().parquet(folder.toString());
    }
    return dataFiles(folder).get(0);
  }
}
