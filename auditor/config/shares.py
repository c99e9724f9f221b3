"""Parts of a whole as people write them."""

from auditor.core.errors import UsageError


def share(option: str, text: str) -> float:
    """Read "5%" or .05: from 0 up to, not including, 1; raises UsageError."""
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found < 1:
        raise UsageError(f"{option} {text} is no part of 1: write .05 or 5%")
    return found
