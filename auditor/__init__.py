"""Audits the quality of a project's micro-benchmark suite."""
