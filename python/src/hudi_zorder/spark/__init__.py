"""A Spark session and its JVM: what is set, started, asked and measured."""
