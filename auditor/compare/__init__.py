"""Two revisions of a subject compared."""
