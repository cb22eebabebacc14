package io.hudizorder;

import static io.hudizorder.option.ChosenValues.bad;
import static io.hudizorder.option.ChosenValues.lower;
import static io.hudizorder.option.OwnOptions.COLUMN_WEIGHTS;
import static io.hudizorder.option.OwnOptions.CUTS;
import static io.hudizorder.option.OwnOptions.FILE_ORDER;
import static io.hudizorder.option.OwnOptions.MAX_BYTES_PER_PLAN;
import static io.hudizorder.option.OwnOptions.MODE;
import static io.hudizorder.option.OwnOptions.PAGE_ROW_LIMIT;
import static io.hudizorder.option.OwnOptions.QUERIES;
import static io.hudizorder.option.OwnOptions.READ_THRESHOLD;
import static io.hudizorder.option.OwnOptions.SEED;
import static io.hudizorder.option.OwnOptions.VERIFY;
import static io.hudizorder.option.OwnOptions.WAIT_FOR_WRITERS;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_STRATEGY;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.option.OwnOptions;
import io.hudizorder.option.QueriesOption;
import io.hudizorder.parquet.PageRowLimit;
import io.hudizorder.spark.Suggestion;
import io.hudizorder.write.Verify;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The options of a layout, read and validated; those of our own are defined in {@link OwnOptions}.
 *
 * <p>Hudi's own keys keep their names; ours share the prefix {@value OwnOptions#PREFIX}. Options
 * are read from the write configuration overlaid with the parameters stored in the clustering plan,
 * so that whoever executes a plan gets the layout its author asked for. A key under the prefix that
 * is not known, or a value that cannot be read, is refused by name before anything is written.
 */
public final class ZOrderOptions {

  /** Which files of a partition a plan takes. */
  public enum Mode {
    /** What is new, and what is worth laying out with it. */
    INCREMENTAL,
    /** All. */
    FULL
  }

  private static final String DEFAULT_STRATEGY = Curve.ZORDER.name();
  private static final String DEFAULT_BUILD_METHOD = "SAMPLE";

  /** Bytes of a full file, of a table that was not clustered before: Hudi's GB skips little. */
  static final String DEFAULT_TARGET_FILE_BYTES = Long.toString(128L << 20);

  private final LayoutSpec layout;
  private final String queries;
  private final Verify verify;
  private final Duration waitForWriters;
  private final Mode mode;
  private final long maxBytesPerPlan;
  private final double readThreshold;

  private ZOrderOptions(LayoutSpec layout, ChosenValues values) {
    this.layout = layout;
    String queries = values.text(QUERIES).trim();
    this.queries = queries.isEmpty() || !layout.splits() ? QueriesOption.NONE : queries;
    this.verify = values.choice(VERIFY, VERIFY.defaultValue(), Verify.class);
    this.waitForWriters =
        Duration.ofSeconds(values.number(WAIT_FOR_WRITERS, 0, Integer.MAX_VALUE, "seconds"));
    this.mode = values.choice(MODE, MODE.defaultValue(), Mode.class);
    this.maxBytesPerPlan = values.number(MAX_BYTES_PER_PLAN, 1, Long.MAX_VALUE, "bytes");
    String threshold = values.text(READ_THRESHOLD).trim();
    this.readThreshold = ChosenValues.above(1, "a threshold", READ_THRESHOLD, threshold, threshold);
  }

  /**
   * Reads and validates the options.
   *
   * @param config the properties of the write configuration
   * @param planParameters what the plan stored at scheduling; wins over {@code config}
   * @throws IllegalArgumentException naming the key, its value and the remedy
   */
  public static ZOrderOptions of(Properties config, Map<String, String> planParameters) {
    ChosenValues values = ChosenValues.of(config).overlaidWith(planParameters);
    values.refuseUnknownKeys(planParameters.keySet());
    String zColumn = values.text(OwnOptions.Z_COLUMN).trim();
    if (!zColumn.isEmpty()) {
      values =
          values.overlaidWith(
              Map.of(
                  PLAN_STRATEGY_SORT_COLUMNS.key(), zColumn,
                  LAYOUT_OPTIMIZE_STRATEGY.key(), Curve.LINEAR.name(),
                  OwnOptions.CUTS.key(), ChosenValues.lower(LayoutSpec.Cuts.EQUAL)));
    }
    List<String> columns = values.sortColumns();
    LayoutSpec layout =
        LayoutSpec.builder()
            .columns(columns)
            .weights(weights(values, columns))
            .queries(QueriesOption.parse(values.text(QUERIES), columns))
            .curve(values.choice(LAYOUT_OPTIMIZE_STRATEGY, DEFAULT_STRATEGY, Curve.class))
            .build(
                values.choice(
                    LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD,
                    DEFAULT_BUILD_METHOD,
                    LayoutSpec.BuildMethod.class))
            .cuts(values.choice(CUTS, CUTS.defaultValue(), LayoutSpec.Cuts.class))
            .fileOrder(
                values.choice(FILE_ORDER, FILE_ORDER.defaultValue(), LayoutSpec.FileOrder.class))
            .pageRows(PageRowLimit.of(values))
            .sampleSize(
                values.number(
                    LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE, 1, Integer.MAX_VALUE, "rows"))
            .seed(values.number(SEED, Long.MIN_VALUE, Long.MAX_VALUE, "seed"))
            .create();
    return new ZOrderOptions(layout, values);
  }

  public LayoutSpec layout() {
    return layout;
  }

  /** Most rows of a page. */
  public long pageRowLimit() {
    return layout.pageRows();
  }

  /** Whether pages have another limit than Parquet gives them. */
  boolean limitsPages() {
    return pageRowLimit() != Long.parseLong(PAGE_ROW_LIMIT.defaultValue());
  }

  public Verify verify() {
    return verify;
  }

  /** How long to wait for the end of writes that may be changing what is replaced. */
  public Duration waitForWriters() {
    return waitForWriters;
  }

  public Mode mode() {
    return mode;
  }

  /** How much an incremental plan may rewrite. */
  public long maxBytesPerPlan() {
    return maxBytesPerPlan;
  }

  /** How many times the optimum may be read before an incremental plan takes larger runs. */
  public double readThreshold() {
    return readThreshold;
  }

  /**
   * Every option that execution goes by, as it is to be stored in a plan; {@link #of} reads it back
   * to the same options.
   */
  public Map<String, String> toPlanParameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put(PLAN_STRATEGY_SORT_COLUMNS.key(), String.join(",", layout.columns()));
    parameters.put(LAYOUT_OPTIMIZE_STRATEGY.key(), layout.curve().name());
    parameters.put(LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD.key(), layout.build().name());
    parameters.put(
        LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE.key(), Long.toString(layout.sampleSize()));
    parameters.put(CUTS.key(), lower(layout.cuts()));
    parameters.put(FILE_ORDER.key(), lower(layout.fileOrder()));
    parameters.put(PAGE_ROW_LIMIT.key(), Long.toString(pageRowLimit()));
    parameters.put(SEED.key(), Long.toString(layout.seed()));
    parameters.put(VERIFY.key(), lower(verify));
    // For whoever reads the plan, and for the next one, which may ask for more.
    parameters.put(MODE.key(), lower(mode));
    parameters.put(MAX_BYTES_PER_PLAN.key(), Long.toString(maxBytesPerPlan));
    parameters.put(READ_THRESHOLD.key(), Double.toString(readThreshold));
    parameters.put(WAIT_FOR_WRITERS.key(), Long.toString(waitForWriters.toSeconds()));
    List<String> weights = new ArrayList<>();
    for (int i = 0; i < layout.columns().size(); i++) {
      weights.add(layout.columns().get(i) + "=" + layout.weights()[i]);
    }
    parameters.put(COLUMN_WEIGHTS.key(), String.join(",", weights));
    // Told where there is nothing as well, or else who executes the plan would add their own.
    parameters.put(QUERIES.key(), queries);
    parameters.put(OwnOptions.Z_COLUMN.key(), "");
    return parameters;
  }

  private static double[] weights(ChosenValues values, List<String> columns) {
    double[] weights = new double[columns.size()];
    Arrays.fill(weights, 1.0);
    String text = values.text(COLUMN_WEIGHTS).trim();
    if (text.isEmpty()) {
      return weights;
    }
    for (String pair : text.split("[,;]", -1)) {
      int separator = Math.max(pair.lastIndexOf('='), pair.lastIndexOf(':'));
      if (separator < 0) {
        throw bad(
            COLUMN_WEIGHTS,
            text,
            "write 'a=2,b=1', or 'a:2;b:1' in the options of a CALL, of whose values Hudi drops what"
                + " follows a '=' or ','");
      }
      String column = pair.substring(0, separator).trim();
      int index = columns.indexOf(column);
      if (index < 0) {
        throw bad(
            COLUMN_WEIGHTS,
            text,
            "'" + column + "' is not a sort column; " + Suggestion.among(columns, column));
      }
      weights[index] =
          ChosenValues.above(
              0, "a weight", COLUMN_WEIGHTS, text, pair.substring(separator + 1).trim());
    }
    return weights;
  }
}
