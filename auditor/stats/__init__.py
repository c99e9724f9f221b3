"""Arrays in, numbers out: statistics without a word of the domain, and without thresholds."""
