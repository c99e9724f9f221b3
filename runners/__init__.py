"""Everything that starts a process."""
