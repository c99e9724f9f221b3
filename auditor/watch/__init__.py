"""Detects the steady state of a benchmark that another program runs."""
