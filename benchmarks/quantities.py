"""Quantities beside each other: what is known, what others stored, what our code finds.

For the public data of 586 benchmarks, of which a folder may have a part: what is known of the whole
stands beside what follows for the part from files that came with it, and from its series.
"""

from collections.abc import Iterable, Sequence

import numpy as np

Quantity = tuple[str, str, str]
"""What it is, what is known of the whole, and a value."""
_HEADS = ("whole", "stored, this part", "measured, this part")


def table(title: str, measured: Iterable[Quantity] = (), stored: Iterable[Quantity] = ()) -> None:
    """Print quantities in the order of the measured ones; what nobody knows has a dash."""
    rows_by_name: dict[str, list[str]] = {}
    for column, rows in ((2, measured), (1, stored)):
        for name, published, value in rows:
            rows_by_name.setdefault(name, [published, "-", "-"])[column] = value
    print()
    for name, values in {title: _HEADS, **rows_by_name}.items():
        print(f"{name:<50}  " + "  ".join(f"{text:>22}" for text in values))


def share(same: Iterable[object]) -> str:
    """Return how many of how many are true."""
    flags = [bool(flag) for flag in same]
    return f"{sum(flags)} of {len(flags)}"


def format_numbers(numbers: Iterable[float], digits: int = 0) -> str:
    """Return numbers with so many digits behind the point."""
    return ", ".join(f"{number:.{digits}f}" for number in numbers)


def quartiles(values: Sequence[float] | np.ndarray, digits: int = 0) -> str:
    """Return the quartiles, a dash of nothing."""
    return format_numbers(np.percentile(values, (25, 50, 75)), digits) if len(values) else "-"
