package io.hudizorder.spark.expression;

import static scala.collection.JavaConverters.seqAsJavaList;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;

/**
 * A function of other expressions, which says itself how it is computed. Spark writes its own as
 * case classes; this is what Scala gives to these, and Java does not.
 */
public abstract class FunctionExpression extends Expression
    implements SeqMembers.ChildrenOfScala2_12, SeqMembers.ChildrenOfScala2_13, Serializable {

  private static final long serialVersionUID = 1L;

  /** What tells functions of a class apart. */
  private final List<?> kind;

  private final List<Expression> arguments;

  protected FunctionExpression(List<?> kind, List<Expression> arguments) {
    this.kind = kind;
    this.arguments = arguments;
  }

  /** The same function of other arguments. */
  protected abstract Expression of(List<Expression> others);

  protected final List<Expression> arguments() {
    return arguments;
  }

  /** Has generated code keep an array of words, filled anew for each row; returns its name. */
  protected static String wordsIn(CodegenContext context, int length) {
    return context.addMutableState(
        "long[]", "words", name -> name + " = new long[" + length + "];", false, true);
  }

  @Override
  public scala.collection.immutable.List<Expression> children() {
    return SeqMembers.list(arguments);
  }

  @Override
  public Expression withNewChildrenInternal(scala.collection.IndexedSeq<Expression> children) {
    return of(new ArrayList<>(seqAsJavaList(children)));
  }

  @Override
  public Expression withNewChildrenInternal(
      scala.collection.immutable.IndexedSeq<Expression> children) {
    return of(new ArrayList<>(seqAsJavaList(children)));
  }

  @Override
  public String toString() {
    return arguments.stream()
        .map(Expression::toString)
        .collect(Collectors.joining(", ", prettyName() + "(", ")"));
  }

  @Override
  public int productArity() {
    return kind.size() + 1;
  }

  @Override
  public Object productElement(int n) {
    return n < kind.size() ? kind.get(n) : arguments;
  }

  @Override
  public boolean canEqual(Object other) {
    return getClass().isInstance(other);
  }

  @Override
  public boolean equals(Object other) {
    return canEqual(other)
        && ((FunctionExpression) other).kind.equals(kind)
        && ((FunctionExpression) other).arguments.equals(arguments);
  }
}
