"""Finds bad practices in the sources of benchmarks."""
