"""Numbers as people read them; None is a dash."""

from auditor.core.units import in_unit

NONE = "\N{EN DASH}"
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"
_TIMES_SIGN = "\N{MULTIPLICATION SIGN}"
_TIMES = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def percent(value: float | None) -> str:
    """Write a number of percent, with a decimal only below ten and where it says something."""
    if value is None:
        return NONE
    written = f"{value:.1f}" if abs(value) < 9.95 else f"{value:.0f}"
    return written.removesuffix(".0").replace("-", _MINUS) + _SPACE + "%"


def share(value: float | None) -> str:
    """Write a fraction as percent."""
    return NONE if value is None else percent(100 * value)


def effect(value: float | None) -> str:
    """Write a relative difference as percent, with its sign."""
    written = share(value)
    return f"+{written}" if value is not None and value > 0 else written


def times(factor: float) -> str:
    """Write a factor with three digits and the sign of multiplication."""
    return f"{factor:.3g}{_SPACE}{_TIMES_SIGN}"


def span(bounds: tuple[float | None, float | None] | None, *, scale: float = 1.0) -> str:
    """Write both ends of a range in percent; `scale` is 100 for fractions."""
    if bounds is None or bounds[0] is None or bounds[1] is None:
        return NONE
    low, high = percent(scale * bounds[0]), percent(scale * bounds[1])
    return low if low == high else f"{low.removesuffix(_SPACE + '%')} … {high}"


def seconds(value: float | None) -> str:
    """Write a duration with three digits, from nanoseconds to hours."""
    if value is None:
        return NONE
    # Rounded first: 999.7 ns is a microsecond.
    rounded = float(f"{value:.3g}")
    unit, name = next((time for time in _TIMES if abs(rounded) >= time[0]), _TIMES[-1])
    return f"{rounded / unit:.3g}".replace("-", _MINUS) + _SPACE + name


def score(value: float | None, unit: str) -> str:
    """Write seconds per operation as the tool does that has this unit; as a time without one."""
    if not value or not unit:
        return seconds(value)
    return f"{number(in_unit(value, unit))}{_SPACE}{unit}"


def minutes(value: float) -> str:
    """Write a duration in minutes, as limits of CI services are."""
    return f"{value / 60:.3g}{_SPACE}min"


def chance(p: float | None) -> str:
    """Write a p value; below one in ten thousand only that."""
    if p is None:
        return NONE
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


_THOUSAND = 999.5
"""From here on three digits would be written with an exponent."""


def number(value: float | None) -> str:
    """Write a count or a rate with three digits, thousands apart."""
    if value is None:
        return NONE
    whole = abs(value) >= _THOUSAND or value == int(value)
    return f"{value:,.0f}" if whole else f"{value:.3g}"


def count(how_many: int, text: str, many: str | None = None) -> str:
    """Write "1 method", "2 methods"."""
    return f"{how_many:,} {text if how_many == 1 else many or text + 's'}"
