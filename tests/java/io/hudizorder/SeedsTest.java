package io.hudizorder;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The same code gives the same results of tests, whenever they are run. */
class SeedsTest {

  @Test
  void everyPropertyHasASeed() {
    methods()
        .that()
        .areAnnotatedWith(Property.class)
        .should(ArchConditions.beAnnotatedWith(withSeed()))
        .check(new ClassFileImporter().importPackages("io.hudizorder"));
  }

  private static DescribedPredicate<JavaAnnotation<?>> withSeed() {
    return DescribedPredicate.describe(
        "a seed",
        annotation ->
            annotation.getRawType().isEquivalentTo(Property.class)
                && !annotation.as(Property.class).seed().isEmpty());
  }
}
