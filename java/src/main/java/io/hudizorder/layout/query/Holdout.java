package io.hudizorder.layout.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Queries in two halves: those that a layout is chosen by, and those that are held back to judge
 * the choice. The later ones are held back where it is known when queries were asked. Else it is
 * every other one of a template, so that both halves ask the same and a choice is not judged by
 * chance, however queries are written in the words of a sample.
 */
public final class Holdout {
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

  public List<Query> known() {
    return known;
  }

  public List<Query> heldBack() {
    return heldBack;
  }
}
