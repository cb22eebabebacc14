package io.hudizorder.key;

/** Bytes and words as hexadecimal digits. */
final class Hex {

  private Hex() {}

  static String of(byte[] bytes) {
    StringBuilder digits = new StringBuilder(2 * bytes.length);
    for (byte b : bytes) {
      digits.append(String.format("%02x", b));
    }
    return digits.toString();
  }

  static String of(long word) {
    return String.format("%016x", word);
  }

  static byte[] bytes(String digits) {
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  static long word(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }
}
