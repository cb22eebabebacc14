package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The functions in a session that has this extension alone; their bytes are tested in Python. */
class ZOrderSparkSessionExtensionTest {

  private static SparkSession spark;

  @BeforeAll
  static void start() {
    String extension = ZOrderSparkSessionExtension.class.getName();
    spark = LocalSpark.builder().config("spark.sql.extensions", extension).getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static List<Row> rows(String query) {
    return spark.sql(query).collectAsList();
  }

  @Test
  void functionsAreCalledFromSqlAlone() {
    Row row =
        rows("SELECT hex(zorder_value(1, 2)), zorder_words(zorder_value(1L, NULL), 2)").get(0);
    assertThat(row.getString(0)).isEqualTo("C0000000000000060000000000000000");
    assertThat(row.getList(1)).containsExactly(Long.MIN_VALUE + 1, 0L);
  }

  @Test
  void foldedAndGeneratedValuesAreTheSame() {
    String keys = "zorder_value(%1$s, 'a\\\\\"') z, hilbert_value(%1$s, 1.5D) h";
    List<Row> folded = rows("SELECT " + String.format(keys, "5L"));
    List<Row> generated = rows("SELECT " + String.format(keys, "id") + " FROM range(5, 6)");
    spark.conf().set("spark.sql.codegen.wholeStage", false);
    spark.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    try {
      List<Row> interpreted = rows("SELECT " + String.format(keys, "id") + " FROM range(5, 6)");
      assertThat((byte[]) folded.get(0).get(0)).isEqualTo((byte[]) generated.get(0).get(0));
      assertThat((byte[]) interpreted.get(0).get(0)).isEqualTo((byte[]) generated.get(0).get(0));
      assertThat((byte[]) folded.get(0).get(1)).isEqualTo((byte[]) generated.get(0).get(1));
      assertThat((byte[]) interpreted.get(0).get(1)).isEqualTo((byte[]) generated.get(0).get(1));
    } finally {
      spark.conf().unset("spark.sql.codegen.wholeStage");
      spark.conf().unset("spark.sql.codegen.factoryMode");
    }
  }

  @Test
  void codeIsGeneratedWhateverDigitsThisMachineWrites() {
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    spark.conf().set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY");
    spark.conf().set("spark.sql.codegen.fallback", false);
    Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("fa-IR-u-nu-arabext"));
    try {
      assertThat(String.format("%d", 1)).isNotEqualTo("1");
      assertThat(rows("SELECT zorder_value(id, 7L + id) FROM range(100, 102)")).hasSize(2);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
      spark.conf().unset("spark.sql.codegen.factoryMode");
      spark.conf().unset("spark.sql.codegen.fallback");
    }
  }

  @Test
  void zOrderIsWhatOrderByGives() {
    List<Row> sorted =
        rows(
            "SELECT a.id, b.id FROM range(4) a CROSS JOIN range(4) b"
                + " ORDER BY zorder_value(a.id, b.id)");
    assertThat(sorted)
        .extracting(row -> row.getLong(0) + "" + row.getLong(1))
        .startsWith("00", "01", "10", "11", "02", "03", "12", "13", "20");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zorder_value() | WRONG_NUM_ARGS | `zorder_value` requires 1 to 128 parameters",
        "hilbert_value(1, array(1)) | UNEXPECTED_INPUT_TYPE | Parameter 2 requires the",
        "zorder_value(named_struct('a', 1)) | UNEXPECTED_INPUT_TYPE | STRUCT<a: INT>",
        "zorder_words('a', 1) | UNEXPECTED_INPUT_TYPE | requires the \"BINARY\" type",
        "zorder_compare(X'00', 1) | UNEXPECTED_INPUT_TYPE | requires the \"BINARY\" type",
        "zorder_compare(X'00') | WRONG_NUM_ARGS | `zorder_compare` requires 2 parameters",
      })
  void wrongArgumentsAreAnalysisErrorsByName(String call, String error, String message) {
    assertThatThrownBy(() -> spark.sql("SELECT " + call))
        .isInstanceOf(AnalysisException.class)
        .hasMessageContaining(error)
        .hasMessageContaining(message);
  }

  @Test
  void functionsDescribeThemselves() {
    assertThat(rows("DESCRIBE FUNCTION zorder_value").toString())
        .contains("zorder_value(a, b, ...) - The z-value of 1 to 128 values");
  }
}
