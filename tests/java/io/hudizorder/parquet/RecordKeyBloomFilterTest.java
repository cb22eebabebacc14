package io.hudizorder.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.bloom.BloomFilterFactory;
import org.apache.hudi.common.bloom.BloomFilterTypeCode;

class RecordKeyBloomFilterTest {

  @Property(tries = 300, seed = "1")
  void isHudisFilterForAsManyKeysAsThereAreBitForBit(
      @ForAll BloomFilterTypeCode type,
      @ForAll @IntRange(min = 1, max = 120) int entries,
      @ForAll @IntRange(min = 1, max = 12) int zeros,
      @ForAll @IntRange(min = 1, max = 400) int mostEntries,
      @ForAll @Size(max = 500) List<@From("keys") String> keys) {
    double falsePositives = Math.pow(10, -zeros);
    BloomFilter hudis =
        BloomFilterFactory.createBloomFilter(
            Math.max(1, Math.min(entries, keys.size())), falsePositives, mostEntries, type.name());
    RecordKeyBloomFilter ours =
        new RecordKeyBloomFilter(type, entries, falsePositives, mostEntries);

    for (String key : keys) {
      hudis.add(key.getBytes(StandardCharsets.UTF_8));
      ours.add(key.getBytes(StandardCharsets.UTF_8));
    }

    assertThat(ours.serializeToString()).isEqualTo(hudis.serializeToString());
    assertThat(ours.getBloomFilterTypeCode()).isEqualTo(hudis.getBloomFilterTypeCode());
    assertThat(keys).allMatch(ours::mightContain);
  }

  /** Of all lengths, that words and what is left of them are met in every combination. */
  @Provide
  Arbitrary<String> keys() {
    return Arbitraries.oneOf(
        Arbitraries.strings().withCharRange('0', '9').ofMinLength(1).ofMaxLength(12),
        Arbitraries.strings().ofMinLength(1).ofMaxLength(70),
        Arbitraries.strings().withChars("ä€😀z").ofMinLength(1).ofMaxLength(30),
        Arbitraries.integers().between(1_015, 1_035).map("k"::repeat));
  }

  @Example
  void hasTheSizesOfHudisDefaults() {
    BloomFilter hudis = BloomFilterFactory.createBloomFilter(60_000, 1e-9, 100_000, "DYNAMIC_V0");
    RecordKeyBloomFilter ours =
        new RecordKeyBloomFilter(BloomFilterTypeCode.DYNAMIC_V0, 60_000, 1e-9, 100_000);
    for (int i = 0; i < 130_000; i++) {
      hudis.add("key:" + i);
      ours.add("key:" + i);
    }
    assertThat(ours.serializeToString()).isEqualTo(hudis.serializeToString());
    assertThat(ours.mightContain("key:17")).isTrue();
    assertThat(ours.mightContain("another")).isFalse();
  }

  @Example
  void isAsSmallAsTheFileHasKeys() {
    RecordKeyBloomFilter ours =
        new RecordKeyBloomFilter(BloomFilterTypeCode.DYNAMIC_V0, 60_000, 1e-9, 100_000);
    for (int i = 0; i < 200; i++) {
      ours.add("key:" + i);
    }
    assertThat(ours.serializeToString()).hasSizeLessThan(1_600);
    assertThat(ours.mightContain("key:17")).isTrue();
    assertThat(ours.mightContain("another")).isFalse();
  }

  /** Else they would be kept until the file is written. */
  @Example
  void isOfFullSizeForKeysOfSomeMegabytes() {
    RecordKeyBloomFilter ours =
        new RecordKeyBloomFilter(BloomFilterTypeCode.DYNAMIC_V0, 60_000, 1e-9, 100_000);
    for (int i = 0; i < 50; i++) {
      ours.add("k".repeat(100_000) + i);
    }
    assertThat(ours.serializeToString()).hasSizeGreaterThan(400_000);
    assertThat(ours.mightContain("k".repeat(100_000) + 49)).isTrue();
  }

  @Example
  void keepsItsKeysWhenAskedInBetween() {
    RecordKeyBloomFilter ours = new RecordKeyBloomFilter(BloomFilterTypeCode.SIMPLE, 10, 0.001, 10);
    ours.add("a");
    assertThat(ours.mightContain("a")).isTrue();
    assertThat(ours.mightContain("b")).isFalse();
    ours.add("b");
    assertThat(ours.mightContain("a")).isTrue();
    assertThat(ours.mightContain("b")).isTrue();
  }

  @Example
  void keepsAKeyWhoseBytesAreUsedAgain() {
    RecordKeyBloomFilter ours = new RecordKeyBloomFilter(BloomFilterTypeCode.SIMPLE, 10, 0.001, 10);
    byte[] key = {'a'};
    ours.add(key);
    key[0] = 'b';
    assertThat(ours.mightContain("a")).isTrue();
    assertThat(ours.mightContain("b")).isFalse();
  }

  @Example
  void refusesAnEmptyKeyAsHudiDoes() {
    RecordKeyBloomFilter ours = new RecordKeyBloomFilter(BloomFilterTypeCode.SIMPLE, 10, 0.001, 10);
    assertThatThrownBy(() -> ours.add(new byte[0])).isInstanceOf(IllegalArgumentException.class);
  }
}
