"""The calls of a JMH jar that run some benchmarks and no others."""

import re
from collections.abc import Sequence

from runners.subset import SubsetCommand

JAR = "benchmarks.jar"
"""What JMH's own project template calls the jar; nobody knows what the user's is called."""
_ID = re.compile(r"(?P<name>[^\[]*)(?:\[(?P<parameters>.*)\])?", re.DOTALL)
_NEXT = re.compile(r",(?=[^\W\d][\w$]*=)")
"""A comma before a name (Java's) and an equals sign; other commas belong to a value."""


def build_subset_commands(
    selected_ids: Sequence[str], all_ids: Sequence[str]
) -> tuple[SubsetCommand, ...]:
    """Return a call for each choice of parameters: JMH runs all values with all benchmarks.

    A name without its parameters is what they are matched with, from its start to its end.
    """
    del all_ids  # the patterns are anchored, so nothing else can match
    by_parameters: dict[tuple[tuple[str, str], ...], set[str]] = {}
    for benchmark in selected_ids:
        name, parameters = _split_id(benchmark)
        by_parameters.setdefault(parameters, set()).add(name)
    return tuple(
        _make_subset_command(sorted(by_parameters[by_parameter]), by_parameter)
        for by_parameter in sorted(by_parameters)
    )


def _make_subset_command(
    names: Sequence[str], parameters: tuple[tuple[str, str], ...]
) -> SubsetCommand:
    pattern = "|".join(f"^{re.escape(name)}$" for name in names)
    values = [word for key, value in parameters for word in ("-p", f"{key}={value}")]
    words = ("java", "-jar", JAR, pattern, *values)
    problem = next(filter(None, (_explain_unsettable(*parameter) for parameter in parameters)), "")
    return SubsetCommand(pattern=pattern, parameters=parameters, words=words, problem=problem)


def _explain_unsettable(key: str, value: str) -> str:
    """Tell what JMH's command line would not take for one value: it has no way to quote."""
    if value and not set(value) & set(",="):
        return ""
    return f"JMH's -p cannot set {key} to the value {value!r}; choose it in the benchmark's @Param"


def _split_id(benchmark: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    match = _ID.fullmatch(benchmark)
    if match is None or match["parameters"] is None:
        return benchmark, ()
    pairs = (part.partition("=") for part in _NEXT.split(match["parameters"]))
    return match["name"], tuple((key, value) for key, _, value in pairs)
