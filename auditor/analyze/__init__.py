"""Judges results that are stored: stability, and base against head."""
