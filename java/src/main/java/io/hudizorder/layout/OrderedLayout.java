package io.hudizorder.layout;

import java.io.Serializable;

/** Which file each row goes to, and where it lies inside that file. */
public final class OrderedLayout implements Serializable {
  private static final long serialVersionUID = 1L;

  private final Layout layout;
  private final RowOrder order;

  public OrderedLayout(Layout layout, RowOrder order) {
    this.layout = layout;
    this.order = order;
  }

  public Layout layout() {
    return layout;
  }

  public RowOrder order() {
    return order;
  }
}
