"""Which version of this program it is."""

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """Return the version of this program."""
    try:
        return version("bench-audit")
    except PackageNotFoundError:
        return "unknown"
