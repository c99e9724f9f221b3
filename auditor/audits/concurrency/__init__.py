"""Concurrent performance tests of two versions of a class: what is asked and judged, pure."""
