"""Smells of Python benchmarks: those of pytest-benchmark, CodSpeed, asv and pyperf."""
