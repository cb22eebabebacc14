package io.hudizorder.zcolumn;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.SparkAdapterSupport$;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogUtils;
import org.apache.spark.sql.catalyst.catalog.HoodieCatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.hudi.command.CreateHoodieTableAsSelectCommand;

/** The tables that writes name. */
final class TableLookup {

  private TableLookup() {}

  /** The one in a folder, if there is one. */
  static Optional<HoodieTableMetaClient> at(SparkSession spark, String path) {
    Path folder = new Path(path, HoodieTableMetaClient.METAFOLDER_NAME);
    try {
      if (!folder.getFileSystem(spark.sessionState().newHadoopConf()).exists(folder)) {
        return Optional.empty();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(String.format("Cannot look for a table at '%s'", path), e);
    }
    return Optional.of(
        HoodieTableMetaClient.builder()
            .setConf(HadoopFSUtils.getStorageConf(spark.sessionState().newHadoopConf()))
            .setBasePath(path)
            .build());
  }

  /** The one that a CREATE TABLE AS SELECT finds where it would make one, and appends to. */
  static Optional<HoodieTableMetaClient> appendedTo(
      SparkSession spark, CreateHoodieTableAsSelectCommand create) {
    TableIdentifier name = create.table().identifier();
    if (spark.sessionState().catalog().tableExists(name)) {
      return create.mode() == SaveMode.Append
          ? at(spark, HoodieCatalogTable.apply(spark, name).tableLocation())
          : Optional.empty(); // Hudi writes nothing, or refuses to
    }
    scala.Option<URI> location = create.table().storage().locationUri();
    return location.isDefined()
        ? at(spark, CatalogUtils.URIToString(location.get()))
        : Optional.empty();
  }

  /** The catalog's, that a part of a statement names. */
  static Optional<CatalogTable> of(LogicalPlan plan) {
    scala.Option<CatalogTable> found =
        SparkAdapterSupport$.MODULE$.sparkAdapter().resolveHoodieTable(plan);
    return found.isDefined() ? Optional.of(found.get()) : Optional.empty();
  }
}
