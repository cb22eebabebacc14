package io.hudizorder.spark.expression;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.AbstractDataType;
import scala.collection.JavaConverters;

/**
 * The members of Spark's expressions that are a {@code Seq}, by the class that this is in each
 * Scala. Who has them of both, and returns a list, which is either, is called by Spark of both: the
 * compiler adds a method for each.
 */
final class SeqMembers {

  private SeqMembers() {}

  interface ChildrenOfScala2_12 {
    scala.collection.Seq<Expression> children();

    TreeNode<Expression> withNewChildrenInternal(scala.collection.IndexedSeq<Expression> children);
  }

  interface ChildrenOfScala2_13 {
    scala.collection.immutable.Seq<Expression> children();

    TreeNode<Expression> withNewChildrenInternal(
        scala.collection.immutable.IndexedSeq<Expression> children);
  }

  interface InputTypesOfScala2_12 {
    scala.collection.Seq<AbstractDataType> inputTypes();
  }

  interface InputTypesOfScala2_13 {
    scala.collection.immutable.Seq<AbstractDataType> inputTypes();
  }

  static <T> scala.collection.immutable.List<T> list(List<T> items) {
    return JavaConverters.asScalaBuffer(items).toList();
  }
}
