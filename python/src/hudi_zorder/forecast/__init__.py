"""What a clustering would bring, and how long it would take."""
