package io.hudizorder.layout.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileReadsTest {
  private static Query query(WordSet set) {
    return new Query(1, List.of(Map.of(0, set)));
  }

  /** However low the values of a file without nulls may reach. */
  @Test
  void nullsAreForetoldToBeReadWhereTheyAre() {
    long[][] sample = {new long[1_000]};
    Arrays.setAll(sample[0], row -> row < 200 ? 0 : Words.ofLong(row));
    FileCuts hundreds =
        new FileCuts() {
          @Override
          public int files() {
            return 10;
          }

          @Override
          public int fileOf(long[] words) {
            return words[0] == 0 ? 0 : (int) ((words[0] - Words.ofLong(0)) / 100);
          }
        };
    FileReads reads = new FileReads(hundreds, sample, NumberedColumn.all(sample));
    assertThat(reads.share(List.of(query(WordSet.NULL)))).isEqualTo(0.2);
  }

  /** However few rows are sampled of it: its neighbour may go as far as the cut, no further. */
  @ParameterizedTest(name = "row {0}")
  @ValueSource(ints = {0, 10, 199})
  void noFileIsForetoldToReachBeyondItsCuts(int row) {
    long[][] sample = {new long[200]};
    Arrays.setAll(sample[0], i -> i < 10 ? 0 : Words.ofLong(i));
    SplitTree tree = SplitTree.build(sample, new double[] {1}, 10);
    FileReads reads = new FileReads(tree, sample, NumberedColumn.all(sample));
    assertThat(reads.share(List.of(query(WordSet.word(sample[0][row]))))).isEqualTo(0.1);
  }
}
