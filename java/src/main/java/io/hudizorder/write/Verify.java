package io.hudizorder.write;

/** What is proven of the rows of a group before the commit. */
public enum Verify {
  /** Row counts per group. */
  COUNT,
  /** Row counts, and an order-independent hash over all columns of every row. */
  CONTENT,
  /** Nothing is checked. */
  NONE
}
