package io.hudizorder;

import java.util.List;

/**
 * What a broken reader or writer makes of the rows of a table of {@link ProofsTest}, by one row or
 * two.
 */
enum RowFault {
  DROPPED(true) {
    @Override
    List<Object[]> ofFirst(Object[] row) {
      return List.of();
    }
  },
  DOUBLED(true) {
    @Override
    List<Object[]> ofFirst(Object[] row) {
      return List.of(row, row.clone());
    }
  },
  /** As many rows as there were. */
  ONE_DROPPED_ONE_DOUBLED(false) {
    @Override
    List<Object[]> ofFirst(Object[] row) {
      return List.of();
    }

    @Override
    List<Object[]> ofSecond(Object[] row) {
      return List.of(row, row.clone());
    }
  },
  VALUE_CHANGED(false) {
    @Override
    List<Object[]> ofFirst(Object[] row) {
      row[A] = (Integer) row[A] + 1;
      return List.<Object[]>of(row);
    }
  },
  COLUMNS_SWAPPED(false) {
    @Override
    List<Object[]> ofFirst(Object[] row) {
      Object a = row[A];
      row[A] = row[B];
      row[B] = a;
      return List.<Object[]>of(row);
    }
  },
  NULL_FOR_VALUE(false) {
    @Override
    List<Object[]> ofFirst(Object[] row) {
      row[A] = null;
      return List.<Object[]>of(row);
    }
  };

  /** Behind the meta columns. */
  private static final int ID = 5;

  private static final int A = 6;
  private static final int B = 7;
  private static final long FIRST = 10;
  private static final long SECOND = 11;

  private final boolean changesNumber;

  RowFault(boolean changesNumber) {
    this.changesNumber = changesNumber;
  }

  /** Whether there are more rows or fewer; of anything else a count cannot know. */
  boolean changesNumber() {
    return changesNumber;
  }

  /** What is handed on for a row, which it may change. */
  final List<Object[]> of(Object[] row) {
    long id = (Long) row[ID];
    return id == FIRST ? ofFirst(row) : id == SECOND ? ofSecond(row) : List.<Object[]>of(row);
  }

  abstract List<Object[]> ofFirst(Object[] row);

  List<Object[]> ofSecond(Object[] row) {
    return List.<Object[]>of(row);
  }
}
