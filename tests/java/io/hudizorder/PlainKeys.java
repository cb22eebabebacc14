package io.hudizorder;

import java.util.Base64;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.keytools.KmsClient;

/** A key service that keeps no secret, for files that Parquet encrypts. */
public final class PlainKeys implements KmsClient {

  @Override
  public void initialize(Configuration conf, String instance, String url, String token) {}

  @Override
  public String wrapKey(byte[] key, String master) {
    return Base64.getEncoder().encodeToString(key);
  }

  @Override
  public byte[] unwrapKey(String wrapped, String master) {
    return Base64.getDecoder().decode(wrapped);
  }
}
