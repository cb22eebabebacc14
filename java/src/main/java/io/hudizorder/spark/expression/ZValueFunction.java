package io.hudizorder.spark.expression;

import io.hudizorder.key.ZValue;
import io.hudizorder.spark.SparkCalls;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.ExpectsInputTypes;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The SQL functions {@code zorder_words} and {@code zorder_compare}, of z-values as binary; null
 * where an argument is. Its static methods are called from generated code.
 */
public final class ZValueFunction extends FunctionExpression
    implements ExpectsInputTypes,
        SeqMembers.InputTypesOfScala2_12,
        SeqMembers.InputTypesOfScala2_13 {

  private static final long serialVersionUID = 1L;

  /** What is done with z-values, each by a static method of its name. */
  enum Operation {
    WORDS(
        "zorder_words",
        "words",
        DataTypes.IntegerType,
        DataTypes.createArrayType(DataTypes.LongType, false)) {
      @Override
      Object apply(byte[] zValue, Object columns) {
        return words(zValue, (Integer) columns);
      }
    },
    COMPARE("zorder_compare", "compare", DataTypes.BinaryType, DataTypes.IntegerType) {
      @Override
      Object apply(byte[] zValue, Object other) {
        return compare(zValue, (byte[]) other);
      }
    };

    private final String function;
    private final String method;
    private final DataType second;
    private final DataType type;

    Operation(String function, String method, DataType second, DataType type) {
      this.function = function;
      this.method = method;
      this.second = second;
      this.type = type;
    }

    abstract Object apply(byte[] zValue, Object second);

    /** The name in SQL. */
    String function() {
      return function;
    }
  }

  private final Operation operation;

  ZValueFunction(Operation operation, List<Expression> arguments) {
    super(List.of(operation), arguments);
    this.operation = operation;
  }

  /**
   * The words of so many columns, as an array of their bits.
   *
   * @throws IllegalArgumentException if the z-value is not one of so many columns
   */
  public static UnsafeArrayData words(byte[] zValue, int columns) {
    if (zValue.length != (long) columns * Long.BYTES) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot read a z-value: it has 8 bytes a column, 'length' was '%d' for %d columns; "
                  + "pass the number of columns that it was made of",
              zValue.length, columns));
    }
    return UnsafeArrayData.fromPrimitiveArray(ZValue.deinterleave(zValue));
  }

  /** -1, 0 or 1, by unsigned bytes. */
  public static int compare(byte[] zValue, byte[] other) {
    return Integer.signum(ZValue.compare(zValue, other));
  }

  @Override
  public scala.collection.immutable.List<AbstractDataType> inputTypes() {
    return SeqMembers.list(types());
  }

  private List<AbstractDataType> types() {
    return List.of(DataTypes.BinaryType, operation.second);
  }

  @Override
  public TypeCheckResult checkInputDataTypes() {
    return SparkCalls.here().checkTypes(arguments(), types());
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    ExprCode first = arguments().get(0).genCode(context);
    ExprCode second = arguments().get(1).genCode(context);
    String java =
        String.format(
            "boolean %1$s = %2$s || %3$s;%n%4$s %5$s = %1$s ? %6$s : %7$s.%8$s(%9$s, %10$s);",
            code.isNull(),
            first.isNull(),
            second.isNull(),
            CodeGenerator.javaType(operation.type),
            code.value(),
            CodeGenerator.defaultValue(operation.type, false),
            ZValueFunction.class.getCanonicalName(),
            operation.method,
            first.value(),
            second.value());
    Block call = SparkCalls.here().code(java);
    Block all = first.code().$plus(second.code()).$plus(call);
    return code.copy(all, code.isNull(), code.value());
  }

  @Override
  public Object eval(InternalRow row) {
    Object zValue = arguments().get(0).eval(row);
    Object second = arguments().get(1).eval(row);
    return zValue == null || second == null ? null : operation.apply((byte[]) zValue, second);
  }

  @Override
  public boolean foldable() {
    return arguments().stream().allMatch(Expression::foldable);
  }

  @Override
  public boolean nullable() {
    return arguments().stream().anyMatch(Expression::nullable);
  }

  @Override
  public String prettyName() {
    return operation.function;
  }

  @Override
  public DataType dataType() {
    return operation.type;
  }

  @Override
  protected Expression of(List<Expression> others) {
    return new ZValueFunction(operation, others);
  }
}
