"""Which benchmarks can go, with every detection kept (select.md)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.select.judge import LARGEST, Candidate, Choice, everything


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What can go: `removed` with, for each method that one detects, who is kept and does so too.

    `undecided` are the methods that nothing detects and that a benchmark might, by benchmark: it is
    kept for these. `unknown` are benchmarks that could not be measured, which are kept as well.
    """

    kept: Choice
    removed: tuple[tuple[Candidate, tuple[tuple[str, tuple[str, ...]], ...]], ...]
    undecided: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...]


def removal(
    watchers: Sequence[Candidate],
    *,
    open_pairs: Collection[tuple[str, str]],
    unknown: Collection[str],
    unexamined: Collection[str] = (),
    largest: int = LARGEST,
) -> Removal:
    """Return benchmarks without which every method is detected that is detected now.

    `open_pairs` are the (method, benchmark) that are undecided: no detection, but where nothing
    detects the method, the benchmark may be its only one and stays. So do those `unexamined`, of
    which the audited methods hold too little.
    """
    detected = frozenset[str]().union(*(watcher.detects for watcher in watchers))
    undecided: dict[str, tuple[str, ...]] = {}
    for method, benchmark in sorted(open_pairs):
        if method not in detected:
            undecided[benchmark] = (*undecided.get(benchmark, ()), method)
    kept = everything(watchers, required={*undecided, *unknown, *unexamined}, largest=largest)
    stays = {watcher.id for watcher in kept.watchers}
    gone = sorted(
        (watcher for watcher in watchers if watcher.id not in stays), key=lambda watcher: watcher.id
    )
    return Removal(
        kept=kept,
        removed=tuple((one, tuple(_watched(one, kept.watchers))) for one in gone),
        undecided=undecided,
        unknown=tuple(sorted(unknown)),
    )


def _watched(one: Candidate, kept: Sequence[Candidate]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for method in sorted(one.detects):
        yield method, tuple(other.id for other in kept if method in other.detects)
