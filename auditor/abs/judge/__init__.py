"""Verdicts on pairs, methods and the suite; pure."""
