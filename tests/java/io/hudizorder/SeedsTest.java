package io.hudizorder;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import java.net.URL;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The same code gives the same results of tests, whenever they are run. */
class SeedsTest {

  /** Those of tests alone are read, and none that they name, such as all of Spark's and Hudi's. */
  @Test
  void everyPropertyHasASeed() {
    URL tests = SeedsTest.class.getProtectionDomain().getCodeSource().getLocation();
    ArchConfiguration.withThreadLocalScope(
        configuration -> {
          configuration.setResolveMissingDependenciesFromClassPath(false);
          methods()
              .that()
              .areAnnotatedWith(Property.class)
              .should(ArchConditions.beAnnotatedWith(withSeed()))
              .check(new ClassFileImporter().importUrl(tests));
        });
  }

  private static DescribedPredicate<JavaAnnotation<?>> withSeed() {
    return DescribedPredicate.describe(
        "a seed",
        annotation ->
            annotation.getRawType().isEquivalentTo(Property.class)
                && annotation.get("seed").filter(seed -> !seed.equals("")).isPresent());
  }
}
