"""Tells when the processes of a benchmark reach steady state."""
