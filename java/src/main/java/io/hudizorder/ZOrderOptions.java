package io.hudizorder;

import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_STRATEGY;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.spark.Suggestion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hudi.common.config.ConfigProperty;

/**
 * Every option of the layout: key, default, meaning, parsing and validation.
 *
 * <p>Hudi's own keys keep their names; ours share the prefix {@value #PREFIX}. Options are read
 * from the write configuration overlaid with the parameters stored in the clustering plan, so that
 * whoever executes a plan gets the layout its author asked for. A key under the prefix that is not
 * known, or a value that cannot be read, is refused by name before anything is written.
 */
public final class ZOrderOptions {

  /** How the rows of a group are counted against the rows written, before the commit. */
  public enum Verify {
    /** Row counts per group. */
    COUNT,
    /** Row counts, and an order-independent hash over all columns of every row. */
    CONTENT,
    /** Nothing is checked. */
    NONE
  }

  /** Which files of a partition a plan takes. */
  public enum Mode {
    /** What is new, and what is worth laying out with it. */
    INCREMENTAL,
    /** All. */
    FULL
  }

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
                  + " column gets its splits first.");

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
              "Seconds that a clustering waits, before its commit, for writes that began before its"
                  + " plan could be seen and may be changing what it replaces; when they have not"
                  + " ended by then, it gives way.");

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

  /** Own options, in the order of the documentation. */
  private static final List<ConfigProperty<String>> OWN =
      List.of(
          CUTS,
          FILE_ORDER,
          PAGE_ROW_LIMIT,
          COLUMN_WEIGHTS,
          SEED,
          VERIFY,
          WAIT_FOR_WRITERS,
          MODE,
          MAX_BYTES_PER_PLAN);

  private static final String DEFAULT_STRATEGY = Curve.ZORDER.name();
  private static final String DEFAULT_BUILD_METHOD = "SAMPLE";

  /** Parquet looks at the size of a page for the first time after so many rows. */
  private static final int LEAST_PAGE_ROWS = 100;

  private final LayoutSpec layout;
  private final Verify verify;
  private final Duration waitForWriters;
  private final Mode mode;
  private final long maxBytesPerPlan;

  private ZOrderOptions(Map<String, String> values, LayoutSpec layout) {
    this.layout = layout;
    this.verify = choice(values, VERIFY, VERIFY.defaultValue(), Verify.class);
    this.waitForWriters =
        Duration.ofSeconds(number(values, WAIT_FOR_WRITERS, 0, Integer.MAX_VALUE, "seconds"));
    this.mode = choice(values, MODE, MODE.defaultValue(), Mode.class);
    this.maxBytesPerPlan = number(values, MAX_BYTES_PER_PLAN, 1, Long.MAX_VALUE, "bytes");
  }

  /**
   * Reads and validates the options.
   *
   * @param config the properties of the write configuration
   * @param planParameters what the plan stored at scheduling; wins over {@code config}
   * @throws IllegalArgumentException naming the key, its value and the remedy
   */
  public static ZOrderOptions of(Properties config, Map<String, String> planParameters) {
    Map<String, String> values = chosenValues(config);
    values.putAll(planParameters);
    refuseUnknownKeys(values);
    List<String> columns = sortColumns(values);
    LayoutSpec layout =
        LayoutSpec.builder()
            .columns(columns)
            .weights(weights(values, columns))
            .curve(choice(values, LAYOUT_OPTIMIZE_STRATEGY, DEFAULT_STRATEGY, Curve.class))
            .build(
                choice(
                    values,
                    LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD,
                    DEFAULT_BUILD_METHOD,
                    LayoutSpec.BuildMethod.class))
            .cuts(choice(values, CUTS, CUTS.defaultValue(), LayoutSpec.Cuts.class))
            .fileOrder(
                choice(values, FILE_ORDER, FILE_ORDER.defaultValue(), LayoutSpec.FileOrder.class))
            .pageRows(pageRowLimit(values))
            .sampleSize(
                number(
                    values, LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE, 1, Integer.MAX_VALUE, "rows"))
            .seed(number(values, SEED, Long.MIN_VALUE, Long.MAX_VALUE, "seed"))
            .create();
    return new ZOrderOptions(values, layout);
  }

  /** The page limit alone, for a writer, which knows no more than the properties. */
  public static long pageRowLimit(Properties config) {
    return pageRowLimit(chosenValues(config));
  }

  private static long pageRowLimit(Map<String, String> values) {
    return number(values, PAGE_ROW_LIMIT, LEAST_PAGE_ROWS, Integer.MAX_VALUE, "rows");
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
    parameters.put(WAIT_FOR_WRITERS.key(), Long.toString(waitForWriters.toSeconds()));
    List<String> weights = new ArrayList<>();
    for (int i = 0; i < layout.columns().size(); i++) {
      weights.add(layout.columns().get(i) + "=" + layout.weights()[i]);
    }
    parameters.put(COLUMN_WEIGHTS.key(), String.join(",", weights));
    return parameters;
  }

  /**
   * All options this plugin reads, one {@code key=default} a line, in the order of the
   * documentation; the Python twin is tested against it.
   */
  public static String describe() {
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put(PLAN_STRATEGY_SORT_COLUMNS.key(), "");
    defaults.put(LAYOUT_OPTIMIZE_STRATEGY.key(), DEFAULT_STRATEGY);
    defaults.put(LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD.key(), DEFAULT_BUILD_METHOD);
    defaults.put(
        LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE.key(),
        LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE.defaultValue());
    OWN.forEach(option -> defaults.put(option.key(), option.defaultValue()));
    return defaults.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  /**
   * Whether somebody chose a value. Hudi fills every key that was not set with its own default,
   * which here would turn an unset layout into LINEAR; such a fill is the very {@code String}
   * instance of the default, which no value that came from a user's file, SQL text or Python ever
   * is. (A literal {@code "LINEAR"} in Java or Scala code is: write {@code "linear"} there.)
   */
  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  static boolean isChosen(Properties config, ConfigProperty<String> option) {
    String value = config.getProperty(option.key());
    return value != null && value != option.defaultValue();
  }

  private static Map<String, String> chosenValues(Properties config) {
    Map<String, String> values = new HashMap<>();
    for (String key : config.stringPropertyNames()) {
      values.put(key, config.getProperty(key));
    }
    for (ConfigProperty<String> option :
        List.of(LAYOUT_OPTIMIZE_STRATEGY, LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD)) {
      if (!isChosen(config, option)) {
        values.remove(option.key());
      }
    }
    return values;
  }

  private static void refuseUnknownKeys(Map<String, String> values) {
    List<String> known = OWN.stream().map(ConfigProperty::key).collect(Collectors.toList());
    for (String key : new TreeSet<>(values.keySet())) {
      if (key.startsWith(PREFIX) && !known.contains(key)) {
        throw new IllegalArgumentException(
            "Cannot cluster: unknown option '" + key + "'; " + Suggestion.among(known, key));
      }
    }
  }

  private static List<String> sortColumns(Map<String, String> values) {
    String text = values.getOrDefault(PLAN_STRATEGY_SORT_COLUMNS.key(), "");
    List<String> columns =
        Arrays.stream(text.split(",", -1)).map(String::trim).collect(Collectors.toList());
    if (columns.contains("")) {
      throw bad(
          PLAN_STRATEGY_SORT_COLUMNS, text, "name the columns to cluster by, separated by commas");
    }
    return columns;
  }

  private static double[] weights(Map<String, String> values, List<String> columns) {
    double[] weights = new double[columns.size()];
    Arrays.fill(weights, 1.0);
    String text = values.getOrDefault(COLUMN_WEIGHTS.key(), COLUMN_WEIGHTS.defaultValue()).trim();
    if (text.isEmpty()) {
      return weights;
    }
    for (String pair : text.split("[,;]", -1)) {
      int separator = Math.max(pair.lastIndexOf('='), pair.lastIndexOf(':'));
      if (separator < 0) {
        throw bad(COLUMN_WEIGHTS, text, "write 'column=weight', or 'column:weight' in SQL options");
      }
      String column = pair.substring(0, separator).trim();
      int index = columns.indexOf(column);
      if (index < 0) {
        throw bad(
            COLUMN_WEIGHTS,
            text,
            "'" + column + "' is not a sort column; " + Suggestion.among(columns, column));
      }
      weights[index] = weight(pair.substring(separator + 1).trim(), text);
    }
    return weights;
  }

  private static double weight(String number, String text) {
    double weight = parse(COLUMN_WEIGHTS, text, number, Double::parseDouble);
    if (!(weight > 0) || Double.isInfinite(weight)) {
      throw bad(COLUMN_WEIGHTS, text, "a weight is a number above 0");
    }
    return weight;
  }

  private static long number(
      Map<String, String> values,
      ConfigProperty<String> option,
      long least,
      long most,
      String unit) {
    String text = values.getOrDefault(option.key(), option.defaultValue()).trim();
    long number = parse(option, text, text, Long::parseLong);
    if (number < least || number > most) {
      throw bad(option, text, "it must lie between " + least + " and " + most + " " + unit);
    }
    return number;
  }

  private static <N> N parse(
      ConfigProperty<String> option, String value, String number, Function<String, N> parser) {
    try {
      return parser.apply(number);
    } catch (NumberFormatException e) {
      throw bad(option, value, "'" + number + "' is not a number");
    }
  }

  /** Reads an enum case-insensitively; {@code z-order} is Hudi's other spelling of ZORDER. */
  private static <E extends Enum<E>> E choice(
      Map<String, String> values,
      ConfigProperty<String> option,
      String defaultValue,
      Class<E> type) {
    String text = values.getOrDefault(option.key(), defaultValue).trim();
    String name = text.toUpperCase(Locale.ROOT).replace("-", "");
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(name)) {
        return constant;
      }
    }
    List<String> valid =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> option.key().startsWith(PREFIX) ? lower(constant) : constant.name())
            .collect(Collectors.toList());
    throw bad(option, text, Suggestion.among(valid, text));
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static IllegalArgumentException bad(
      ConfigProperty<String> option, String value, String remedy) {
    return new IllegalArgumentException(
        "Cannot cluster: '" + option.key() + "' was '" + value + "'; " + remedy);
  }
}
