"""Where the parts of a built variant are."""

from pathlib import Path


def running(into: Path) -> Path:
    """Return the folder of a variant that its processes write to, and no other one of its files."""
    return into / "run"
