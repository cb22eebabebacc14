package io.hudizorder.spark.scala2_12;

import static scala.collection.JavaConverters.seqAsJavaList;

import io.hudizorder.spark.SparkCalls;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.ExpectsInputTypes$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.NullsFirst$;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.XxHash64;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.Inline;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.errors.QueryCompilationErrors$;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.JavaConverters;
import scala.collection.immutable.Map;
import scala.math.Ordering;

/**
 * What all versions of Spark call alike, but for the class of their {@code Seq}: no source names
 * it, and Scala's list is one in each. Written for Scala 2.12; the build copies this room to that
 * of 2.13, and compiles it there once more.
 */
abstract class SeqCalls implements SparkCalls {

  @Override
  public final Expression invoke(
      Expression target, String method, DataType type, List<Expression> arguments) {
    return new Invoke(target, method, type, seq(arguments), none(), true, true, true);
  }

  @Override
  public final Expression coalesce(List<Expression> values) {
    return new Coalesce(seq(values));
  }

  @Override
  public final Expression xxHash64(List<Expression> values, long seed) {
    return new XxHash64(seq(values), seed);
  }

  @Override
  public final List<Expression> children(Expression expression) {
    return seqAsJavaList(expression.children());
  }

  @Override
  public final List<Expression> alternatives(In in) {
    return seqAsJavaList(in.list());
  }

  @Override
  public final TypeCheckResult checkTypes(
      List<Expression> arguments, List<AbstractDataType> types) {
    return ExpectsInputTypes$.MODULE$.checkInputDataTypes(seq(arguments), seq(types));
  }

  @Override
  public final Throwable wrongNumberOfArguments(String function, Object wanted, int found) {
    QueryCompilationErrors$ errors = QueryCompilationErrors$.MODULE$;
    return errors.wrongNumArgsError(
        function,
        seq(List.of(wanted)),
        found,
        errors.wrongNumArgsError$default$4(),
        errors.wrongNumArgsError$default$5(),
        errors.wrongNumArgsError$default$6());
  }

  @Override
  public final Block code(String java) {
    return new CodeBlock(seq(List.of("", "")), seq(List.of(new Inline(java))));
  }

  @Override
  public final String split(CodegenContext context, List<String> statements, String method) {
    return context.splitExpressionsWithCurrentInputs(
        seq(statements),
        method,
        context.splitExpressionsWithCurrentInputs$default$3(),
        context.splitExpressionsWithCurrentInputs$default$4(),
        context.splitExpressionsWithCurrentInputs$default$5(),
        context.splitExpressionsWithCurrentInputs$default$6());
  }

  @Override
  public final List<Expression> columns(Project project) {
    return seqAsJavaList(project.projectList()).stream()
        .map(Expression.class::cast)
        .collect(Collectors.toList());
  }

  @Override
  public final List<Attribute> input(Project project) {
    return new ArrayList<>(seqAsJavaList(project.child().output()));
  }

  @Override
  public final UnsafeProjection projection(List<Expression> columns, List<Attribute> input) {
    return UnsafeProjection.create(seq(columns), seq(input));
  }

  @Override
  public final Ordering<InternalRow> ordering(List<Expression> columns, List<Attribute> input) {
    List<SortOrder> orders =
        columns.stream()
            .map(column -> new SortOrder(column, Ascending$.MODULE$, NullsFirst$.MODULE$, none()))
            .collect(Collectors.toList());
    return RowOrdering.create(seq(orders), seq(input));
  }

  @Override
  public final Function1<PartitionedFile, Iterator<InternalRow>> parquetReader(
      SparkSession spark, StructType schema, Map<String, String> options) {
    return new ParquetFileFormat()
        .buildReaderWithPartitionValues(
            spark,
            schema,
            new StructType(),
            schema,
            none(),
            options,
            spark.sessionState().newHadoopConfWithOptions(options));
  }

  static <T> scala.collection.immutable.List<T> seq(Collection<? extends T> items) {
    return JavaConverters.asScalaBuffer(new ArrayList<T>(items)).toList();
  }

  static <T> scala.collection.immutable.List<T> none() {
    return seq(List.of());
  }
}
