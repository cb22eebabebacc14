package io.hudizorder.hudi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hudi.exception.HoodieClusteringException;

/** Calls that wait for storage, some at a time, from here. */
public final class SomeAtATime {

  private SomeAtATime() {}

  /**
   * What a call gives for each of the items, in their order.
   *
   * @param most calls under way at once
   * @param read what the calls read, in the plural
   */
  public static <T, R> List<R> of(List<T> items, int most, String read, Function<T, R> call) {
    if (items.isEmpty()) {
      return List.of();
    }
    ExecutorService threads = Executors.newFixedThreadPool(Math.min(most, items.size()));
    try {
      List<R> found = new ArrayList<>();
      for (Future<R> one :
          threads.invokeAll(
              items.stream()
                  .map(item -> (Callable<R>) () -> call.apply(item))
                  .collect(Collectors.toList()))) {
        found.add(one.get());
      }
      return found;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException
          ? (RuntimeException) e.getCause()
          : new HoodieClusteringException("Cannot read " + read, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HoodieClusteringException("Interrupted while reading " + read, e);
    } finally {
      threads.shutdownNow();
    }
  }
}
