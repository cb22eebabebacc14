"""By which columns to cluster a table, and whether to partition it otherwise."""
