"""Numbers as people read them; None is a dash."""

from auditor.core.units import in_unit, is_operation_unit

NO_VALUE = "\N{EN DASH}"
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"
_TIMES_SIGN = "\N{MULTIPLICATION SIGN}"
_TIME_UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


LARGEST_PERCENT = 100_000
"""From here on a number of percent says only that it is large."""


def format_percent(value: float | None) -> str:
    """Write a number of percent, with a decimal only below ten and where it says something."""
    if value is None:
        return NO_VALUE
    if value >= LARGEST_PERCENT:
        return f"> {LARGEST_PERCENT:,}{_SPACE}%"
    number_text = f"{value:.1f}" if abs(value) < 9.95 else f"{value:.0f}"
    return number_text.removesuffix(".0").replace("-", _MINUS) + _SPACE + "%"


def format_share(value: float | None) -> str:
    """Write a fraction as percent."""
    return NO_VALUE if value is None else format_percent(100 * value)


def format_effect(value: float | None) -> str:
    """Write a relative difference as percent, with its sign."""
    percent_text = format_share(value)
    is_signed = value is not None and 0 < value < LARGEST_PERCENT / 100
    return f"+{percent_text}" if is_signed else percent_text


def format_factor(factor: float) -> str:
    """Write a factor with three digits and the sign of multiplication."""
    return f"{format_number(factor)}{_SPACE}{_TIMES_SIGN}"


def format_range(bounds: tuple[float | None, float | None] | None, *, scale: float = 1.0) -> str:
    """Write both ends of a range in percent; `scale` is 100 for fractions."""
    if bounds is None or bounds[0] is None or bounds[1] is None:
        return NO_VALUE
    low, high = format_percent(scale * bounds[0]), format_percent(scale * bounds[1])
    return low if low == high else f"{low.removesuffix(_SPACE + '%')} … {high}"


def format_seconds(value: float | None) -> str:
    """Write a duration with three digits, from nanoseconds to hours."""
    if value is None:
        return NO_VALUE
    # Rounded first: 999.7 ns is a microsecond.
    rounded = float(f"{value:.3g}")
    unit, name = next(
        (time_unit for time_unit in _TIME_UNITS if abs(rounded) >= time_unit[0]), _TIME_UNITS[-1]
    )
    return f"{rounded / unit:.3g}".replace("-", _MINUS) + _SPACE + name


def format_operation_time(value: float | None, unit: str) -> str:
    """Write seconds per operation as the tool does that has this unit; else as a time.

    A result may be a stranger's, and its unit any text.
    """
    if not value or not is_operation_unit(unit):
        return format_seconds(value)
    return f"{format_number(in_unit(value, unit))}{_SPACE}{unit}"


def format_minutes(value: float) -> str:
    """Write a duration in minutes, as limits of CI services are."""
    return f"{value / 60:.3g}{_SPACE}min"


def format_p_value(p: float | None) -> str:
    """Write a p value; below one in ten thousand only that."""
    if p is None:
        return NO_VALUE
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


_EXPONENT_START = 999.5
"""From here on three digits would be written with an exponent."""


def format_number(value: float | None) -> str:
    """Write a count or a rate with three digits, thousands apart."""
    if value is None:
        return NO_VALUE
    is_whole = abs(value) >= _EXPONENT_START or value == int(value)
    return f"{value:,.0f}" if is_whole else f"{value:.3g}"


def format_count(number: int, singular: str, plural: str | None = None) -> str:
    """Write "1 method", "2 methods"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
