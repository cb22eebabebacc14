"""What queries read of files, be they there already or told of by a sample of rows."""
