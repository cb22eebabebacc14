"""The metadata table that Hudi keeps beside a table, read from its files."""
