package io.hudizorder.concurrency;

import org.apache.hudi.exception.HoodieClusteringException;

/** Another process executes the plan, and shows that it lives. */
public final class PlanInUseException extends HoodieClusteringException {

  private static final long serialVersionUID = 1L;

  PlanInUseException(String message) {
    super(message);
  }
}
