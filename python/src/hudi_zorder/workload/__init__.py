"""What is asked of a table: queries of calls, files and event logs as weighted predicates."""
