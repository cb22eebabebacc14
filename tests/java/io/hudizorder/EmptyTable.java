package io.hudizorder;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.StorageConfiguration;

/** A table to which nothing was written, for tests that put on its timeline what they need. */
public final class EmptyTable {

  private EmptyTable() {}

  public static HoodieTableMetaClient in(Path folder, HoodieTableType type) throws IOException {
    return HoodieTableMetaClient.newTableBuilder()
        .setTableType(type)
        .setTableName("t")
        .initTable(storage(), folder.toString());
  }

  /** That of all tests of a process: Hadoop keeps the first file system that anybody asks for. */
  public static StorageConfiguration<Configuration> storage() {
    Configuration settings = new Configuration();
    settings.set("fs.file.impl", LocalFiles.class.getName());
    return HadoopFSUtils.getStorageConf(settings);
  }
}
