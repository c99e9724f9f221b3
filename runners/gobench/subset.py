"""The calls of `go test` that run some benchmarks and no others."""

from collections.abc import Sequence
from dataclasses import replace

from runners.gobench.commands import make_name_pattern
from runners.subset import SubsetCommand

_START = ".Benchmark"
"""Where a benchmark's name begins in its id: its package's path stands in front of the dot."""


def build_subset_commands(
    selected_ids: Sequence[str], benchmarks: Sequence[str]
) -> tuple[SubsetCommand, ...]:
    """Return a call for each package, as a pattern holds in all packages of a call.

    A benchmark with others behind its name that are not chosen has a call of its own, which leaves
    out all that is behind it (-skip, Go 1.20). There is no call for ids of another form, as tables
    of other tools have them: it would run nothing. The first call names them as its problem.
    """
    foreign_ids = [benchmark for benchmark in selected_ids if not _is_benchmark_id(benchmark)]
    packages: dict[str, list[str]] = {}
    for benchmark in filter(_is_benchmark_id, selected_ids):
        package, name = _split_id(benchmark)
        packages.setdefault(package, []).append(name)
    left = [_split_id(candidate) for candidate in benchmarks if candidate not in set(selected_ids)]
    subsets = []
    for package, names in sorted(packages.items()):
        unselected_names = [
            name for unselected_package, name in left if unselected_package == package
        ]
        prefix_names = [
            candidate
            for candidate in names
            if any(longer_name.startswith(f"{candidate}/") for longer_name in unselected_names)
        ]
        together = sorted(set(names) - set(prefix_names))
        if together:
            subsets.append(
                _make_subset_command(package, "|".join(map(make_name_pattern, together)), "")
            )
        subsets += [
            _make_subset_command(
                package, make_name_pattern(candidate), f"{make_name_pattern(candidate)}/."
            )
            for candidate in sorted(prefix_names)
        ]
    if foreign_ids and subsets:
        problem = f"no go command runs {', '.join(foreign_ids)}: these are no names of benchmarks"
        subsets[0] = replace(subsets[0], problem=problem)
    return tuple(subsets)


def _make_subset_command(package: str, name_pattern: str, skip: str) -> SubsetCommand:
    words = [
        "go",
        "test",
        "-run=^$",
        f"-bench={name_pattern}",
        *([f"-skip={skip}"] if skip else []),
    ]
    return SubsetCommand(
        pattern=name_pattern, skip=skip, package=package, words=(*words, package or ".")
    )


def _is_benchmark_id(benchmark: str) -> bool:
    """Tell whether the go command has such a benchmark: BenchmarkX, maybe after its package."""
    package, name = _split_id(benchmark)
    rest = name.removeprefix("Benchmark")
    return rest != name and not rest[:1].islower() and not package.endswith("_test.go")


def _split_id(benchmark: str) -> tuple[str, str]:
    """Return package and name; sub-benchmarks may have the word in their names again."""
    package, start, rest = benchmark.partition(_START)
    return (package, start[1:] + rest) if start else ("", benchmark)
