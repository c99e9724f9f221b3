"""The user's own gate, shown pairs of checkouts."""
