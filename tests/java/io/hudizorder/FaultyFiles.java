package io.hudizorder;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.spark.TaskContext;

/** Faults of the files below {@link LocalFiles}: none, until a test asks for one. */
public final class FaultyFiles {

  private static Path spoiled;
  private static Path other;
  private static Path kept;
  private static String late;
  private static Predicate<String> undeletable = name -> false;

  private FaultyFiles() {}

  /**
   * Has a file hold what another does, once its footer was read and until an output is begun:
   * whoever reads its rows in between reads others, and who reads them again reads them right.
   */
  static synchronized void readAs(Path file, Path instead) {
    spoiled = file;
    other = instead;
  }

  /** Has each file with this in its name be missing for whoever opens it first. */
  static synchronized void late(String part) {
    late = part;
  }

  /** Has nobody delete a file of such a name. */
  public static synchronized void undeletable(Predicate<String> name) {
    undeletable = name;
  }

  /** Ends the fault; returns whether there was one. */
  public static synchronized boolean mend() {
    boolean met = spoiled == null && late == null;
    restore();
    spoiled = null;
    late = null;
    undeletable = name -> false;
    return met;
  }

  static synchronized void opening(Path file) throws FileNotFoundException {
    if (late != null && file.getFileName().toString().contains(late)) {
      late = null;
      throw new FileNotFoundException("File " + file + " does not exist");
    }
  }

  static synchronized void deleting(Path file) throws IOException {
    if (undeletable.test(file.getFileName().toString())) {
      throw new IOException("File " + file + " cannot be deleted");
    }
  }

  static synchronized FSDataInputStream opened(Path file, FSDataInputStream input) {
    // The driver looks for the schema in a file of the last write.
    return !file.equals(spoiled) || kept != null || TaskContext.get() == null
        ? input
        : new FSDataInputStream(input) {
          @Override
          public void close() throws IOException {
            super.close();
            spoil(file);
          }
        };
  }

  static synchronized void created(Path file) {
    if (kept != null && file.getFileName().toString().endsWith(".parquet")) {
      restore();
      spoiled = null;
    }
  }

  private static synchronized void spoil(Path file) throws IOException {
    if (file.equals(spoiled) && kept == null) {
      kept = Files.move(file, other.resolveSibling("kept"));
      Files.move(checksum(file), other.resolveSibling("kept.crc"));
      Files.copy(other, file);
    }
  }

  private static void restore() {
    if (kept == null) {
      return;
    }
    try {
      Files.move(kept, spoiled, StandardCopyOption.REPLACE_EXISTING);
      Files.move(other.resolveSibling("kept.crc"), checksum(spoiled));
      kept = null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path checksum(Path file) {
    return file.resolveSibling("." + file.getFileName() + ".crc");
  }
}
