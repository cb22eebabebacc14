package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpkeepPolicyTest {

  private static final long FILE = 1_000_000;
  private static final long ANY = Long.MAX_VALUE;
  private static final long ALL = 1_000_000;

  private static Partition laidOut(int files) {
    Partition partition = new Partition(FILE, ANY).load(files, files * FILE, 0, ALL);
    partition.execute(partition.step());
    return partition;
  }

  private static UpkeepPolicy policy(List<FileNumbers> files, long maxBytes, double... weights) {
    return new UpkeepPolicy(new PartitionReading(files, weights, FILE), weights, maxBytes, 1.5);
  }

  @Test
  void whatIsLaidOutIsLeftAlone() {
    assertThat(laidOut(16).plan()).isEmpty();
  }

  @Test
  void aSmallLoadBecomesARunAndLeavesTheTableAlone() {
    Partition partition = laidOut(100).load(2, 2 * FILE, 0, ALL);

    assertThat(partition.step().bytes()).isEqualTo(2 * FILE);
  }

  @Test
  void aLargeLoadIsLaidOutWithTheTable() {
    Partition partition = laidOut(16).load(10, 10 * FILE, 0, ALL);

    UpkeepStep step = partition.step();

    assertThat(step.bytes()).isEqualTo(26 * FILE);
    assertThat(step.weights()).containsExactly(1, 1);
    assertThat(step.touchedAfter()).isCloseTo(step.optimum(), Percentage.withPercentage(0.1));
  }

  @Test
  void aLoadOfAnotherDayIsCutByTheOtherColumn() {
    Partition partition = laidOut(16).load(4, 4 * FILE, ALL + 1, ALL + 100);

    UpkeepStep step = partition.step();

    assertThat(step.bytes()).isEqualTo(4 * FILE);
    assertThat(step.weights()[0] / step.weights()[1]).isCloseTo(0.2, Percentage.withPercentage(1));
  }

  @Test
  void filesThatAWriteHasLaidOutAreARun() {
    Partition written = laidOut(16);
    List<FileNumbers> foreign =
        written.files().stream()
            .map(
                f -> new FileNumbers(f.id(), f.bytes(), null, "1", List.of(f.range(0), f.range(1))))
            .collect(Collectors.toList());

    assertThat(policy(foreign, ANY, 1, 1).steps()).isEmpty();
  }

  @Test
  void filesOfAnEarlierLayoutAreLedOver() {
    Partition written = laidOut(16);
    List<FileNumbers> earlier =
        written.files().stream()
            .map(f -> new FileNumbers(f.id(), f.bytes(), null, "", List.of(f.range(0), f.range(1))))
            .collect(Collectors.toList());

    UpkeepStep all = policy(earlier, ANY, 1, 1).steps().get(0);
    UpkeepStep some = policy(earlier, 5 * FILE, 1, 1).steps().get(0);

    assertThat(all.fileIds()).hasSize(16);
    assertThat(some.fileIds()).hasSize(5);
    assertThat(some.isPartial()).isTrue();
  }

  @ParameterizedTest(name = "{0} of 16 files")
  @ValueSource(ints = {1, 8, 16})
  void anUpdateKeepsFilesInTheirRun(int updated) {
    Partition partition = laidOut(16);
    partition.update(updated);

    assertThat(partition.plan()).isEmpty();
  }

  @ParameterizedTest(name = "{0} of 64 files")
  @ValueSource(ints = {4, 32, 64})
  void filesThatAreFilledUpWithOtherRowsAreFresh(int filled) {
    Partition partition = laidOut(64);
    Set<String> ids =
        partition.files().subList(0, filled).stream()
            .map(FileNumbers::id)
            .collect(Collectors.toSet());
    partition.fillUp(filled);

    assertThat(partition.step().fileIds()).containsAll(ids);
    partition.execute(partition.step());
    assertThat(partition.plan()).isEmpty();
    assertThat(partition.depth()).isLessThan(1.5);
  }

  @Test
  void aFileThatIsFilledUpWaitsForOthers() {
    Partition partition = laidOut(64);
    partition.fillUp(1);

    assertThat(partition.plan()).isEmpty();
  }

  @Test
  void eachFileHasItsReason() {
    Partition partition = laidOut(64).load(30, 30 * FILE, 0, ALL);
    partition.fillUp(1);
    UpkeepPolicy all = partition.policy();
    UpkeepPolicy some = policy(partition.files(), 10 * FILE, 1, 1);

    Map<FileReason, Long> merging = counted(all.reasons(all.steps()));
    Map<FileReason, Long> bounded = counted(some.reasons(some.steps()));

    assertThat(merging)
        .isEqualTo(Map.of(FileReason.NEW, 30L, FileReason.CHANGED, 1L, FileReason.MERGED, 63L));
    assertThat(bounded.get(FileReason.MAX_BYTES_PER_PLAN)).isEqualTo(21);
    assertThat(bounded.get(FileReason.LAID_OUT)).isEqualTo(63);
  }

  private static Map<FileReason, Long> counted(Map<String, FileReason> reasons) {
    return reasons.values().stream()
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }

  @ParameterizedTest(name = "{0} files laid out, {1} new ones")
  @CsvSource({"16, 4", "64, 2", "64, 40"})
  void whatIsToBeReadIsWhatIsRead(int files, int fresh) {
    Partition partition = laidOut(files).load(fresh, fresh * FILE, 0, ALL);
    PartitionReading before = partition.policy().reading();
    UpkeepStep step = partition.step();
    double gain = before.bytesRead(step.fileIds()) - before.bytesReadLaidOut(step.fileIds());
    partition.execute(step);

    assertThat(partition.policy().reading().bytesRead() / partition.bytes())
        .isCloseTo((before.bytesRead() - gain) / partition.bytes(), Percentage.withPercentage(8));
  }

  @Test
  void smallFilesAreMerged() {
    Partition partition = new Partition(FILE, ANY).load(100, FILE, 0, ALL);

    UpkeepStep step = partition.step();

    assertThat(step.touchedNow()).isCloseTo(100, Percentage.withPercentage(0.1));
    assertThat(step.touchedAfter()).isCloseTo(1, Percentage.withPercentage(0.1));
  }

  @Test
  void smallFilesAreMergedThoughTheyDoNotMeet() {
    List<FileNumbers> days = new ArrayList<>();
    for (long day = 0; day < 10; day++) {
      days.add(new FileNumbers("f" + day, FILE / 10, null, "1", List.of(List.of(day, day))));
    }

    List<UpkeepStep> steps = policy(days, ANY, 1).steps();

    assertThat(steps).hasSize(1);
    assertThat(steps.get(0).fileIds()).hasSize(10);
  }

  @ParameterizedTest(name = "{0} loads of {1} files")
  @CsvSource({
    "20, 3, 4.0, 1.4, 1.5",
    "20, 8, 4.0, 1.4, 1.5",
    "20, 20, 4.0, 1.4, 1.5",
    "100, 8, 6.5, 1.45, 1.7",
    "1000, 1, 9.0, 1.5, 1.7"
  })
  void randomLoadsCostLittleAndReadNearTheOptimum(
      int loads, int files, double mostRewritten, double mostInTheMean, double mostAtTheEnd) {
    Partition partition = new Partition(FILE, ANY);
    List<Double> depths = new ArrayList<>();
    for (int load = 0; load < loads; load++) {
      partition.load(files, files * FILE, 0, ALL);
      partition.plan().forEach(partition::execute);
      depths.add(partition.depth());
    }
    List<Double> later = new ArrayList<>(depths.subList(4, loads));
    Collections.sort(later);

    assertThat((double) partition.rewritten() / partition.bytes())
        .isLessThanOrEqualTo(mostRewritten);
    assertThat(later.stream().mapToDouble(depth -> depth).average().orElseThrow())
        .isLessThanOrEqualTo(mostInTheMean);
    assertThat(later.get((int) Math.ceil(0.99 * later.size()) - 1))
        .isLessThanOrEqualTo(mostAtTheEnd);
  }

  @Test
  void aLowerThresholdRewritesMoreAndReadsLess() {
    double[] rewritten = new double[3];
    double[] read = new double[3];
    double[] thresholds = {1.2, 1.5, 2};
    for (int t = 0; t < 3; t++) {
      Partition partition = new Partition(FILE, ANY, thresholds[t]);
      for (int load = 0; load < 200; load++) {
        partition.load(1, FILE, 0, ALL);
        partition.plan().forEach(partition::execute);
        read[t] += partition.depth() / 200;
      }
      rewritten[t] = (double) partition.rewritten() / partition.bytes();
    }

    assertThat(rewritten[0]).isGreaterThan(1.5 * rewritten[1]);
    assertThat(rewritten[1]).isGreaterThan(1.2 * rewritten[2]);
    assertThat(read).isSorted();
    assertThat(read[0]).isLessThan(1.2);
  }

  @ParameterizedTest(name = "of {0} files")
  @CsvSource({"3", "4", "6", "8", "20", "40"})
  void loadsOfADayEachAreWrittenOnceAndReadNearTheOptimum(int files) {
    Partition partition = new Partition(FILE, ANY);
    for (int load = 0; load < 20; load++) {
      partition.load(files, files * FILE, load * 1_000L, load * 1_000L + 999);
      partition.plan().forEach(partition::execute);
      if (load >= 4) {
        assertThat(partition.depth()).isLessThan(1.2);
      }
    }

    assertThat((double) partition.rewritten() / partition.bytes()).isLessThanOrEqualTo(1.5);
  }

  @Property(tries = 100)
  void aPlanCarriedOutLeavesNothingToDo(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(min = 1, max = 40) Integer> loads,
      @ForAll long seed) {
    Partition partition = new Partition(FILE, ANY);
    Random random = new Random(seed);
    for (int load : loads) {
      long low = random.nextInt(1_000);
      partition.load(load, load * FILE / (1 + random.nextInt(3)), low, low + random.nextInt(1_000));
      partition.plan().forEach(partition::execute);

      assertThat(partition.plan()).isEmpty();
    }
  }

  @Property(tries = 100)
  void aPlanAfterChangesLeavesNothingToDo(
      @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 1, max = 40) Integer> loads,
      @ForAll long seed) {
    Partition partition = new Partition(FILE, ANY);
    Random random = new Random(seed);
    for (int load : loads) {
      long low = random.nextInt(1_000);
      if (random.nextBoolean()) {
        partition.load(load, load * FILE / (1 + random.nextInt(3)), low, low + 1_000);
      }
      partition.fillUp(random.nextInt(1 + partition.files().size()));
      partition.plan().forEach(partition::execute);

      assertThat(partition.plan()).isEmpty();
    }
  }

  @Property(tries = 30)
  void aPlanKeepsItsLimitAndStepsComeToAnEnd(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(min = 1, max = 40) Integer> loads,
      @ForAll @LongRange(min = 5 * FILE, max = 30 * FILE) long maxBytes) {
    Partition partition = new Partition(FILE, maxBytes);
    for (int load : loads) {
      partition.load(load, load * FILE, 0, ALL);
    }
    Set<Set<String>> taken = new HashSet<>();
    while (!partition.plan().isEmpty()) {
      UpkeepStep step = partition.plan().get(0);

      assertThat(step.bytes()).isLessThanOrEqualTo(maxBytes);
      assertThat(taken.add(step.fileIds())).isTrue();
      assertThat(partition.files().stream().map(FileNumbers::id).collect(Collectors.toSet()))
          .containsAll(step.fileIds());
      partition.execute(step);
      assertThat(taken.size()).isLessThan(1_000);
    }
    assertThat(partition.files()).allMatch(file -> file.run().isPresent());
  }

  @Property(tries = 100)
  void equalTablesGiveEqualPlans(
      @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 1, max = 10) Integer> loads,
      @ForAll Random random) {
    Partition partition = laidOut(9);
    loads.forEach(load -> partition.load(load, load * FILE, 0, ALL));
    List<FileNumbers> shuffled = new ArrayList<>(partition.files());
    Collections.shuffle(shuffled, random);

    UpkeepStep one = partition.step();
    UpkeepStep other = policy(shuffled, ANY, 1, 1).steps().get(0);

    assertThat(other.fileIds()).isEqualTo(one.fileIds());
    assertThat(other.weights()).containsExactly(one.weights());
  }
}
