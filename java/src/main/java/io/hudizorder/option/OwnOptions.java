package io.hudizorder.option;

import java.util.List;
import org.apache.hudi.common.config.ConfigProperty;

/** The options that Hudi does not have: key, default and meaning. */
public final class OwnOptions {

  /** What their keys begin with. */
  public static final String PREFIX = "hoodie.clustering.zorder.";

  public static final ConfigProperty<String> CUTS =
      ConfigProperty.key(PREFIX + "cuts")
          .defaultValue("tree")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Which rows share a file: 'tree' splits the sample recursively so that the boxes of"
                  + " files are disjoint and equally full, 'equal' cuts the curve at equal counts.");

  public static final ConfigProperty<String> FILE_ORDER =
      ConfigProperty.key(PREFIX + "file.order")
          .defaultValue("auto")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Where rows lie inside a file of the split tree, for pages to be skipped by: in 'tiles'"
                  + " of a page each, or along a curve, 'hilbert' or 'zorder'; 'auto' is tiles,"
                  + " unless the strategy is HILBERT. Files of 'equal' cuts lie along their curve.");

  public static final ConfigProperty<String> PAGE_ROW_LIMIT =
      ConfigProperty.key(PREFIX + "page.row.limit")
          .defaultValue("20000")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Most rows of a page, 100 or more; Parquet's own limit when unset. Smaller pages skip"
                  + " more of a file that is read at all, and make it larger.");

  public static final ConfigProperty<String> COLUMN_WEIGHTS =
      ConfigProperty.key(PREFIX + "column.weights")
          .defaultValue("")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Weights of sort columns as 'a=2,b=1' (or 'a:2;b:1', since the options of a SQL CALL"
                  + " cannot hold '=' and ','); a column that is not named weighs 1. A heavier"
                  + " column gets its splits first. Unset, those of the table's last clustering by"
                  + " the same columns.");

  public static final ConfigProperty<String> QUERIES =
      ConfigProperty.key(PREFIX + "queries")
          .defaultValue("")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Queries that the tree is cut for, as JSON that hz.ZOrderTable.cluster(queries=...)"
                  + " writes. Unset, those of the table's last clustering by the same columns;"
                  + " 'none' forgets them.");

  public static final ConfigProperty<String> SEED =
      ConfigProperty.key(PREFIX + "seed")
          .defaultValue("0")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Seed of the sample. The same rows, options and seed give the same files.");

  public static final ConfigProperty<String> VERIFY =
      ConfigProperty.key(PREFIX + "verify")
          .defaultValue("count")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "What is proven before the commit: 'count' compares the rows read and written per"
                  + " group, 'content' also a hash over all columns, 'none' nothing.");

  public static final ConfigProperty<String> WAIT_FOR_WRITERS =
      ConfigProperty.key(PREFIX + "wait.for.writers")
          .defaultValue("600")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Seconds that a clustering waits, each time it looks, for writes that have not said yet"
                  + " what they change; when they have not ended by then, it gives way.");

  public static final ConfigProperty<String> Z_COLUMN =
      ConfigProperty.key(PREFIX + "z.column")
          .defaultValue("")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "The column that holds the z-value of the sort columns, which the session's extension"
                  + " keeps true and asks; the table is then sorted by it. None when unset.");

  public static final ConfigProperty<String> MODE =
      ConfigProperty.key(PREFIX + "mode")
          .defaultValue("incremental")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "What a plan takes of a partition: 'incremental' the files that no clustering has laid"
                  + " out as asked, and as many others as keep reading near the optimum, 'full' all.");

  public static final ConfigProperty<String> MAX_BYTES_PER_PLAN =
      ConfigProperty.key(PREFIX + "max.bytes.per.plan")
          .defaultValue(Long.toString(Long.MAX_VALUE))
          .sinceVersion("0.1.0")
          .withDocumentation(
              "Bytes that an incremental plan may rewrite: it takes what gains most, and the next"
                  + " one goes on from there.");

  public static final ConfigProperty<String> READ_THRESHOLD =
      ConfigProperty.key(PREFIX + "read.threshold")
          .defaultValue("1.5")
          .sinceVersion("0.1.0")
          .withDocumentation(
              "How many times what a partition laid out as one would, above 1, an equality may read"
                  + " before an incremental plan takes larger runs of files in: less reads less, and"
                  + " rewrites more.");

  /** All of them, in the order of the documentation. */
  public static final List<ConfigProperty<String>> ALL =
      List.of(
          CUTS,
          FILE_ORDER,
          PAGE_ROW_LIMIT,
          COLUMN_WEIGHTS,
          QUERIES,
          SEED,
          VERIFY,
          WAIT_FOR_WRITERS,
          Z_COLUMN,
          MODE,
          MAX_BYTES_PER_PLAN,
          READ_THRESHOLD);

  private OwnOptions() {}
}
