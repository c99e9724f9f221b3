"""The calls of `go test` that run some benchmarks and no others."""

from collections.abc import Sequence

from runners.gobench.commands import pattern
from runners.subset import Subset

_START = ".Benchmark"
"""Where a benchmark's name begins in its id: its package's path stands in front of the dot."""


def calls(chosen: Sequence[str], benchmarks: Sequence[str]) -> tuple[Subset, ...]:
    """Return a call for each package, as a pattern holds in all packages of a call.

    A benchmark with others behind its name that are not chosen has a call of its own, which leaves
    out all that is behind it (-skip, Go 1.20).
    """
    packages: dict[str, list[str]] = {}
    for benchmark in chosen:
        package, name = _split(benchmark)
        packages.setdefault(package, []).append(name)
    left = [_split(one) for one in benchmarks if one not in set(chosen)]
    subsets = []
    for package, names in sorted(packages.items()):
        others = [name for where, name in left if where == package]
        alone = [one for one in names if any(other.startswith(f"{one}/") for other in others)]
        together = sorted(set(names) - set(alone))
        if together:
            subsets.append(_call(package, "|".join(map(pattern, together)), ""))
        subsets += [_call(package, pattern(one), f"{pattern(one)}/.") for one in sorted(alone)]
    return tuple(subsets)


def _call(package: str, chosen: str, skip: str) -> Subset:
    words = ["go", "test", "-run=^$", f"-bench={chosen}", *([f"-skip={skip}"] if skip else [])]
    return Subset(pattern=chosen, skip=skip, package=package, words=(*words, package or "."))


def _split(benchmark: str) -> tuple[str, str]:
    """Return package and name; sub-benchmarks may have the word in their names again."""
    package, start, rest = benchmark.partition(_START)
    return (package, start[1:] + rest) if start else ("", benchmark)
