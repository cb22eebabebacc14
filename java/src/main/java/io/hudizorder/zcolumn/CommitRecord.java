package io.hudizorder.zcolumn;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hudizorder.spark.zcolumn.WordBounds;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a commit says of its z-values, in its own extra metadata: that they are true to the
 * definition, and the bounds of their words. That of a writer which knew all writes before it has
 * their bounds as well, so that a reader opens one commit, and archived commits need none.
 */
final class CommitRecord {

  /** The key among a commit's extra metadata. */
  static final String KEY = "hudizorder.z.column";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String definition;
  private final WordBounds own;
  private final Optional<Earlier> earlier;

  CommitRecord(ZColumnDefinition definition, WordBounds own, Optional<Earlier> earlier) {
    this(definition.toString(), own, earlier);
  }

  private CommitRecord(String definition, WordBounds own, Optional<Earlier> earlier) {
    this.definition = definition;
    this.own = own;
    this.earlier = earlier;
  }

  static CommitRecord parse(String text) {
    try {
      JsonNode json = JSON.readTree(text);
      Optional<Earlier> earlier =
          Optional.ofNullable(json.get("earlier"))
              .map(
                  node ->
                      new Earlier(
                          WordBounds.parse(ZColumnDefinition.texts(node.get("bounds"))),
                          new TreeSet<>(ZColumnDefinition.texts(node.get("completed"))),
                          new TreeSet<>(ZColumnDefinition.texts(node.get("pending")))));
      return new CommitRecord(
          json.get("definition").asText(),
          WordBounds.parse(ZColumnDefinition.texts(json.get("bounds"))),
          earlier);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          String.format("Cannot read a commit's z-values: '%s' was '%s'", KEY, text), e);
    }
  }

  boolean isOf(ZColumnDefinition wanted) {
    return definition.equals(wanted.toString());
  }

  /** The bounds of the rows that the commit has written. */
  WordBounds own() {
    return own;
  }

  /** What came before it; empty when the writer did not know the bounds of that. */
  Optional<Earlier> earlier() {
    return earlier;
  }

  /** As it is stored. */
  @Override
  public String toString() {
    ObjectNode json = JSON.createObjectNode().put("definition", definition);
    json.set("bounds", JSON.valueToTree(own.texts()));
    earlier.ifPresent(
        before -> {
          ObjectNode node = json.putObject("earlier");
          node.set("bounds", JSON.valueToTree(before.bounds.texts()));
          node.set("completed", JSON.valueToTree(before.completed));
          node.set("pending", JSON.valueToTree(before.pending));
        });
    return json.toString();
  }

  /**
   * All that was completed when a commit was about to be: every write of the active timeline then,
   * by its instant, and all that was archived.
   */
  static final class Earlier {

    private final WordBounds bounds;
    private final Set<String> completed;
    private final Set<String> pending;

    Earlier(WordBounds bounds, Set<String> completed, Set<String> pending) {
      this.bounds = bounds;
      this.completed = completed;
      this.pending = pending;
    }

    WordBounds bounds() {
      return bounds;
    }

    /** Instants of the active timeline whose rows the bounds hold. */
    Set<String> completed() {
      return completed;
    }

    /** Instants that were under way, of whose rows the bounds know nothing. */
    Set<String> pending() {
      return pending;
    }
  }
}
