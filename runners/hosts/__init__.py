"""Machines, the one process boundary: nothing else in bench-audit starts a process."""
