package io.hudizorder.layout.tree;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.rank.SignedWords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The greedy tree of Z. Yang et al., "Qd-tree: learning data layouts for big data analytics",
 * SIGMOD 2020, to compare with: each node is cut at the literal of a query that skips most rows at
 * once, as long as both sides keep so many rows.
 */
final class GreedyQdTree implements FileCuts {
  private static final long serialVersionUID = 1L;

  private final transient long[][] sample;
  private final int leastRows;
  private final List<int[]> nodes = new ArrayList<>();
  private final List<Long> cuts = new ArrayList<>();
  private int files;
  private final int root;

  /**
   * @param sample words by column, then by row
   * @param leastRows of the sample in a file
   */
  GreedyQdTree(long[][] sample, List<Query> queries, int leastRows) {
    this.sample = sample;
    this.leastRows = leastRows;
    root = grow(IntStream.range(0, sample[0].length).toArray(), queries);
  }

  private int grow(int[] rows, List<Query> asked) {
    long[][] bounds = bounds(rows);
    List<Query> met = new ArrayList<>();
    double weight = 0;
    for (Query query : asked) {
      if (meets(query, bounds)) {
        met.add(query);
        weight += query.weight();
      }
    }
    double least = weight * rows.length * (1 - 1e-9);
    int bestColumn = -1;
    long bestCut = 0;
    for (int c = 0; c < sample.length && rows.length >= 2 * leastRows; c++) {
      int column = c;
      long[] literals = literals(met, c, bounds);
      if (literals.length == 0) {
        continue;
      }
      // By part between two literals, the bounds of its rows; then of all left, and right, of each.
      int parts = literals.length + 1;
      long[][][] left = new long[parts][][];
      int[] count = new int[parts];
      int[] partOf = new int[rows.length];
      for (int i = 0; i < rows.length; i++) {
        partOf[i] = SignedWords.countUpTo(literals, SignedWords.flip(sample[column][rows[i]]));
        count[partOf[i]]++;
      }
      int[] at = new int[parts];
      int[][] byPart = new int[parts][];
      Arrays.setAll(byPart, part -> new int[count[part]]);
      for (int i = 0; i < rows.length; i++) {
        byPart[partOf[i]][at[partOf[i]]++] = rows[i];
      }
      Arrays.setAll(left, part -> bounds(byPart[part]));
      long[][][] right = new long[parts][][];
      right[parts - 1] = left[parts - 1];
      for (int part = parts - 2; part >= 0; part--) {
        right[part] = union(left[part], right[part + 1]);
      }
      int before = 0;
      for (int cut = 0; cut + 1 < parts; cut++) {
        left[cut] = cut == 0 ? left[0] : union(left[cut - 1], left[cut]);
        before += count[cut];
        if (before >= leastRows && rows.length - before >= leastRows) {
          double touched = 0;
          for (Query query : met) {
            touched += meets(query, left[cut]) ? query.weight() * before : 0;
            touched += meets(query, right[cut + 1]) ? query.weight() * (rows.length - before) : 0;
            if (touched >= least) {
              break;
            }
          }
          if (touched < least) {
            least = touched;
            bestColumn = c;
            bestCut = literals[cut];
          }
        }
      }
    }
    if (bestColumn < 0) {
      return ~files++;
    }
    int node = nodes.size();
    nodes.add(new int[3]);
    cuts.add(bestCut);
    int c = bestColumn;
    long cut = bestCut;
    int left =
        grow(IntStream.of(rows).filter(r -> SignedWords.flip(sample[c][r]) < cut).toArray(), met);
    int right =
        grow(IntStream.of(rows).filter(r -> SignedWords.flip(sample[c][r]) >= cut).toArray(), met);
    nodes.set(node, new int[] {c, left, right});
    return node;
  }

  /** The literals of a column that lie within bounds: the least words, flipped, that go right. */
  private static long[] literals(List<Query> queries, int c, long[][] bounds) {
    TreeSet<Long> found = new TreeSet<>();
    for (Query query : queries) {
      for (Map<Integer, WordSet> box : query.boxes()) {
        for (long[] range : box.getOrDefault(c, WordSet.NONE).ranges()) {
          found.add(SignedWords.flip(range[0]));
          if (range[1] != -1L) {
            found.add(SignedWords.flip(range[1] + 1));
          }
        }
      }
    }
    return found.stream()
        .filter(word -> bounds[2][c] > 0 || word > bounds[0][c])
        .filter(word -> word <= bounds[1][c])
        .mapToLong(word -> word)
        .toArray();
  }

  /** Least and greatest words, flipped, and numbers of nulls, by column. */
  private long[][] bounds(int[] rows) {
    long[][] bounds = new long[3][sample.length];
    Arrays.fill(bounds[0], Long.MAX_VALUE);
    Arrays.fill(bounds[1], Long.MIN_VALUE);
    for (int c = 0; c < sample.length; c++) {
      for (int row : rows) {
        if (sample[c][row] == 0) {
          bounds[2][c]++;
        } else {
          long word = SignedWords.flip(sample[c][row]);
          bounds[0][c] = Math.min(bounds[0][c], word);
          bounds[1][c] = Math.max(bounds[1][c], word);
        }
      }
    }
    return bounds;
  }

  private static long[][] union(long[][] a, long[][] b) {
    long[][] both = new long[3][a[0].length];
    for (int c = 0; c < a[0].length; c++) {
      both[0][c] = Math.min(a[0][c], b[0][c]);
      both[1][c] = Math.max(a[1][c], b[1][c]);
      both[2][c] = a[2][c] + b[2][c];
    }
    return both;
  }

  private static boolean meets(Query query, long[][] bounds) {
    return query.boxes().stream()
        .anyMatch(
            box ->
                box.entrySet().stream()
                    .allMatch(asked -> meets(asked.getValue(), asked.getKey(), bounds)));
  }

  private static boolean meets(WordSet asked, int c, long[][] bounds) {
    for (long[] range : asked.ranges()) {
      if (range[0] == 0 && bounds[2][c] > 0
          || SignedWords.flip(range[0]) <= bounds[1][c]
              && SignedWords.flip(range[1]) >= bounds[0][c]) {
        return true;
      }
    }
    return false;
  }

  @Override
  public int files() {
    return files;
  }

  @Override
  public int fileOf(long[] words) {
    int node = root;
    while (node >= 0) {
      int[] at = nodes.get(node);
      node = SignedWords.flip(words[at[0]]) < cuts.get(node) ? at[1] : at[2];
    }
    return ~node;
  }
}
