"""Models that were trained elsewhere and tell whether a benchmark is warm, with numpy alone."""
