package io.hudizorder.write;

import java.util.function.Supplier;

/** Takes down how long each phase of a clustering lasts. */
public interface PhaseTimer {

  /** Runs a phase and adds its seconds to those of its name. */
  <V> V time(String phase, Supplier<V> work);

  /** The same of a phase that gives nothing back. */
  default void time(String phase, Runnable work) {
    time(
        phase,
        () -> {
          work.run();
          return null;
        });
  }
}
