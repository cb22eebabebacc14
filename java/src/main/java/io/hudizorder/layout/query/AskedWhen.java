package io.hudizorder.layout.query;

/** When a query was asked, against the others that a layout is for. */
public enum AskedWhen {
  /** In the earlier half: the layout may be chosen by it. */
  EARLIER,

  /** In the later half, which is more like the queries to come: the choice is judged by it. */
  LATER,

  /** Nobody knows: of such queries every other one of a template judges ({@link Holdout}). */
  UNKNOWN
}
