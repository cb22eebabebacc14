"""A Hudi table read from its files: timeline, file slices, schema, partitions, clusterings."""
