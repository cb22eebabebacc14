"""What a predicate skips, explained file by file, and proven by an audit."""
