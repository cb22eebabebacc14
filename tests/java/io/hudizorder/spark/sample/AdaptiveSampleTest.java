package io.hudizorder.spark.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AdaptiveSampleTest {

  private static final int CAPACITY = 100;

  @Test
  void keepsEverythingThatFits() {
    assertThat(sample(hashes(CAPACITY)).level()).isZero();
    assertThat(sample(hashes(CAPACITY)).items()).hasSize(CAPACITY);
  }

  @Test
  void keepsTheShareItsLevelSays() {
    List<Long> hashes = hashes(50_000);

    AdaptiveSample<Long> sample = sample(hashes);

    assertThat(sample.items()).hasSizeBetween(CAPACITY / 3, CAPACITY);
    assertThat(sample.items())
        .containsExactlyInAnyOrderElementsOf(
            hashes.stream()
                .filter(hash -> AdaptiveSample.zeros(hash) >= sample.level())
                .collect(Collectors.toList()));
    // Flajolet: the relative error of the estimated number is about 1.2 / sqrt(capacity).
    assertThat(Math.scalb((double) sample.items().size(), sample.level()))
        .isBetween(50_000 * 0.6, 50_000 * 1.4);
  }

  @Test
  void partsMergeIntoTheSampleOfTheWholeHoweverTheyWereCut() {
    List<Long> hashes = hashes(20_000);
    AdaptiveSample<Long> whole = sample(hashes);
    List<Long> shuffled = new ArrayList<>(hashes);
    Collections.shuffle(shuffled, new Random(7));

    // One large part and many small ones, down to empty ones.
    AdaptiveSample<Long> merged = sample(shuffled.subList(0, 15_000));
    for (int from = 15_000; from < 20_000; from += 50) {
      AdaptiveSample<Long> small = sample(shuffled.subList(from, from + 50));
      merged = from % 100 == 0 ? small.merge(merged) : merged.merge(small);
      merged = merged.merge(sample(List.of()));
    }

    assertThat(merged.level()).isEqualTo(whole.level());
    assertThat(merged.items()).containsExactlyInAnyOrderElementsOf(whole.items());
  }

  /** As a table of two thousand tasks has them, of which the driver wants 400,000 rows. */
  @Test
  void manyTasksKeepFewTimesTheSampleThatTheyMakeTogether() {
    long wanted = 400_000;
    long ofTask = OnePassSample.ofTask(2 * wanted, 2_000, OnePassSample.ANY_TASKS_ROWS);

    assertThat(2_000 * ofTask).isLessThanOrEqualTo(OnePassSample.SKEW * 2 * wanted);
    assertThat(OnePassSample.ofTask(2 * wanted, 36, OnePassSample.ANY_TASKS_ROWS))
        .isEqualTo(2 * wanted);
    assertThat(OnePassSample.ofTask(1_000, 2_000, OnePassSample.ANY_TASKS_ROWS)).isEqualTo(1_000);
  }

  @Test
  void partsThatKeepLessMakeTheSampleOfTheWholeUnlessOneHasMostOfTheRows() {
    long wanted = 2_000;
    int parts = 1_000;
    long ofPart = OnePassSample.ofTask(2 * wanted, parts, 50);
    List<Long> hashes = hashes(500_000);
    AdaptiveSample<Long> whole = sample(2 * wanted, hashes);

    // One has fifty times as many as the others.
    AdaptiveSample<Long> uneven = merged(2 * wanted, ofPart, hashes, 23_850, parts);
    // One has half of them.
    AdaptiveSample<Long> skewed = merged(2 * wanted, ofPart, hashes, 250_000, parts);

    assertThat(ofPart).isEqualTo(256);
    assertThat(uneven.level()).isEqualTo(whole.level());
    assertThat(uneven.items()).hasSizeGreaterThanOrEqualTo((int) wanted);
    assertThat(uneven.items()).containsExactlyInAnyOrderElementsOf(whole.items());
    assertThat(skewed.level()).isGreaterThan(whole.level());
    assertThat(skewed.items())
        .hasSizeBetween((int) ofPart, (int) wanted)
        .containsExactlyInAnyOrderElementsOf(
            whole.items().stream()
                .filter(hash -> AdaptiveSample.zeros(hash) >= skewed.level())
                .collect(Collectors.toList()));
  }

  /** Of a first part of so many hashes, and others of as many each. */
  private static AdaptiveSample<Long> merged(
      long capacity, long ofPart, List<Long> hashes, int first, int parts) {
    AdaptiveSample<Long> merged = new AdaptiveSample<>(capacity);
    merged.merge(sample(ofPart, hashes.subList(0, first)));
    int each = (hashes.size() - first + parts - 2) / (parts - 1);
    for (int from = first; from < hashes.size(); from += each) {
      AdaptiveSample<Long> part =
          sample(ofPart, hashes.subList(from, Math.min(hashes.size(), from + each)));
      assertThat(part.items()).hasSizeLessThanOrEqualTo((int) ofPart);
      merged.merge(part);
    }
    return merged;
  }

  @Test
  void heavyItemsCountByTheirWeight() {
    AdaptiveSample<Long> sample = new AdaptiveSample<>(CAPACITY);
    for (long hash : hashes(1000)) {
      if (sample.wants(hash, 0)) {
        sample.add(hash, 0, 10, hash);
      }
    }
    assertThat(sample.items()).hasSizeBetween(1, CAPACITY / 10);
  }

  @Test
  void equalHashesBeyondTheCapacityAreGivenUpNotHeld() {
    AdaptiveSample<Long> sample = sample(Collections.nCopies(CAPACITY + 1, 0L));

    assertThat(sample.items()).isEmpty();
  }

  private static AdaptiveSample<Long> sample(List<Long> hashes) {
    return sample(CAPACITY, hashes);
  }

  private static AdaptiveSample<Long> sample(long capacity, List<Long> hashes) {
    AdaptiveSample<Long> sample = new AdaptiveSample<>(capacity);
    for (long hash : hashes) {
      if (sample.wants(hash, 0)) {
        sample.add(hash, 0, 1, hash);
      }
    }
    return sample;
  }

  private static List<Long> hashes(int count) {
    return new Random(42).longs(count).boxed().collect(Collectors.toList());
  }
}
