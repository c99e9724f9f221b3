"""The result files that pytest-benchmark, asv and pyperf leave, read."""
