package io.hudizorder.spark.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.expressions.Pmod;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.collection.JavaConverters;

class ShuffleTargetsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 17, 64, 1000})
  void sparkSendsEachTargetToItsPartition(int partitions) {
    int[] targets = ShuffleTargets.of(partitions);

    assertThat(targets).hasSize(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      assertThat(sparksPartition(targets[partition], partitions)).isEqualTo(partition);
    }
  }

  /** The expression that Spark's HashPartitioning evaluates. */
  private static Object sparksPartition(int value, int partitions) {
    Literal literal = Literal.create(value, DataTypes.IntegerType);
    Murmur3Hash hash =
        new Murmur3Hash(
            JavaConverters.asScalaBuffer(
                    java.util.List.<org.apache.spark.sql.catalyst.expressions.Expression>of(
                        literal))
                .toList());
    return new Pmod(hash, Literal.create(partitions, DataTypes.IntegerType)).eval(null);
  }
}
