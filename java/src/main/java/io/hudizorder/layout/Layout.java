package io.hudizorder.layout;

import java.io.Serializable;

/** Which file each row goes to, and where it lies inside that file. */
public final class Layout implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileCuts layout;
  private final RowOrder order;

  public Layout(FileCuts layout, RowOrder order) {
    this.layout = layout;
    this.order = order;
  }

  public FileCuts layout() {
    return layout;
  }

  public RowOrder order() {
    return order;
  }
}
