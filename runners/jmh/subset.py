"""The calls of a JMH jar that run some benchmarks and no others."""

import re
from collections.abc import Sequence

from runners.subset import Subset

JAR = "benchmarks.jar"
"""What JMH's own project template calls the jar; nobody knows what the user's is called."""
_ID = re.compile(r"(?P<name>[^\[]*)(?:\[(?P<parameters>.*)\])?", re.DOTALL)
_NEXT = re.compile(r",(?=[^\W\d][\w$]*=)")
"""A comma before a name (Java's) and an equals sign; other commas belong to a value."""


def calls(chosen: Sequence[str], known: Sequence[str]) -> tuple[Subset, ...]:
    """Return a call for each choice of parameters: JMH runs all values with all benchmarks.

    A name without its parameters is what they are matched with, from its start to its end.
    """
    del known  # the patterns are anchored, so nothing else can match
    by_parameters: dict[tuple[tuple[str, str], ...], set[str]] = {}
    for benchmark in chosen:
        name, parameters = _split(benchmark)
        by_parameters.setdefault(parameters, set()).add(name)
    return tuple(
        _call(sorted(by_parameters[by_parameter]), by_parameter)
        for by_parameter in sorted(by_parameters)
    )


def _call(names: Sequence[str], parameters: tuple[tuple[str, str], ...]) -> Subset:
    pattern = "|".join(f"^{re.escape(name)}$" for name in names)
    values = [word for key, value in parameters for word in ("-p", f"{key}={value}")]
    words = ("java", "-jar", JAR, pattern, *values)
    problem = next(filter(None, (_problem(*parameter) for parameter in parameters)), "")
    return Subset(pattern=pattern, parameters=parameters, words=words, problem=problem)


def _problem(key: str, value: str) -> str:
    """Tell what JMH's command line would not take for one value: it has no way to quote."""
    if value and not set(value) & set(",="):
        return ""
    return f"JMH's -p cannot set {key} to the value {value!r}; choose it in the benchmark's @Param"


def _split(benchmark: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    match = _ID.fullmatch(benchmark)
    if match is None or match["parameters"] is None:
        return benchmark, ()
    pairs = (part.partition("=") for part in _NEXT.split(match["parameters"]))
    return match["name"], tuple((key, value) for key, _, value in pairs)
