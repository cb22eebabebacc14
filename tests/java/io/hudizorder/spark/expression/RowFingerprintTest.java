package io.hudizorder.spark.expression;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.LocalSpark;
import java.math.BigDecimal;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowFingerprintTest {

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

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // a value moved into a neighbour that was null
        "struct<a:int,b:int>; (1, null); (null, 1)",
        "struct<a:string,b:string>; ('', null); (null, '')",
        "struct<a:int,b:int,c:int>; (null, 1, 2); (1, null, 2)",
        "struct<a:array<int>,b:array<int>>; (array(1), null); (null, array(1))",
        "struct<a:struct<x:int,y:int>>; (struct(1, null)); (struct(null, 1))",
        // what is empty, what is null, what is made of nulls
        "struct<a:array<int>>; (array()); (null)",
        "struct<a:array<int>>; (array()); (array(null))",
        "struct<a:map<string,int>>; (map()); (null)",
        "struct<a:struct<x:int>>; (struct(null)); (null)",
        "struct<a:string>; (''); (null)",
        "struct<a:binary>; (x''); (null)",
        "struct<a:int>; (0); (null)",
        "struct<a:boolean>; (false); (null)",
        "struct<a:array<map<string,int>>>; (array(map())); (array(null))",
        "struct<a:struct<x:array<int>>>; (struct(array())); (struct(null))",
        // nulls within collections
        "struct<a:array<int>>; (array(1, null)); (array(1))",
        "struct<a:array<int>>; (array(1, null)); (array(null, 1))",
        "struct<a:map<string,int>>; (map('a', null)); (map())",
        "struct<a:map<string,int>>; (map('a', null, 'b', 1)); (map('a', 1, 'b', null))",
        "struct<a:array<map<string,int>>>; (array(map('a', null))); (array(map('b', null)))",
        // where an array ends and what its order is
        "struct<a:array<int>>; (array(1, 2)); (array(2, 1))",
        "struct<a:array<array<int>>>; (array(array(1), array(2))); (array(array(1, 2), array()))",
        "struct<a:array<int>,b:array<int>>; (array(1), array(2)); (array(1, 2), array())",
        // zeros by their sign
        "struct<a:float>; (-0.0D); (0.0D)",
        "struct<a:double>; (-0.0D); (0.0D)",
        "struct<a:array<float>>; (array(-0.0D)); (array(0.0D))",
        "struct<a:struct<x:map<int,double>>>; (struct(map(1, -0.0D))); (struct(map(1, 0.0D)))",
        "struct<a:double>; (double('NaN')); (null)",
        // who belongs to whom in a map
        "struct<a:map<int,int>>; (map(1, 2, 3, 4)); (map(1, 4, 3, 2))",
        "struct<a:map<int,int>>; (map(1, 2)); (map(2, 1))",
        "struct<a:map<int,map<int,int>>>; (map(1, map(2, 3))); (map(1, map(3, 2)))",
        // the other types
        "struct<a:tinyint>; (1); (2)",
        "struct<a:smallint>; (1); (2)",
        "struct<a:bigint>; (1); (4294967297)",
        "struct<a:decimal(38,4)>; (1.0001); (1.0002)",
        "struct<a:array<decimal(38,4)>>; (array(1.0001)); (array(1.0002))",
        "struct<a:array<decimal(9,2)>>; (array(1.01)); (array(1.02))",
        "struct<a:array<binary>>; (array(x'00')); (array(x'0000'))",
        "struct<a:date>; (date'2020-01-01'); (date'2020-01-02')",
        "struct<a:timestamp>; (timestamp_micros(1)); (timestamp_micros(2))",
        "struct<a:array<timestamp_ntz>>; (array(timestamp_ntz'2020-01-01 00:00:00'));"
            + " (array(timestamp_ntz'2020-01-01 00:00:01'))",
        "struct<a:interval>; (make_interval(0, 1)); (make_interval(0, 0, 0, 30))",
        "struct<a:array<interval>>; (array(make_interval(0, 1))); (array(make_interval(0, 2)))",
        "struct<a:array<interval day to second>>; (array(interval '1' day));"
            + " (array(interval '2' day))",
        "struct<a:interval year to month>; (interval '1' year); (interval '1' month)",
        "struct<a:array<interval year to month>>; (array(interval '1' year));"
            + " (array(interval '1' month))",
        // names
        "struct<`a.b`:int,`a``c`:int>; (1, null); (null, 1)",
        "struct<`a.b`:array<int>,`a``c`:map<int,int>>; (array(), null); (null, map())",
      })
  void tablesThatDifferHaveDifferentFingerprints(String type, String one, String other) {
    assertThat(fingerprint(row(type, one))).isNotEqualTo(fingerprint(row(type, other)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "struct<a:map<int,int>>; (map(1, 2, 3, null)); (map(3, null, 1, 2))",
        "struct<a:map<string,map<int,int>>>; (map('a', map(1, 2, 3, 4), 'b', map()));"
            + " (map('b', map(), 'a', map(3, 4, 1, 2)))",
        "struct<a:array<map<int,double>>>; (array(map(1, -0.0D, 2, 0.0D), null));"
            + " (array(map(2, 0.0D, 1, -0.0D), null))",
        "struct<a:struct<x:map<int,struct<y:int>>>>; (struct(map(1, struct(1), 2, null)));"
            + " (struct(map(2, null, 1, struct(1))))",
        "struct<a:array<decimal(38,4)>>; (array(1)); (array(1.0000))"
      })
  void theOrderOfEntriesDoesNotMatter(String type, String one, String other) {
    assertThat(fingerprint(row(type, one))).isEqualTo(fingerprint(row(type, other)));
  }

  @Test
  void theOrderOfRowsDoesNotMatterButTheirNumberDoes() {
    Dataset<Row> rows = spark.range(100).selectExpr("id", "if(id % 3 = 0, null, array(id)) AS a");

    assertThat(fingerprint(rows.orderBy(rows.col("id").desc()))).isEqualTo(fingerprint(rows));
    assertThat(fingerprint(rows.union(rows.limit(1)))).isNotEqualTo(fingerprint(rows));
    assertThat(fingerprint(rows.limit(0))).isEqualTo(RowFingerprint.EMPTY);
  }

  @Test
  void anIgnoredColumnMayDiffer() {
    Dataset<Row> rows = spark.range(5).selectExpr("id", "id AS a");

    assertThat(RowFingerprint.of(rows.selectExpr("id", "-a AS a"), "a"))
        .isEqualTo(RowFingerprint.of(rows, "a"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rowsReadFromAFileCountAsTheyWere(boolean vectorised) {
    Dataset<Row> rows =
        spark
            .range(100)
            .selectExpr(
                "id",
                "if(id % 3 = 0, null, -float(id % 5)) AS f",
                "if(id % 4 = 0, null, array(id / 7, null)) AS a",
                "if(id % 5 = 0, map(), map(id, array(timestamp_ntz'2020-01-01 00:00:00'))) AS m",
                "struct(decimal(id) AS d, cast(id AS decimal(38,4)) AS e, interval '1' day AS i) AS s",
                "array(struct(cast(id AS string) AS t, unhex(hex(id)) AS b, date_add(date'2020-01-01', int(id)) AS d,"
                    + " interval '1' month AS i, timestamp_micros(id) AS u, id % 2 = 0 AS o,"
                    + " cast(id AS tinyint) AS y, cast(id AS smallint) AS h)) AS n");
    String path = folder.resolve("t").toString();
    rows.write().parquet(path);
    spark.conf().set("spark.sql.parquet.enableVectorizedReader", vectorised);
    spark.conf().set("spark.sql.parquet.enableNestedColumnVectorizedReader", vectorised);

    assertThat(fingerprint(spark.read().parquet(path))).isEqualTo(fingerprint(rows));
  }

  @Test
  void noNumberOfRowsOverflowsTheSumOfTheirHashes() {
    // What 5 times 2 * 10^11 rows of the greatest hash add up to.
    String hashes = "cast(9223372036854775807 AS decimal(38,0)) * 200000000000 AS hashes";

    Row sum = spark.range(5).selectExpr(hashes).agg(RowFingerprint.exactSum(col("hashes"))).head();

    assertThat(sum.getDecimal(0)).isEqualTo(new BigDecimal("9223372036854775807000000000000"));
  }

  private static RowFingerprint fingerprint(Dataset<Row> rows) {
    return RowFingerprint.of(rows, "");
  }

  /** One row: a tuple of values, in SQL, brought to the type of a struct. */
  private static Dataset<Row> row(String type, String tuple) {
    String row = tuple.startsWith("(") ? "struct" + tuple : tuple;
    return spark.sql("SELECT cast(" + row + " AS " + type + ") AS r").select("r.*");
  }
}
