"""Names of stored benchmarks: what tells variants apart, and which names of two runs are alike.

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
class IncomparablePair:
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
    for name, facts_by_variant in by_name.items():
        keys = dict.fromkeys(key for facts in facts_by_variant.values() for key in facts)
        differing = [
            key
            for key in keys
            if len({arguments.get(key) for arguments in facts_by_variant.values()}) > 1
        ]
        for variant, facts in facts_by_variant.items():
            fact_texts = [_format_fact(key, facts.get(key, "")) for key in differing]
            names[variant] = f"{name} ({', '.join(fact_texts)})" if fact_texts else name
    return names


def _format_fact(key: str, value: str) -> str:
    return value if key == MODE else f"{key}={value or 'none'}"


def separate_variants(runs: Sequence[StoredRun]) -> Runs:
    """Return runs in which variants of one benchmark have names of their own, the same in all."""
    return _rename_variants(
        runs, distinct_names(variant for run in runs for variant in run.variants.values())
    )


def _rename_variants(runs: Sequence[StoredRun], names: dict[StoredVariant, str]) -> Runs:
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
    run_names = set(run.processes)
    peer_names = {
        name
        for peer in runs
        if peer.ending != run.ending or run_names.isdisjoint(peer.processes)
        for name in peer.processes
    }
    stems = {_strip_ending(name, run) for name in run_names}
    if len(stems & peer_names) > len(run_names & peer_names):
        return replace(
            rename_benchmarks(run, {name: _strip_ending(name, run) for name in run_names}),
            ending="",
        )
    return replace(run, ending="") if run_names & peer_names else run


def _strip_ending(name: str, run: StoredRun) -> str:
    return name.removesuffix(run.ending)


def align_names(base: Runs, head: Runs) -> tuple[Runs, Runs, tuple[IncomparablePair, ...]]:
    """Return the runs of two sides with one name for each benchmark, and what is not comparable.

    A benchmark with one variant on each side is one, whatever its flags.
    """
    runs = settle_endings([*base, *head])
    sides = _collect_variants(runs[: len(base)], runs[len(base) :])
    single = {name for name, side_variants in sides.items() if max(map(len, side_variants)) == 1}
    stored_variants = {
        variant
        for side_variants in sides.values()
        for variants in side_variants
        for variant in variants
    }
    names = distinct_names(
        stored_variant for stored_variant in stored_variants if stored_variant.name not in single
    )
    runs = _rename_variants(
        runs,
        names | {variant: variant.name for variant in stored_variants if variant.name in single},
    )
    before, after = runs[: len(base)], runs[len(base) :]
    doubts = (*_find_incompatible_variants(sides), *_find_doubtful_names(before, after))
    return before, after, doubts


def _collect_variants(*sides: Sequence[StoredRun]) -> dict[str, list[set[StoredVariant]]]:
    """Return the variants of each benchmark on each side."""
    variants_by_name: dict[str, list[set[StoredVariant]]] = {}
    for index, side in enumerate(sides):
        for variant in (stored_variant for run in side for stored_variant in run.variants.values()):
            variants_by_name.setdefault(variant.name, [set() for _ in sides])[index].add(variant)
    return variants_by_name


def _find_incompatible_variants(
    sides: dict[str, list[set[StoredVariant]]],
) -> Iterator[IncomparablePair]:
    """Yield the benchmarks whose only variants of base and head measure different things."""
    for name, side_variants in sides.items():
        if all(len(variants) == 1 for variants in side_variants):
            before, after = (
                dict(next(iter(stored_variants)).facts) for stored_variants in side_variants
            )
            differing = [
                f"{key} {before.get(key) or 'none'} / {after.get(key) or 'none'}"
                for key in _DECIDES
                if before.get(key, "") != after.get(key, "")
            ]
            if differing:
                text = f"base and head measure different things: {', '.join(differing)}"
                yield IncomparablePair(name, name, text)


def _find_doubtful_names(base: Runs, head: Runs) -> Iterator[IncomparablePair]:
    """Yield a name of each side that the other lacks, but that may be one benchmark."""
    lost = not all(run.has_packages for run in (*base, *head))
    before, after = (_map_stems(side, without_packages=lost) for side in (base, head))
    variants = {name for names in before.values() for name in names}
    new = {name for names in after.values() for name in names}
    for stem in after:
        old = [name for name in before.get(stem, ()) if name not in new]
        for name in after[stem]:
            if old and name not in variants:
                yield IncomparablePair(old[0], name, _explain_doubt(old[0], lost=lost))


def _map_stems(side: Runs, *, without_packages: bool) -> dict[str, list[str]]:
    """Return the names of a side by what is certainly theirs."""
    names_by_stem: dict[str, list[str]] = {}
    runs = {name: run for run in side for name in run.processes}
    for name, run in runs.items():
        stem = _strip_ending(name, run)
        if without_packages:
            stem = stem[stem.rfind(_FUNCTION) + 1 :]
        names_by_stem.setdefault(stem, []).append(name)
    return names_by_stem


def _explain_doubt(base_name: str, *, lost: bool) -> str:
    if lost:
        return f"cannot be told from {base_name} of base: a file has lost its pkg: lines; keep them"
    return (
        f"cannot be told from {base_name} of base: is the number at its end Go's processors or a "
        "part of its name? Run a benchmark without sub-benchmarks in the same call"
    )
