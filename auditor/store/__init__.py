"""One SQLite file that remembers what was measured."""
