package io.hudizorder.layout;

import io.hudizorder.key.WordSet;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What queries read under a layout, as far as a sample tells: its rows are sent to their files, and
 * a file is read where its statistics cannot rule a query out.
 */
final class FileReads {
  private static final long NULL = 0;

  private final long[][] sample;
  private final int[] rows;

  /** Least and greatest word of each column and file, sign bits flipped. */
  private final long[][] min;

  private final long[][] max;
  private final boolean[][] nulls;

  FileReads(FileCuts cuts, long[][] sample) {
    int files = cuts.files();
    this.sample = sample;
    rows = new int[files];
    min = new long[sample.length][files];
    max = new long[sample.length][files];
    nulls = new boolean[sample.length][files];
    for (int c = 0; c < sample.length; c++) {
      Arrays.fill(min[c], Long.MAX_VALUE);
      Arrays.fill(max[c], Long.MIN_VALUE);
    }
    for (int row = 0; row < sample[0].length; row++) {
      long[] words = WordTable.row(sample, row);
      int file = cuts.fileOf(words);
      rows[file]++;
      for (int c = 0; c < words.length; c++) {
        if (words[c] == NULL) {
          nulls[c][file] = true;
        } else {
          long word = SignedWords.flip(words[c]);
          min[c][file] = Math.min(min[c][file], word);
          max[c][file] = Math.max(max[c][file], word);
        }
      }
    }
  }

  /** The share of rows in files that a query reads, in the mean of all queries by their weight. */
  double share(List<Query> queries) {
    double read = 0;
    double weight = 0;
    for (Query query : queries) {
      read += query.weight() * rows(query) / sample[0].length;
      weight += query.weight();
    }
    return weight == 0 ? 0 : read / weight;
  }

  private long rows(Query query) {
    long read = 0;
    for (int file = 0; file < rows.length; file++) {
      int at = file;
      if (query.boxes().stream().anyMatch(box -> meets(box, at))) {
        read += rows[file];
      }
    }
    return read;
  }

  private boolean meets(Map<Integer, WordSet> box, int file) {
    for (Map.Entry<Integer, WordSet> asked : box.entrySet()) {
      if (!meets(asked.getValue().ranges(), asked.getKey(), file)) {
        return false;
      }
    }
    return true;
  }

  private boolean meets(List<long[]> ranges, int c, int file) {
    for (long[] range : ranges) {
      if (range[0] == NULL && nulls[c][file]) {
        return true;
      }
      if (SignedWords.flip(range[0]) <= max[c][file]
          && SignedWords.flip(range[1]) >= min[c][file]) {
        return true;
      }
    }
    return false;
  }

  /** The share of rows that an equality reads, in the mean over the values of all rows. */
  double equality(int c) {
    long[] values =
        Arrays.stream(sample[c]).filter(word -> word != NULL).map(SignedWords::flip).toArray();
    Arrays.sort(values);
    double read = 0;
    for (int file = 0; file < rows.length; file++) {
      if (min[c][file] <= max[c][file]) {
        int within =
            SignedWords.countUpTo(values, max[c][file])
                - SignedWords.countUpTo(values, min[c][file] - 1);
        read += (double) rows[file] * within / values.length;
      }
    }
    return values.length == 0 ? 0 : read / sample[c].length;
  }
}
