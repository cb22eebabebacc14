package io.hudizorder.plan.slice;

import io.hudizorder.layout.LayoutSpec;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * The layout that a bulk insert has laid its files out by, told in their footers: Hudi chooses the
 * ids of its file groups, which tell it of the files of a clustering ({@link RunId}). A version of
 * the file by any later write is without it.
 */
public final class LayoutMark {

  /** The key in a footer, and in the configuration of the write that makes the file. */
  private static final String KEY = "hudizorder.layout";

  private static final Pattern LAYOUT = Pattern.compile("[0-9a-f]{8}");

  private LayoutMark() {}

  /** Has the files of a write say that they are laid out by this. */
  public static void set(HoodieConfig config, LayoutSpec spec, long fileBytes) {
    config.setValue(KEY, String.format("%08x", RunId.layout(spec, fileBytes)));
  }

  /** What a file is to say in its footer. */
  public static Map<String, String> of(HoodieConfig config) {
    String layout = config.getProps().getProperty(KEY);
    return layout == null ? Collections.emptyMap() : Map.of(KEY, layout);
  }

  /** The layout that a file tells, if it tells one. */
  static Optional<Integer> of(ParquetMetadata footer) {
    return Optional.ofNullable(footer.getFileMetaData().getKeyValueMetaData().get(KEY))
        .filter(text -> LAYOUT.matcher(text).matches())
        .map(text -> Integer.parseUnsignedInt(text, 16));
  }
}
