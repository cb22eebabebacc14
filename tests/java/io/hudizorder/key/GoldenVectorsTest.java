package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of tests/vectors, which test_vectors.py derives again without this code. */
class GoldenVectorsTest {

  private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d+),(\\d+)\\)");

  static Stream<JsonNode> words() throws IOException {
    return vectors("words.json", "vectors");
  }

  static Stream<JsonNode> orderedDecimals() throws IOException {
    return vectors("words.json", "ordered_decimals");
  }

  static Stream<JsonNode> zValues() throws IOException {
    return vectors("zvalues.json", "vectors");
  }

  static Stream<JsonNode> hilbertKeys() throws IOException {
    return vectors("hilbert.json", "vectors");
  }

  @ParameterizedTest
  @MethodSource("words")
  void word(JsonNode vector) {
    JsonNode value = vector.get("value");
    long word = value.isNull() ? Words.NULL : word(vector.get("type").asText(), value.asText());
    assertThat(Hex.of(word)).isEqualTo(vector.get("word").asText());
  }

  @ParameterizedTest
  @MethodSource("orderedDecimals")
  void orderedDecimal(JsonNode vector) {
    BigInteger unscaled = new BigInteger(vector.get("unscaled").asText());
    assertThat(Hex.of(OrderedBytes.ofDecimal(unscaled))).isEqualTo(vector.get("bytes").asText());
  }

  @ParameterizedTest
  @MethodSource("zValues")
  void zValue(JsonNode vector) {
    long[] words = row(vector.get("words"));
    String zValue = vector.get("zvalue").asText();
    assertThat(Hex.of(ZValue.interleave(words))).isEqualTo(zValue);
    assertThat(ZValue.deinterleave(Hex.bytes(zValue))).isEqualTo(words);
  }

  @ParameterizedTest
  @MethodSource("hilbertKeys")
  void hilbertKey(JsonNode vector) {
    assertThat(Hex.of(Hilbert.key(row(vector.get("words"))))).isEqualTo(vector.get("key").asText());
  }

  @Test
  void rowsInAscendingOrder() throws IOException {
    List<long[]> rows = new ArrayList<>();
    vectors("zvalues.json", "ascending").forEach(row -> rows.add(row(row)));
    for (int i = 0; i < rows.size(); i++) {
      for (int j = 0; j < rows.size(); j++) {
        int order = ZValue.compareWords(rows.get(i), rows.get(j), rows.get(i).length);
        assertThat(Integer.signum(order)).as("rows %d, %d", i, j).isEqualTo(Integer.compare(i, j));
      }
    }
  }

  private static long word(String type, String text) {
    Matcher decimal = DECIMAL.matcher(type);
    if (decimal.matches()) {
      int precision = Integer.parseInt(decimal.group(1));
      int scale = Integer.parseInt(decimal.group(2));
      BigInteger unscaled = new BigDecimal(text).setScale(scale).unscaledValue();
      return precision <= Words.MAX_LONG_PRECISION
          ? Words.ofDecimal(unscaled.longValueExact(), precision)
          : Words.ofDecimal(unscaled, precision);
    }
    switch (type) {
      case "boolean":
        return Words.ofBoolean(Boolean.parseBoolean(text));
      case "byte":
        return Words.ofByte(Byte.parseByte(text));
      case "short":
        return Words.ofShort(Short.parseShort(text));
      case "int":
        return Words.ofInt(Integer.parseInt(text));
      case "long":
        return Words.ofLong(Long.parseLong(text));
      case "float":
        return Words.ofFloat(
            text.startsWith("0x")
                ? Float.intBitsToFloat(Integer.parseUnsignedInt(text.substring(2), 16))
                : Float.parseFloat(text));
      case "double":
        return Words.ofDouble(
            text.startsWith("0x")
                ? Double.longBitsToDouble(Hex.word(text.substring(2)))
                : Double.parseDouble(text));
      case "date":
        return Words.ofDate((int) LocalDate.parse(text).toEpochDay());
      case "timestamp":
        return Words.ofLong(
            ChronoUnit.MICROS.between(LocalDate.EPOCH.atStartOfDay(), LocalDateTime.parse(text)));
      case "string":
        return Words.ofBytes(text.getBytes(StandardCharsets.UTF_8));
      case "binary":
        return Words.ofBytes(Hex.bytes(text.substring(2)));
      default:
        throw new AssertionError("No words are known for the type '" + type + "'");
    }
  }

  private static long[] row(JsonNode words) {
    return elements(words).mapToLong(word -> Hex.word(word.asText())).toArray();
  }

  private static Stream<JsonNode> vectors(String file, String list) throws IOException {
    try (InputStream json = GoldenVectorsTest.class.getResourceAsStream("/vectors/" + file)) {
      JsonNode vectors = new ObjectMapper().readTree(json).get(list);
      assertThat(vectors).as("%s in %s", list, file).isNotEmpty();
      return elements(vectors);
    }
  }

  private static Stream<JsonNode> elements(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }
}
