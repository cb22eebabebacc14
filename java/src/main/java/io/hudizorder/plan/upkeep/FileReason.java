package io.hudizorder.plan.upkeep;

import io.hudizorder.option.GroupKeys;
import java.util.Set;

/** Why a plan takes a file slice, or leaves it alone. */
public enum FileReason {
  /** No clustering has laid it out. */
  NEW,
  /** Of a run of the wanted layout, but filled up with other rows since. */
  CHANGED,
  /** Laid out, and so small beside what is new that one run of both reads less for its bytes. */
  MERGED,
  /** Laid out by other columns, weights or queries, or for files of another size. */
  OTHER_LAYOUT,
  /** Taken because all are. */
  FULL,

  /** Laid out as asked: to rewrite it gains too little for its bytes. */
  LAID_OUT,
  /** Worth it, but the plan may rewrite no more bytes. */
  MAX_BYTES_PER_PLAN,
  /** Worth it, but the plan may have no more groups. */
  MAX_GROUPS,
  /** As large as {@code small.file.limit}, or larger. */
  SMALL_FILE_LIMIT,
  /** Taken by a pending clustering. */
  PENDING_CLUSTERING,
  /** Taken by a pending compaction. */
  PENDING_COMPACTION,
  /** A write under way has said that it changes files of the partition. */
  WRITE_UNDER_WAY;

  /** Those by which a plan leaves out what is worth it. */
  static final Set<FileReason> LIMITS = Set.of(MAX_BYTES_PER_PLAN, MAX_GROUPS);

  /** Name of a metric of a clustering group: how many slices. */
  String files() {
    return GroupKeys.files(this);
  }

  /** Name of a metric of a clustering group: their bytes. */
  String bytes() {
    return GroupKeys.bytes(this);
  }
}
