"""Two versions of a thread-safe class, compared under threads."""
