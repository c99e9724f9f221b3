"""Counts the calls of public methods, by the suite or by clients of the library."""
