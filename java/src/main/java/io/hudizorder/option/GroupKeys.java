package io.hudizorder.option;

/**
 * The names under which a plan keeps with a clustering group what it says of it alone: how its rows
 * are laid out, and the numbers by which it was chosen. No options, for nobody sets them.
 */
public final class GroupKeys {

  private static final String PREFIX = OwnOptions.PREFIX;

  /** The layout by which upkeep knows the group's files again, a hexadecimal number. */
  public static final String LAYOUT = PREFIX + "group.layout";

  /** What the sort columns weigh for its rows. */
  public static final String WEIGHTS = PREFIX + "group.weights";

  /** What groups have in common that are parts of one. */
  public static final String WHOLE = PREFIX + "group.whole";

  /**
   * Files that the group becomes: of a part, those that it adds to what the parts before it fill,
   * which may be none.
   */
  public static final String FILES = PREFIX + "group.files";

  /** Bytes of the group. */
  public static final String BYTES = PREFIX + "bytes";

  /** Bytes of its partition that a plan could take. */
  public static final String BYTES_IN_ALL = PREFIX + "bytes.in.all";

  /** What each byte of the group takes off what an equality reads. */
  public static final String GAIN = PREFIX + "gain";

  /**
   * What an equality reads, in files of the target size: of the group's now, and once they are laid
   * out.
   */
  public static final String TOUCHED_NOW = PREFIX + "touched.now";

  public static final String TOUCHED_AFTER = PREFIX + "touched.after";

  /** In the partition: now, and were all of it laid out as one. */
  public static final String TOUCHED_IN_ALL = PREFIX + "touched.in.all";

  public static final String TOUCHED_AS_ONE = PREFIX + "touched.as.one";

  /** The same in bytes, in the mean: of all that the plan takes of the partition. */
  public static final String READ_NOW = PREFIX + "read.now";

  public static final String READ_AFTER = PREFIX + "read.after";

  /** In the partition. */
  public static final String READ_IN_ALL = PREFIX + "read.in.all";

  public static final String READ_AS_ONE = PREFIX + "read.as.one";

  private GroupKeys() {}

  /** How many slices were taken or left alone for a reason. */
  public static String files(Enum<?> reason) {
    return PREFIX + "files." + ChosenValues.lower(reason);
  }

  /** Their bytes. */
  public static String bytes(Enum<?> reason) {
    return PREFIX + "bytes." + ChosenValues.lower(reason);
  }
}
