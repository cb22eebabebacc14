"""Real flights, clustered before your eyes."""
