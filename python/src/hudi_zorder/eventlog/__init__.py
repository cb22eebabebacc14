"""Which queries were asked, from Spark's event logs."""
