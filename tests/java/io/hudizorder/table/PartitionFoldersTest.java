package io.hudizorder.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hudizorder.layout.query.PartitionValues;
import io.hudizorder.layout.query.PartitionValues.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PartitionFoldersTest {

  private static final StructType SCHEMA =
      StructType.fromDDL("id int, day date, region string, part bigint, ratio double");

  private static final Map<String, Kind> KINDS =
      Map.of("day", Kind.DAY, "region", Kind.TEXT, "part", Kind.NUMBER, "ratio", Kind.TEXT);

  static Stream<JsonNode> vectors() throws IOException {
    try (InputStream in =
        PartitionFoldersTest.class.getResourceAsStream("/vectors/partition_folders.json")) {
      return StreamSupport.stream(
          new ObjectMapper().readTree(in).get("vectors").spliterator(), false);
    }
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void aFolderTellsValuesOrNothing(JsonNode vector) {
    Properties properties = new Properties();
    String generator = vector.path("generator").asText("Simple");
    if (!generator.isEmpty()) {
      properties.setProperty(
          "hoodie.table.keygenerator.class",
          "org.apache.hudi.keygen." + generator + "KeyGenerator");
    }
    properties.setProperty("hoodie.table.partition.fields", vector.get("fields").asText());
    properties.setProperty(
        "hoodie.datasource.write.hive_style_partitioning",
        Boolean.toString(vector.has("hive_style")));
    properties.setProperty(
        "hoodie.datasource.write.partitionpath.urlencode", Boolean.toString(vector.has("encoded")));
    HoodieTableConfig config = new HoodieTableConfig();
    config.setAll(properties);

    PartitionValues found = PartitionFolders.of(config, SCHEMA).values(vector.get("path").asText());

    PartitionValues told = PartitionValues.UNKNOWN;
    for (String column : KINDS.keySet()) {
      if (vector.get("values").has(column)) {
        told = told.with(column, KINDS.get(column), vector.get("values").get(column).asText());
      }
    }
    assertThat(found).hasToString(told.toString());
  }
}
