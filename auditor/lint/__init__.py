"""Findings in the sources of benchmarks."""
