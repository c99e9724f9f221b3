"""Series: the values of benchmarks from the start of their processes on."""
