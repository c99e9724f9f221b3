"""Sentences about one result, each with what must hold for it."""
