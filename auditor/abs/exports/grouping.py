"""Benchmarks' ids in two: the package or class that holds one, and its name there."""

from auditor.core.subject import Language

_GO = ".Benchmark"


def split_name(benchmark: str, language: str) -> tuple[str, str]:
    """Return package and name of a Go benchmark, class and name of a JMH one.

    The first is empty where the id has only a name, as in the tables of the research tools.
    """
    if language == Language.GO:
        group, found, rest = benchmark.partition(_GO)
        return (group, f"Benchmark{rest}") if found else ("", benchmark)
    # Parameters (`[size=1.5]`) have dots of their own.
    name, bracket, chosen = benchmark.partition("[")
    group, _, last = name.rpartition(".")
    return group, f"{last}{bracket}{chosen}"
