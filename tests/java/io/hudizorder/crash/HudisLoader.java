package io.hudizorder.crash;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Classes of the tests that are Hudi's kind, for a session whose jars have Hudi. */
public final class HudisLoader {

  private HudisLoader() {}

  /**
   * Has the session's loader of classes have these too. Its parent, which has all of the tests'
   * classes, has none of Hudi's.
   */
  public static void define(String... names) throws IOException, ReflectiveOperationException {
    ClassLoader session = Thread.currentThread().getContextClassLoader();
    Method define =
        ClassLoader.class.getDeclaredMethod(
            "defineClass", String.class, byte[].class, int.class, int.class);
    define.setAccessible(true);
    for (String name : names) {
      String file = name.replace('.', '/') + ".class";
      try (InputStream code = session.getResourceAsStream(file)) {
        byte[] bytes = code.readAllBytes();
        define.invoke(session, name, bytes, 0, bytes.length);
      } catch (InvocationTargetException e) {
        if (!(e.getCause() instanceof LinkageError)) { // it has it already
          throw e;
        }
      }
    }
  }
}
