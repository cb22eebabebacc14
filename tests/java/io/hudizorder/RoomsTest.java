package io.hudizorder;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports go one way: what {@code java/ARCHITECTURE.md} draws. */
class RoomsTest {

  private static final String ROOT = "io.hudizorder";

  private static final String USERS = "the root, which users name";

  /** Which others each room knows, and no more than these. */
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry("key", ""),
          Map.entry("layout.rank", ""),
          Map.entry("layout.split", "layout.rank"),
          Map.entry("layout.query", "key layout.rank layout.split"),
          Map.entry("layout.tree", "key layout.query layout.rank layout.split"),
          Map.entry("layout", "key layout.query layout.rank layout.tree"),
          Map.entry("spark", ""),
          Map.entry("spark.scala2_12", "spark"),
          Map.entry("spark.scala2_13", "spark"),
          Map.entry("spark.expression", "key spark"),
          Map.entry("spark.sample", "spark spark.expression"),
          Map.entry(
              "spark.shuffle",
              "layout layout.rank layout.tree spark spark.expression spark.sample"),
          Map.entry(
              "spark.fit",
              "key layout layout.query layout.rank layout.tree spark spark.expression spark.sample"
                  + " spark.shuffle"),
          Map.entry("spark.zcolumn", "key spark spark.expression"),
          Map.entry("hudi", "spark"),
          Map.entry("option", "layout.query spark"),
          Map.entry("table", "hudi layout.query spark"),
          Map.entry("plan.slice", "hudi layout parquet spark"),
          Map.entry("plan.upkeep", "hudi layout option plan.slice spark spark.fit"),
          Map.entry("plan", "hudi layout option plan.slice"),
          Map.entry("parquet", "hudi option spark.sample"),
          Map.entry("hudi.v1_2", "hudi option parquet"),
          Map.entry("hudi.v1_1", "hudi hudi.v1_2 option parquet"),
          Map.entry("hudi.v1_0", "hudi hudi.v1_1 hudi.v1_2 option parquet"),
          Map.entry("hudi.v0_15", "hudi hudi.v1_0 option plan.slice"),
          Map.entry(
              "read", "hudi parquet plan plan.slice spark spark.expression spark.fit spark.sample"),
          Map.entry(
              "write",
              "hudi layout layout.tree plan plan.slice read spark spark.expression spark.fit"
                  + " spark.sample spark.shuffle table"),
          Map.entry("concurrency", "hudi option plan table"),
          Map.entry("verify", "hudi plan plan.slice read spark.expression table"),
          Map.entry("zcolumn", "hudi option spark spark.zcolumn"),
          Map.entry(
              USERS,
              "concurrency hudi layout layout.query layout.tree option parquet plan plan.slice plan.upkeep read"
                  + " spark spark.expression spark.fit spark.shuffle table verify write"
                  + " zcolumn"));

  private static JavaClasses sources;

  @BeforeAll
  static void readClasses() {
    sources =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);
  }

  @Test
  void aRoomKnowsThoseAndNoOthers() {
    Map<String, Set<String>> others = new TreeMap<>();
    for (JavaClass source : sources) {
      Set<String> ofRoom = others.computeIfAbsent(room(source), any -> new TreeSet<>());
      source.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
          .filter(target -> target.getPackageName().startsWith(ROOT))
          .map(RoomsTest::room)
          .filter(room -> !room.equals(room(source)))
          .forEach(ofRoom::add);
    }
    Map<String, String> found = new TreeMap<>();
    others.forEach((room, names) -> found.put(room, String.join(" ", names)));
    Map<String, String> known = new TreeMap<>(KNOWN);
    // A jar for the newest Hudi has no rooms for others.
    known.keySet().retainAll(found.keySet());

    assertThat(found).isEqualTo(known);
  }

  private static String room(JavaClass source) {
    String name = source.getPackageName();
    return name.equals(ROOT) ? USERS : name.substring(ROOT.length() + 1);
  }

  @Test
  void noRoomsGoInACircle() {
    slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(sources);
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "layout.."})
  void knowsNoSpark(String room) {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "." + room)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.spark..")
        .check(sources);
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "layout..", "spark.."})
  void knowsNoHudi(String room) {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "." + room)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.hudi..")
        .check(sources);
  }
}
