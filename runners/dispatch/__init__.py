"""Which trial runs when and where."""
