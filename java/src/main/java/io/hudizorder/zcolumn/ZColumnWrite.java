package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.asScalaBuffer;
import static scala.collection.JavaConverters.seqAsJavaList;

import io.hudizorder.spark.Suggestion;
import io.hudizorder.spark.zcolumn.BoundsAccumulator;
import io.hudizorder.spark.zcolumn.ZColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.StructType;
import scala.Function2;
import scala.Option;
import scala.collection.Seq;
import scala.collection.immutable.Nil$;

/**
 * One write to a table with a z-column: its rows, with the column computed from its columns
 * whatever was in it, and its commit, with the bounds of what was computed.
 */
final class ZColumnWrite implements BiConsumer<HoodieTableMetaClient, HoodieCommitMetadata> {

  private final SparkSession spark;
  private final String table;
  private final ZColumnDefinition definition;
  private final BoundsAccumulator bounds;

  ZColumnWrite(SparkSession spark, String table, ZColumnDefinition definition) {
    this.spark = spark;
    this.table = table;
    this.definition = definition;
    this.bounds = BoundsAccumulator.in(spark.sparkContext(), definition.columns().size());
  }

  /** The columns that the table has before the write, if it has any. */
  Optional<StructType> storedSchema() {
    return TableLookup.at(spark, table).flatMap(IndexedColumns::stored);
  }

  /** The z-column's name. */
  String column() {
    return definition.name();
  }

  /**
   * The rows with their z-values, in place of what the column holds or behind the others.
   *
   * @throws IllegalArgumentException for a column that is missing or of another type
   */
  LogicalPlan rows(LogicalPlan query) {
    Function2<String, String, Object> resolver = spark.sessionState().conf().resolver();
    List<Attribute> output = seqAsJavaList(query.output());
    List<Expression> values = new ArrayList<>();
    for (int i = 0; i < definition.columns().size(); i++) {
      values.add(value(output, definition.columns().get(i), definition.types().get(i), resolver));
    }
    Expression zValue = ZColumn.value(values, bounds);
    List<NamedExpression> columns = new ArrayList<>();
    boolean replaced = false;
    for (Attribute attribute : output) {
      boolean isZColumn = (Boolean) resolver.apply(attribute.name(), definition.name());
      columns.add(isZColumn ? named(zValue) : attribute);
      replaced |= isZColumn;
    }
    if (!replaced) {
      columns.add(named(zValue));
    }
    return new Project(seq(columns), query);
  }

  /** Adds the record to a commit that is about to be made, and the definition to a new table. */
  @Override
  public void accept(HoodieTableMetaClient client, HoodieCommitMetadata commit) {
    // The writer's own knows the timeline of when it began.
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(client);
    ZColumnDefinition stored = ZColumnDefinition.of(now.getTableConfig()).orElse(null);
    if (stored == null) {
      Properties properties = new Properties();
      properties.setProperty(ZColumnDefinition.PROPERTY, definition.toString());
      HoodieTableConfig.update(now.getStorage(), now.getMetaPath(), properties);
    } else if (!stored.equals(definition)) {
      throw new IllegalStateException(
          String.format(
              "Cannot commit to '%s': its z-column was '%s' and is now '%s'; write again",
              table, definition, stored));
    }
    CommitRecord record =
        new CommitRecord(
            definition,
            bounds.of(written(commit)),
            new TimelineBounds(now, now.getActiveTimeline(), definition).earlier());
    commit.addMetadata(CommitRecord.KEY, record.toString());
  }

  /** The rows of a commit that the write has brought; files may have others, which lay there. */
  private static long written(HoodieCommitMetadata commit) {
    return commit.getWriteStats().stream()
        .mapToLong(stat -> stat.getNumInserts() + stat.getNumUpdateWrites())
        .sum();
  }

  private Expression value(
      List<Attribute> output,
      String column,
      String type,
      Function2<String, String, Object> resolver) {
    Attribute attribute =
        output.stream()
            .filter(candidate -> (Boolean) resolver.apply(candidate.name(), column))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        String.format(
                            "Cannot write to '%s': its z-column '%s' is made of '%s', which is not"
                                + " among the columns; write it as well (%s)",
                            table,
                            definition.name(),
                            column,
                            Suggestion.among(
                                output.stream().map(Attribute::name).collect(Collectors.toList()),
                                column))));
    DataType wanted = DataType.fromDDL(type);
    if (attribute.dataType().catalogString().equals(type)) {
      return attribute;
    } else if (attribute.dataType() instanceof IntegralType
        && wanted instanceof IntegralType
        && attribute.dataType().defaultSize() < wanted.defaultSize()) {
      return new Column(attribute).cast(wanted).expr();
    }
    throw new IllegalArgumentException(
        String.format(
            "Cannot write to '%s': its z-column '%s' is made of '%s' of type %s, which was '%s';"
                + " cast it, or write the table anew",
            table, definition.name(), column, type, attribute.dataType().catalogString()));
  }

  private NamedExpression named(Expression zValue) {
    return new Alias(
        zValue,
        definition.name(),
        NamedExpression.newExprId(),
        seq(List.of()),
        Option.empty(),
        seq(List.of()));
  }

  @SuppressWarnings("unchecked")
  private static <T> Seq<T> seq(List<T> items) {
    return items.isEmpty() ? (Seq<T>) (Object) Nil$.MODULE$ : asScalaBuffer(items).toList();
  }
}
