"""Which version of this program it is."""

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PROJECT_ROOT = Path(__file__).parents[1]
_PACKAGES = ("auditor", "mutators", "reports", "runners")


def find_own_version() -> str:
    """Return the version of this program."""
    try:
        return version("bench-audit")
    except PackageNotFoundError:
        return "unknown"


@cache
def hash_own_code() -> str:
    """Return a digest of this program's own Python code, hexadecimal.

    A version says less: that of a checkout stays the same while its code changes.
    """
    sha = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((_PROJECT_ROOT / package).rglob("*.py")):
            content = path.read_bytes()
            sha.update(f"{path.relative_to(_PROJECT_ROOT)}\0{len(content)}\0".encode())
            sha.update(content)
    return sha.hexdigest()[:16]
