"""Pictures of a table's layout, and the report that has them all."""
