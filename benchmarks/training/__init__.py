"""Models that stop a warm-up: what they learn from, how they are replayed and judged."""
