"""Whether queries still fit a table's layout."""
