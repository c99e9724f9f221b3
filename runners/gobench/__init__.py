"""Go: benchmarks of the testing package, one process each, built with the compiler's overlay."""
