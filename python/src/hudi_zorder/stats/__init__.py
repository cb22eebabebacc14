"""Column statistics of a whole table, and what they tell of how well it is clustered."""
