"""Chooses benchmarks for a time budget, and those that can be removed."""
