"""The result files that other tools leave, read."""
