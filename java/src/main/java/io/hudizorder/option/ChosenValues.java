package io.hudizorder.option;

import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_STRATEGY;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_TARGET_FILE_MAX_BYTES;

import io.hudizorder.spark.Suggestion;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hudi.common.config.ConfigProperty;

/**
 * The values that somebody chose, of a write's properties and of a plan's parameters, and how they
 * are read: what cannot be read is refused with its key, its value and the remedy.
 */
public final class ChosenValues {

  /** Options of a layout that are Hudi's own, for which it has defaults. */
  private static final List<ConfigProperty<String>> FILLED_IN_BY_HUDI =
      List.of(
          LAYOUT_OPTIMIZE_STRATEGY,
          LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD,
          LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE,
          PLAN_STRATEGY_TARGET_FILE_MAX_BYTES);

  private final Map<String, String> values;

  private ChosenValues(Map<String, String> values) {
    this.values = values;
  }

  /** Of the properties of a write. */
  public static ChosenValues of(Properties config) {
    Map<String, String> values = new HashMap<>();
    for (String key : config.stringPropertyNames()) {
      values.put(key, config.getProperty(key));
    }
    // Hudi's defaults of these two are not ours.
    for (ConfigProperty<String> option :
        List.of(LAYOUT_OPTIMIZE_STRATEGY, LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD)) {
      if (!isChosen(config, option)) {
        values.remove(option.key());
      }
    }
    return new ChosenValues(values);
  }

  /** These, and what others say instead. */
  public ChosenValues overlaidWith(Map<String, String> others) {
    Map<String, String> all = new HashMap<>(values);
    all.putAll(others);
    return new ChosenValues(all);
  }

  /**
   * Whether somebody chose a value of properties that Hudi has completed.
   *
   * <p>Hudi puts its own default under every key that was not set, and leaves no trace of having
   * done so: an unset layout reads LINEAR, as one does that a user wants. What it puts there is the
   * very {@code String} object of the default, though, and no value that came from a file, from SQL
   * or from Python is that object, whatever its characters. So this compares objects, not texts. (A
   * literal {@code "LINEAR"} in Java or Scala code is that object as well: write {@code "linear"}
   * there.)
   */
  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  public static boolean isChosen(Properties config, ConfigProperty<String> option) {
    String value = config.getProperty(option.key());
    return value != null && value != option.defaultValue();
  }

  /**
   * Refuses keys under our prefix that are none of our options.
   *
   * @param planned what a plan has, of which another version of its line may know more
   * @throws IllegalArgumentException naming the first of them, and the nearest option
   */
  public void refuseUnknownKeys(Set<String> planned) {
    List<String> known =
        OwnOptions.ALL.stream().map(ConfigProperty::key).collect(Collectors.toList());
    Set<String> chosen = new TreeSet<>(values.keySet());
    chosen.removeAll(planned);
    for (String key : chosen) {
      if (key.startsWith(OwnOptions.PREFIX) && !known.contains(key)) {
        throw new IllegalArgumentException(
            "Cannot cluster: unknown option '" + key + "'; " + Suggestion.among(known, key));
      }
    }
  }

  /**
   * The properties of a write, with what others say of keys that nobody chose a value of.
   *
   * @param others by key, of layouts
   */
  public static Properties completed(Properties config, Map<String, String> others) {
    Map<String, ConfigProperty<String>> hudis =
        FILLED_IN_BY_HUDI.stream().collect(Collectors.toMap(ConfigProperty::key, option -> option));
    Properties all = new Properties();
    all.putAll(config);
    others.forEach(
        (key, value) -> {
          boolean chosen =
              hudis.containsKey(key)
                  ? isChosen(config, hudis.get(key))
                  : !config.getProperty(key, "").trim().isEmpty();
          if (!chosen) {
            all.setProperty(key, value);
          }
        });
    return all;
  }

  /** The value as it stands, or the option's default. */
  public String text(ConfigProperty<String> option) {
    return text(option, option.defaultValue());
  }

  /** The same with a default of ours. */
  public String text(ConfigProperty<String> option, String defaultValue) {
    return values.getOrDefault(option.key(), defaultValue);
  }

  /**
   * The columns to cluster by, in the order given.
   *
   * @throws IllegalArgumentException when none is named, or one has no name
   */
  public List<String> sortColumns() {
    String text = text(PLAN_STRATEGY_SORT_COLUMNS, "");
    List<String> columns =
        Arrays.stream(text.split(",", -1)).map(String::trim).collect(Collectors.toList());
    if (columns.contains("")) {
      throw bad(
          PLAN_STRATEGY_SORT_COLUMNS, text, "name the columns to cluster by, separated by commas");
    }
    return columns;
  }

  /** A whole number between two others, both allowed. */
  public long number(ConfigProperty<String> option, long least, long most, String unit) {
    String text = text(option).trim();
    long number = parse(option, text, text, Long::parseLong);
    if (number < least || number > most) {
      throw bad(option, text, "it must lie between " + least + " and " + most + " " + unit);
    }
    return number;
  }

  /** A part of a value as a number. */
  public static <N> N parse(
      ConfigProperty<String> option, String value, String number, Function<String, N> parser) {
    try {
      return parser.apply(number);
    } catch (NumberFormatException e) {
      throw bad(option, value, "'" + number + "' is not a number");
    }
  }

  /**
   * A part of a value as a finite number above another.
   *
   * @param what it is, with its article
   */
  public static double above(
      double low, String what, ConfigProperty<String> option, String value, String number) {
    double parsed = parse(option, value, number, Double::parseDouble);
    if (!(parsed > low) || Double.isInfinite(parsed)) {
      throw bad(option, value, String.format("%s is a number above %.0f", what, low));
    }
    return parsed;
  }

  /** Reads an enum case-insensitively; {@code z-order} is Hudi's other spelling of ZORDER. */
  public <E extends Enum<E>> E choice(
      ConfigProperty<String> option, String defaultValue, Class<E> type) {
    String text = text(option, defaultValue).trim();
    String name = text.toUpperCase(Locale.ROOT).replace("-", "");
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(name)) {
        return constant;
      }
    }
    List<String> valid =
        Arrays.stream(type.getEnumConstants())
            .map(
                constant ->
                    option.key().startsWith(OwnOptions.PREFIX) ? lower(constant) : constant.name())
            .collect(Collectors.toList());
    throw bad(option, text, Suggestion.among(valid, text));
  }

  /** How values of our own options are written. */
  public static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The error for a value that cannot be read. */
  public static IllegalArgumentException bad(
      ConfigProperty<String> option, String value, String remedy) {
    return new IllegalArgumentException(
        "Cannot cluster: '" + option.key() + "' was '" + value + "'; " + remedy);
  }
}
