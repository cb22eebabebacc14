package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.LocalSpark;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VectorisedInputTest {
  private static final String VECTORISED = "spark.sql.parquet.enableVectorizedReader";

  private static SparkSession spark;

  @TempDir Path folder;

  @BeforeAll
  static void startSpark() {
    spark = LocalSpark.builder().getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  @Test
  void readsInVectorsInASessionThatHudiHasTurnedThemOffIn() {
    String path = folder.resolve("t").toString();
    spark.range(100).selectExpr("id", "cast(id as string) as text").write().parquet(path);
    Dataset<Row> written = spark.read().parquet(path);
    spark.conf().set(VECTORISED, false);
    assertThat(plan(spark.read().parquet(path))).doesNotContain("ColumnarToRow");

    VectorisedInput input =
        new VectorisedInput(
            VectorisedInput.vectorising(spark, "file"), List.of(path), written.schema(), 100);

    assertThat(plan(input.rows())).contains("ColumnarToRow");
    assertThat(plan(input.columns(List.of("text")))).contains("ColumnarToRow");
    assertThat(input.rows().collectAsList()).isEqualTo(written.collectAsList());
    assertThat(spark.conf().get(VECTORISED)).isEqualTo("false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a?b", "{a,b}", "[ab]", "a*b", "a\\b", "k=v", "50%25"})
  void readsEachFileOfAFolderThatLooksLikeAPatternOnce(String name) throws IOException {
    List<String> paths = new ArrayList<>();
    Path odd = Files.createDirectory(folder.resolve(name));
    for (int n = 0; n < 2; n++) {
      Path written = folder.resolve("written" + n);
      spark.range(n * 10, n * 10 + 10).coalesce(1).write().parquet(written.toString());
      try (DirectoryStream<Path> files = Files.newDirectoryStream(written, "*.parquet")) {
        Path file = odd.resolve(n + ".parquet");
        Files.copy(files.iterator().next(), file);
        paths.add(file.toString());
      }
    }

    VectorisedInput input =
        new VectorisedInput(
            VectorisedInput.vectorising(spark, "file"), paths, spark.range(1).schema(), 20);

    assertThat(input.rows().as(Encoders.LONG()).collectAsList())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 20).boxed().collect(Collectors.toList()));
  }

  /** Of more files than Spark looks up without a job. */
  @Test
  void manyFilesAreLookedUpOnceAndByNoJob() throws IOException {
    Path written = folder.resolve("t");
    int files = 40;
    spark.range(0, 400, 1, files).selectExpr("id", "id as `a.b`").write().parquet(written + "");
    List<String> paths = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(written, "*.parquet")) {
      found.forEach(file -> paths.add(file.toString()));
    }
    StructType schema = spark.range(1).selectExpr("id", "id as `a.b`").schema();
    VectorisedInput input =
        new VectorisedInput(VectorisedInput.vectorising(spark, "file"), paths, schema, 400);
    int before = jobs();

    assertThat(input.columns(List.of("a.b")).collectAsList()).hasSize(400);
    Files.delete(Path.of(paths.get(0)));

    assertThat(paths).hasSize(files);
    assertThat(input.rows().inputFiles()).hasSize(files);
    assertThat(jobs() - before).isEqualTo(1);
  }

  private static int jobs() {
    return spark.sparkContext().dagScheduler().numTotalJobs();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileThatCannotBeReadIsNotPassedOverThoughTheSessionAsksForThat(boolean missing)
      throws IOException {
    Path written = folder.resolve("t");
    spark.range(100).coalesce(1).write().parquet(written.toString());
    List<String> paths = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(written, "*.parquet")) {
      files.forEach(file -> paths.add(file.toString()));
    }
    SparkSession lenient = VectorisedInput.vectorising(spark, "file");
    lenient.conf().set("spark.sql.files.ignoreMissingFiles", true);
    lenient.conf().set("spark.sql.files.ignoreCorruptFiles", true);
    Dataset<Row> rows =
        new VectorisedInput(lenient, paths, spark.range(1).schema(), 100).columns(List.of("id"));
    if (missing) {
      Files.delete(Path.of(paths.get(0)));
    } else {
      Files.writeString(Path.of(paths.get(0)), "no Parquet");
    }

    assertThatThrownBy(rows::collectAsList).hasMessageContaining(paths.get(0));
  }

  private static String plan(Dataset<Row> rows) {
    return rows.queryExecution().executedPlan().toString();
  }
}
