package io.hudizorder.parquet;

import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.io.api.RecordConsumer;

/** The column store that Parquet writes a row group by, and its private fields. */
final class ColumnStore {

  private ColumnStore() {}

  /**
   * That of a consumer of records.
   *
   * @throws ReflectiveOperationException when this release of Parquet keeps it elsewhere
   */
  static Object of(RecordConsumer consumer) throws ReflectiveOperationException {
    Object writer = consumer;
    // Validation and debug logs wrap the consumer that writes.
    while (!hasField(writer, "columns")) {
      writer = get(writer, "delegate");
    }
    return get(writer, "columns");
  }

  /** That of a consumer which does no more than write, where this release of Parquet has it. */
  static Optional<ColumnWriteStore> ofWriting(RecordConsumer consumer) {
    try {
      return Optional.of((ColumnWriteStore) get(consumer, "columns"));
    } catch (ReflectiveOperationException | RuntimeException wrappedOrElsewhere) {
      return Optional.empty();
    }
  }

  private static boolean hasField(Object owner, String name) {
    try {
      field(owner.getClass(), name);
      return true;
    } catch (NoSuchFieldException e) {
      return false;
    }
  }

  /** What a field of an object holds, whoever may see it. */
  static Object get(Object owner, String name) throws ReflectiveOperationException {
    return field(owner.getClass(), name).get(owner);
  }

  /** A field of a class or of those that it extends, open to us. */
  static Field field(Class<?> owner, String name) throws NoSuchFieldException {
    Class<?> type = owner;
    while (type != Object.class) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
      type = type.getSuperclass();
    }
    throw new NoSuchFieldException(owner.getName() + "." + name);
  }
}
