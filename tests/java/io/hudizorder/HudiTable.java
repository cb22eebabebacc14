package io.hudizorder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.HoodieCLIUtils;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.util.Option;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A Hudi table with the record key {@code id}, for tests that are nearer to Hudi than Python is.
 */
public final class HudiTable {

  private final SparkSession spark;
  final Path path;
  private final Map<String, String> settings = new LinkedHashMap<>();

  /** A table that does not exist yet. */
  HudiTable(SparkSession spark, Path path) {
    this.spark = spark;
    this.path = path;
    settings.put("hoodie.table.name", "t");
    settings.put("hoodie.datasource.write.recordkey.field", "id");
    settings.put("hoodie.index.bloom.num_entries", "100");
    settings.put("hoodie.metadata.enable", "false");
    settings.put("hoodie.time.generator.max_expected_clock_skew_ms", "1");
    settings.put(
        "hoodie.clustering.execution.strategy.class",
        ZOrderClusteringExecutionStrategy.class.getName());
    settings.put(
        "hoodie.clustering.plan.strategy.class", ZOrderClusteringPlanStrategy.class.getName());
    settings.put("hoodie.clustering.plan.strategy.single.group.clustering.enabled", "true");
  }

  static SparkSession.Builder session(int cores) {
    return LocalSpark.builder()
        .master("local[" + cores + "]")
        .config("spark.sql.shuffle.partitions", cores)
        .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
        .config("spark.kryo.registrator", "org.apache.spark.HoodieSparkKryoRegistrar")
        .config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension");
  }

  /** Sets an option of all that is written from now on. */
  public HudiTable with(String key, String value) {
    settings.put(key, value);
    return this;
  }

  public HudiTable write(Dataset<Row> rows, String operation) {
    rows.write()
        .format("hudi")
        .options(settings)
        .option("hoodie.datasource.write.operation", operation)
        .mode(SaveMode.Append)
        .save(path.toString());
    return this;
  }

  public Dataset<Row> read() {
    return spark.read().format("hudi").load(path.toString());
  }

  /** A client with the table's settings and others. */
  public SparkRDDWriteClient<?> client(Map<String, String> others) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(others);
    return HoodieCLIUtils.createHoodieWriteClient(
        spark, path.toString(), PythonUtils.toScalaMap(all), scala.Option.empty());
  }

  /** Writes a plan and returns its instant. */
  public String schedule(String columns) {
    try (SparkRDDWriteClient<?> client =
        client(Map.of("hoodie.clustering.plan.strategy.sort.columns", columns))) {
      return client.scheduleClustering(Option.empty()).get();
    }
  }

  public void execute(String instant, Map<String, String> others) {
    try (SparkRDDWriteClient<?> client = client(others)) {
      client.cluster(instant, true);
    }
  }

  /** The names of the data files that an instant has written, committed or not. */
  public Set<String> filesOf(String instant) {
    return files(path)
        .filter(name -> name.endsWith("_" + instant + ".parquet"))
        .collect(Collectors.toSet());
  }

  /** The names of the files on the timeline. */
  public Set<String> timeline() {
    return files(path.resolve(".hoodie/timeline")).collect(Collectors.toSet());
  }

  private static Stream<String> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .collect(Collectors.toList())
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
