package io.hudizorder.plan;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.InParts;
import java.net.URLEncoder;
import java.util.List;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;

/**
 * The listings of partitions that Hudi's timeline server is asked for, one partition at a time, by
 * the tasks that plan.
 */
public final class ServedListings {

  /** The server takes no request whose head is longer than twice as many bytes. */
  private static final int MOST_BYTES = 4_000;

  /** For each request the server opens the metadata table's files anew. */
  private static final int MOST_REQUESTS = 20;

  /**
   * Of how many times the partitions the server reads the listings rather than in more requests.
   */
  private static final int MOST_TIMES = 10;

  private ServedListings() {}

  /**
   * Has the server read many listings at once off the metadata table, as Hudi's cleaner has it,
   * rather than each when it is asked for; does nothing where there is no server, or no such table.
   */
  public static void load(
      HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig config, List<String> partitions) {
    if (config.isEmbeddedTimelineServerEnabled()
        && table.getMetaClient().getTableConfig().isMetadataTableAvailable()) {
      List<List<String>> requests = requests(partitions);
      if (requests.size() > MOST_REQUESTS && isMostly(partitions.size(), all(table, config))) {
        table.getHoodieView().loadAllPartitions();
      } else {
        requests.forEach(table.getHoodieView()::loadPartitions);
      }
    }
  }

  private static int all(HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig config) {
    return HudiCalls.here().partitions(table.getContext(), table.getMetaClient(), config).size();
  }

  /** Whether it takes little more to read the listings of all partitions than those of some. */
  static boolean isMostly(long some, long all) {
    return all <= MOST_TIMES * some;
  }

  /** The partitions by requests, in which the server is told their names. */
  static List<List<String>> requests(List<String> partitions) {
    return InParts.of(
        partitions,
        partition -> URLEncoder.encode("\"" + partition + "\",", UTF_8).length(),
        MOST_BYTES);
  }
}
