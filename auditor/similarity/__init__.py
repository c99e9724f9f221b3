"""Tells whether the runs of a benchmark agree."""
