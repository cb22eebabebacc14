"""What a clustering would bring, and by which columns to cluster."""
