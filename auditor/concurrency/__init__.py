"""Races two versions of a thread-safe Java class with generated tests."""
