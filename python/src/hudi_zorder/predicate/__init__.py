"""Conditions in Spark's SQL: parsed, bound to a table's columns, decided by statistics."""
