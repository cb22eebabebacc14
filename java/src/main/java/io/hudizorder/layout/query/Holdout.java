package io.hudizorder.layout.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Queries in two halves: those that a layout is chosen by, and those that are held back to judge
 * the choice. The later ones are held back where it is known when queries were asked. Else it is
 * every other one of a template, so that both halves ask the same and a choice is not judged by
 * chance, however queries are written in the words of a sample.
 */
public final class Holdout {
  /** Of fewer different queries nothing is learnt by holding half of them back. */
  private static final int LEAST_QUERIES = 8;

  private final List<Query> known = new ArrayList<>();
  private final List<Query> heldBack = new ArrayList<>();

  /** Divides queries in the order in which they are given. */
  public Holdout(List<Query> queries) {
    Map<String, Integer> seen = new HashMap<>();
    for (Query query : queries) {
      // A template that comes later begins in the other half: each may have but one query.
      int before = seen.merge(query.template(), seen.size(), (count, first) -> count + 1);
      boolean isLater =
          query.when() == AskedWhen.UNKNOWN ? before % 2 == 1 : query.when() == AskedWhen.LATER;
      (isLater ? heldBack : known).add(query);
    }
  }

  /**
   * Whether either half tells anything of the other: there are queries enough, in both halves, and
   * these ask not just the same, as where each report was run in both.
   */
  public boolean isTelling() {
    Set<Long> ofKnown = hashes(known);
    Set<Long> ofHeldBack = hashes(heldBack);
    Set<Long> all = new HashSet<>(ofKnown);
    all.addAll(ofHeldBack);
    return all.size() >= LEAST_QUERIES
        && !ofKnown.isEmpty()
        && !ofHeldBack.isEmpty()
        && !ofKnown.equals(ofHeldBack);
  }

  private static Set<Long> hashes(List<Query> queries) {
    return queries.stream().map(Query::hash).collect(Collectors.toSet());
  }

  public List<Query> known() {
    return known;
  }

  public List<Query> heldBack() {
    return heldBack;
  }
}
