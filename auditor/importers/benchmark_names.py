"""Names of stored benchmarks: what tells variants apart, and which names of two runs are one.

A name is changed only where another run shows that it has to be, never by what is likely.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.core.series.stored import StoredRun, StoredVariant

MODE = "mode"
_DECIDES = (MODE, "threads", "batch")
"""Facts that make two results two questions: their times are not compared."""
_FUNCTION = ".Benchmark"
"""Where the package of a Go benchmark ends."""

Runs = tuple[StoredRun, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A benchmark of each side that cannot be compared."""

    base: str
    head: str
    reason: str


def distinct_names(variants: Iterable[StoredVariant]) -> dict[StoredVariant, str]:
    """Return a name for each variant: the benchmark's, and the facts in which its variants differ.

    The name has them in brackets, a mode by its value alone: `parse (avgt, threads=4)`.
    """
    names = dict.fromkeys(variants, "")
    by_name: dict[str, dict[StoredVariant, dict[str, str]]] = {}
    for stored_variant in names:
        by_name.setdefault(stored_variant.name, {})[stored_variant] = dict(stored_variant.facts)
    for name, mine in by_name.items():
        keys = dict.fromkeys(key for facts in mine.values() for key in facts)
        differing = [
            key for key in keys if len({arguments.get(key) for arguments in mine.values()}) > 1
        ]
        for variant, facts in mine.items():
            written = [_written(key, facts.get(key, "")) for key in differing]
            names[variant] = f"{name} ({', '.join(written)})" if written else name
    return names


def _written(key: str, value: str) -> str:
    return value if key == MODE else f"{key}={value or 'none'}"


def separate_variants(runs: Sequence[StoredRun]) -> Runs:
    """Return runs in which variants of one benchmark have names of their own, the same in all."""
    return _by_variant(
        runs, distinct_names(variant for run in runs for variant in run.variants.values())
    )


def _by_variant(runs: Sequence[StoredRun], names: dict[StoredVariant, str]) -> Runs:
    return tuple(
        rename_benchmarks(run, {key: names[variant] for key, variant in run.variants.items()})
        for run in runs
    )


def rename_benchmarks(run: StoredRun, names: Mapping[str, str]) -> StoredRun:
    """Return a run with other names of some benchmarks; no two may become one."""
    return replace(
        run,
        processes={names.get(key, key): processes for key, processes in run.processes.items()},
        variants={names.get(key, key): variant for key, variant in run.variants.items()},
        units={names.get(key, key): unit for key, unit in run.units.items()},
    )


def settle_endings(runs: Sequence[StoredRun]) -> Runs:
    """Return the runs without the number of processors where the names of others show it is one."""
    return tuple(_settle_ending(run, runs) if run.ending else run for run in runs)


def _settle_ending(run: StoredRun, runs: Sequence[StoredRun]) -> StoredRun:
    """Return a run in doubt with those of its names that runs of another kind have."""
    mine = set(run.processes)
    others = {
        name
        for other in runs
        if other.ending != run.ending or mine.isdisjoint(other.processes)
        for name in other.processes
    }
    stems = {_stem(name, run) for name in mine}
    if len(stems & others) > len(mine & others):
        return replace(rename_benchmarks(run, {name: _stem(name, run) for name in mine}), ending="")
    return replace(run, ending="") if mine & others else run


def _stem(name: str, run: StoredRun) -> str:
    return name.removesuffix(run.ending)


def align_names(base: Runs, head: Runs) -> tuple[Runs, Runs, tuple[Doubt, ...]]:
    """Return the runs of two sides with one name for each benchmark, and what is not comparable.

    A benchmark with one variant on each side is one, whatever its flags.
    """
    runs = settle_endings([*base, *head])
    sides = _variants(runs[: len(base)], runs[len(base) :])
    single = {name for name, mine in sides.items() if max(map(len, mine)) == 1}
    stored_variants = {
        variant for mine in sides.values() for variants in mine for variant in variants
    }
    names = distinct_names(
        stored_variant for stored_variant in stored_variants if stored_variant.name not in single
    )
    runs = _by_variant(
        runs,
        names | {variant: variant.name for variant in stored_variants if variant.name in single},
    )
    before, after = runs[: len(base)], runs[len(base) :]
    doubts = (*_other_questions(sides), *_doubtful(before, after))
    return before, after, doubts


def _variants(*sides: Sequence[StoredRun]) -> dict[str, list[set[StoredVariant]]]:
    """Return the variants of each benchmark on each side."""
    variants_by_name: dict[str, list[set[StoredVariant]]] = {}
    for index, side in enumerate(sides):
        for variant in (stored_variant for run in side for stored_variant in run.variants.values()):
            variants_by_name.setdefault(variant.name, [set() for _ in sides])[index].add(variant)
    return variants_by_name


def _other_questions(sides: dict[str, list[set[StoredVariant]]]) -> Iterator[Doubt]:
    """Yield the benchmarks whose only variants of base and head measure different things."""
    for name, mine in sides.items():
        if all(len(variants) == 1 for variants in mine):
            before, after = (dict(next(iter(stored_variants)).facts) for stored_variants in mine)
            differing = [
                f"{key} {before.get(key) or 'none'} / {after.get(key) or 'none'}"
                for key in _DECIDES
                if before.get(key, "") != after.get(key, "")
            ]
            if differing:
                text = f"base and head measure different things: {', '.join(differing)}"
                yield Doubt(name, name, text)


def _doubtful(base: Runs, head: Runs) -> Iterator[Doubt]:
    """Yield a name of each side that the other lacks, but that may be one benchmark."""
    lost = not all(run.has_packages for run in (*base, *head))
    before, after = (_stems(side, without_packages=lost) for side in (base, head))
    variants = {name for names in before.values() for name in names}
    new = {name for names in after.values() for name in names}
    for stem in after:
        old = [name for name in before.get(stem, ()) if name not in new]
        for name in after[stem]:
            if old and name not in variants:
                yield Doubt(old[0], name, _why(old[0], lost=lost))


def _stems(side: Runs, *, without_packages: bool) -> dict[str, list[str]]:
    """Return the names of a side by what is certainly theirs."""
    names_by_stem: dict[str, list[str]] = {}
    runs = {name: run for run in side for name in run.processes}
    for name, run in runs.items():
        stem = _stem(name, run)
        if without_packages:
            stem = stem[stem.rfind(_FUNCTION) + 1 :]
        names_by_stem.setdefault(stem, []).append(name)
    return names_by_stem


def _why(other: str, *, lost: bool) -> str:
    if lost:
        return f"cannot be told from {other} of base: a file has lost its pkg: lines; keep them"
    return (
        f"cannot be told from {other} of base: is the number at its end Go's processors or a part "
        "of its name? Run a benchmark without sub-benchmarks in the same call"
    )
