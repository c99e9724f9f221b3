"""Beginnings of benchmarks for methods that no benchmark calls."""
