"""The score of a suite: which slowdowns of methods its benchmarks detect."""
