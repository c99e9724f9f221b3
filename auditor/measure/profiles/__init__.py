"""Shares of methods in the CPU samples of unchanged benchmarks."""
