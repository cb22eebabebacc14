package io.hudizorder;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports go one way: what {@code java/ARCHITECTURE.md} draws. */
class RoomsTest {

  private static final String ROOT = "io.hudizorder";

  /** Each knows those before it at most; the last is the root, which users name. */
  private static final List<String> ORDER =
      Stream.of(
              ".key",
              ".layout",
              ".spark",
              ".spark.scala2_12",
              ".spark.scala2_13",
              ".spark.expression",
              ".spark.sample",
              ".spark.shuffle",
              ".spark.fit",
              ".spark.zcolumn",
              ".hudi",
              ".option",
              ".table",
              ".plan",
              ".parquet",
              ".hudi.v1_2",
              ".hudi.v1_1",
              ".hudi.v1_0",
              ".hudi.v0_15",
              ".read",
              ".write",
              ".concurrency",
              ".zcolumn",
              "")
          .map(ROOT::concat)
          .collect(Collectors.toList());

  private static JavaClasses sources;

  @BeforeAll
  static void readClasses() {
    sources =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);
  }

  static List<String> order() {
    return ORDER;
  }

  @ParameterizedTest
  @MethodSource("order")
  void aRoomKnowsNoneBehindIt(String room) {
    String[] known = ORDER.subList(0, ORDER.indexOf(room) + 1).toArray(new String[0]);

    classes()
        .that()
        .resideInAPackage(room)
        .should()
        .onlyDependOnClassesThat(not(resideInAPackage(ROOT + "..")).or(resideInAnyPackage(known)))
        // A jar for the newest Hudi has no rooms for others.
        .allowEmptyShould(true)
        .check(sources);
  }

  @Test
  void everyClassIsInARoom() {
    classes().should().resideInAnyPackage(ORDER.toArray(new String[0])).check(sources);
  }

  @Test
  void noRoomsGoInACircle() {
    slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(sources);
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "layout"})
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
  @ValueSource(strings = {"key", "layout", "spark.."})
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
