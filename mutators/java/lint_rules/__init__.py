"""Smells of JMH benchmarks: what their Java sources show without a run."""
