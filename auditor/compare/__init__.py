"""Compares two revisions of a suite, and audits what a change slows down."""
