package io.hudizorder.plan.slice;

import io.hudizorder.layout.LayoutSpec;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What the files of one clustering group have in common, told by the ids of their file groups: they
 * are of one layout, and of one <em>run</em>, in which the boxes of files do not meet. A file group
 * keeps its id whatever is written to it, so that planning remembers earlier clusterings by a
 * listing alone, and there is nothing beside the table to keep true.
 *
 * <p>Such an id is a UUID of version 8, which RFC 9562 leaves to its maker; Hudi's own are of
 * version 4. From the left: a bit that is set, so that no id looks like that of a bucket, 47 random
 * bits, the version, 12 bits of the run, the variant, 24 bits of the run, 32 of the layout, 6
 * random bits. The first 18 bits of a run tell its clustering's instant, the others its group.
 */
public final class RunId implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final int VERSION = 8;
  private static final int UUID_LENGTH = 36;
  private static final int LOW_RUN_BITS = 24;
  private static final int GROUP_BITS = 18;
  private static final int RANDOM_BITS = 6;
  private static final long RUN = (1L << 36) - 1;
  private static final long GROUP = (1L << GROUP_BITS) - 1;
  private static final long LOW_RUN = (1L << LOW_RUN_BITS) - 1;
  private static final long HIGH_RANDOM = ~0L << 16;
  private static final long LOW_RANDOM = (1L << RANDOM_BITS) - 1;

  private final int layout;
  private final long run;

  private RunId(int layout, long run) {
    this.layout = layout;
    this.run = run & RUN;
  }

  /**
   * The run that a clustering group becomes.
   *
   * @param layout of {@link #layout}
   * @param instant of the clustering
   * @param fileId any file group that the group replaces
   */
  public static RunId of(int layout, String instant, String fileId) {
    long group = digest(instant + '\n' + fileId) & GROUP;
    return new RunId(layout, digest(instant) << GROUP_BITS | group);
  }

  /**
   * Whether a file of the run is as the clustering has left it: not if something was written to its
   * file group since.
   *
   * @param commit that wrote the file; one in 250,000 others passes for the clustering
   */
  public boolean isLeftBy(String commit) {
    return run >>> GROUP_BITS == (digest(commit) & RUN >>> GROUP_BITS);
  }

  /** The run of a file group, if it is of one of this layout. */
  public static Optional<RunId> of(int layout, String fileId) {
    return read(fileId).filter(id -> id.layout == layout);
  }

  /** Whether a file group is of a run of some layout. */
  public static boolean isOfRun(String fileId) {
    return read(fileId).isPresent();
  }

  /**
   * What makes two runs the same layout, in 32 bits. Names are the same in any case, as Spark has
   * it, and weights by what they are of the greatest, to the seven digits of a float: a third is
   * one however it was written.
   */
  public static int layout(LayoutSpec spec, long fileBytes) {
    double most = Arrays.stream(spec.weights()).max().orElse(1);
    String said =
        String.join(
            "\n",
            spec.columns().toString().toLowerCase(Locale.ROOT),
            Arrays.stream(spec.weights())
                .mapToObj(weight -> Float.toString((float) (weight / most)))
                .collect(Collectors.joining(", ", "[", "]")),
            spec.curve().name(),
            spec.build().name(),
            spec.cuts().name(),
            Long.toString(fileBytes));
    String queries = spec.queriesInLowerCase();
    return (int) digest(queries.isEmpty() ? said : said + '\n' + queries);
  }

  /**
   * An id of the run, without the number that Hudi ends it with.
   *
   * @param random whose bits the id takes over where it says nothing of the run
   */
  public String fileId(UUID random) {
    long high =
        1L << 63
            | random.getMostSignificantBits() & HIGH_RANDOM
            | (long) VERSION << 12
            | run >>> LOW_RUN_BITS;
    long low =
        1L << 63
            | (run & LOW_RUN) << 32 + RANDOM_BITS
            | Integer.toUnsignedLong(layout) << RANDOM_BITS
            | random.getLeastSignificantBits() & LOW_RANDOM;
    return new UUID(high, low).toString();
  }

  private static Optional<RunId> read(String fileId) {
    if (fileId.length() < UUID_LENGTH) {
      return Optional.empty();
    }
    UUID id;
    try {
      id = UUID.fromString(fileId.substring(0, UUID_LENGTH));
    } catch (IllegalArgumentException foreign) {
      return Optional.empty();
    }
    if (id.version() != VERSION || id.getMostSignificantBits() >= 0) {
      return Optional.empty();
    }
    long high = id.getMostSignificantBits() & 0xFFF;
    long low = id.getLeastSignificantBits() >>> RANDOM_BITS;
    return Optional.of(new RunId((int) low, high << LOW_RUN_BITS | low >>> 32 & LOW_RUN));
  }

  private static long digest(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).getLeastSignificantBits();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RunId && ((RunId) other).layout == layout && ((RunId) other).run == run;
  }

  @Override
  public int hashCode() {
    return Objects.hash(layout, run);
  }

  /** The run as seventeen digits: of its layout, then its own. */
  @Override
  public String toString() {
    return String.format("%08x%09x", layout, run);
  }
}
