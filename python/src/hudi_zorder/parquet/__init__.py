"""What base files say of themselves: columns, statistics, page indexes, dictionaries."""
