"""Verdicts in, text out. No files, no terminal."""
