"""Functions whose share of an operation is known."""
