package io.hudizorder.spark.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.query.AskedQuery;
import io.hudizorder.layout.query.AskedQuery.Values;
import io.hudizorder.layout.query.AskedWhen;
import io.hudizorder.layout.query.Query;
import io.hudizorder.spark.SortColumn;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryWordsTest {

  private static LayoutSpec spec(List<Values> values) {
    return LayoutSpec.builder()
        .columns(List.of("c"))
        .weights(new double[] {1})
        .queries(List.of(new AskedQuery(1, List.of(Map.of("c", values)), AskedWhen.UNKNOWN)))
        .curve(Curve.ZORDER)
        .build(LayoutSpec.BuildMethod.DIRECT)
        .cuts(LayoutSpec.Cuts.TREE)
        .fileOrder(LayoutSpec.FileOrder.AUTO)
        .pageRows(20_000)
        .sampleSize(1)
        .seed(0)
        .create();
  }

  private static List<SortColumn> column(String type) {
    StructType schema = StructType.fromDDL("c " + type);
    return SortColumn.resolve(schema, List.of("c"), List.of());
  }

  private static List<Query> queries(String type, Values... values) {
    return QueryWords.of(spec(List.of(values)), column(type), null);
  }

  private static Query of(WordSet words) {
    return new Query(1, List.of(Map.of(0, words)));
  }

  @ParameterizedTest
  @CsvSource({
    "boolean, true, 9223372036854775808",
    "int, -7, 9223372006790004736",
    "bigint, 5, 9223372036854775813",
    "date, 1970-01-03, 9223372045444710400",
    "timestamp, 1970-01-01T00:00:01Z, 9223372036855775808",
    "timestamp_ntz, 1970-01-01T00:00:01, 9223372036855775808",
  })
  void literalsGetTheWordsOfTheirTypes(String type, String text, String word) {
    assertThat(queries(type, new Values(text, text, false, false)))
        .usingRecursiveComparison()
        .isEqualTo(List.of(of(WordSet.word(Long.parseUnsignedLong(word)))));
  }

  @Test
  void endsThatAreOutsideAre() {
    assertThat(queries("bigint", new Values("5", "9", true, true)))
        .usingRecursiveComparison()
        .isEqualTo(List.of(of(WordSet.range(Words.ofLong(6), Words.ofLong(8)))));
  }

  /** Of which some lie beyond the end. */
  @Test
  void endsOfWordsThatSeveralValuesShareAreInside() {
    long word = Words.ofBytes("same all".getBytes(StandardCharsets.UTF_8));
    assertThat(queries("string", new Values("same all", "same all of it", true, true)))
        .usingRecursiveComparison()
        .isEqualTo(List.of(of(WordSet.word(word))));
  }

  @Test
  void nullsAndSeveralRangesAreOneSet() {
    WordSet below = WordSet.range(1, Words.ofDouble(0.5));
    assertThat(queries("double", Values.NULLS, new Values(null, "0.5", false, false)))
        .usingRecursiveComparison()
        .isEqualTo(List.of(of(WordSet.NULL.or(below))));
  }

  @Test
  void whatNothingSatisfiesIsLeftOut() {
    assertThat(queries("int", new Values("5", "4", false, false))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"int, x", "date, 2026-13-01", "'decimal(4,2)', 1000", "timestamp, noon"})
  void aLiteralOfAnotherTypeIsRefused(String type, String text) {
    LayoutSpec spec = spec(List.of(new Values(text, null, false, false)));
    assertThatThrownBy(() -> QueryWords.require(spec, column(type)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "' of 'c'")
        .hasMessageContaining("give queries on the table as it is now");
  }
}
