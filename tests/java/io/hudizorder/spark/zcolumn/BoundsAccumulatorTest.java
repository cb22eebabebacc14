package io.hudizorder.spark.zcolumn;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.LocalSpark;
import io.hudizorder.key.ZValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bounds of rows of one column, whose words are 1 to 100, that two tasks compute. */
class BoundsAccumulatorTest {

  private static final int ROWS = 100;

  /** Whose tasks are tried twice. */
  private static SparkSession spark;

  @BeforeAll
  static void startSpark() {
    spark = LocalSpark.builder().master("local[1,2]").getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  private static JavaRDD<byte[]> rows(BoundsAccumulator bounds) {
    List<byte[]> zValues =
        LongStream.rangeClosed(1, ROWS)
            .mapToObj(word -> ZValue.interleave(new long[] {word}))
            .collect(Collectors.toList());
    return JavaSparkContext.fromSparkContext(spark.sparkContext())
        .parallelize(zValues, 2)
        .map(bounds::pass);
  }

  private static WordBounds of(long least, long greatest) {
    WordBounds bounds = new WordBounds(1);
    bounds.add(ZValue.interleave(new long[] {least}));
    bounds.add(ZValue.interleave(new long[] {greatest}));
    return bounds;
  }

  @Test
  void boundsAreOfTheRowsThatTasksHaveComputedOnceOrTwice() {
    BoundsAccumulator bounds = BoundsAccumulator.in(spark.sparkContext(), 1);
    JavaRDD<byte[]> rows = rows(bounds);
    rows.count();
    assertThat(bounds.of(ROWS)).isEqualTo(of(1, ROWS));
    rows.count();

    assertThat(bounds.of(ROWS)).isEqualTo(of(1, ROWS));
    assertThat(bounds.of(ROWS - 1)).isEqualTo(of(1, ROWS));
    assertThat(bounds.of(ROWS + 1)).isEqualTo(WordBounds.ofAnyRows(1));
  }

  @Test
  void sparkKeepsNoBoundsOfTheUsersRowsWithATask() {
    BoundsAccumulator bounds = BoundsAccumulator.in(spark.sparkContext(), 1);

    assertThat(bounds.name().isEmpty()).isTrue();
  }

  /** Spark drops what the first attempt has told, and the second reads its block (SPARK-41497). */
  @Test
  void rowsThatAreKeptOfATaskThatFailedMayBeAny() {
    BoundsAccumulator bounds = BoundsAccumulator.in(spark.sparkContext(), 1);
    JavaRDD<byte[]> kept = rows(bounds).persist(StorageLevel.MEMORY_ONLY());

    long counted =
        kept.mapPartitions(
                part -> {
                  List<byte[]> all = new ArrayList<>();
                  part.forEachRemaining(all::add);
                  if (TaskContext.get().attemptNumber() == 0 && TaskContext.getPartitionId() == 1) {
                    throw new IllegalStateException("no room for the shuffle");
                  }
                  return all.iterator();
                })
            .count();

    assertThat(counted).isEqualTo(ROWS);
    assertThat(bounds.value()).isEqualTo(of(1, ROWS / 2));
    assertThat(bounds.of(ROWS)).isEqualTo(WordBounds.ofAnyRows(1));
  }
}
