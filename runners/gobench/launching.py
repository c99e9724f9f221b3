"""Which processes a trial takes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from auditor.core.jobs import Follow, Invocation
from auditor.core.mutant import VariantKind
from auditor.core.plan import Trial
from auditor.core.schedule import Schedule
from auditor.core.subject import Project
from auditor.core.suite import Benchmark
from runners.gobench import commands
from runners.gobench.commands import COUNTERS, PROFILE, RECORDS, ROOT, SCHEDULE, Place
from runners.gobench.settings import settings
from runners.gobench.text import LiveResults
from runners.programs import is_made
from runners.records import RECORDS_VARIABLE, SCHEDULE_VARIABLE, schedule_text

UNKNOWN_OPERATIONS = 100
"""Operations of a block where nobody has found out how many fit."""
SHORT_WINDOW = 11
"""Operations of a block of the first counting window; one of the second has the plan's."""
PROFILE_HERTZ = 1000
"""Samples of a thread that are asked for in a second of processor time; a kernel whose timer has
250 ticks delivers 250."""
_TEST_LIMIT = 0.9
"""Share of the watchdog's time after which Go's own time-out ends a hanging unit test."""


def operations(schedule: Schedule) -> int:
    """Return the operations of a block; a block of one is testing's first call of a benchmark."""
    return schedule.operations or UNKNOWN_OPERATIONS


def windows(schedule: Schedule) -> tuple[int, int]:
    """Return the operations of a block in either window: two numbers, the second the plan's.

    If the plan has one operation, which is slow, the other window has two. Else both have more than
    one, so that testing's first call is no block.
    """
    if operations(schedule) == 1:
        return 2, 1
    full = max(3, operations(schedule))
    return max(2, min(SHORT_WINDOW, full // 2)), full


def benchmark_processes(project: Project, trial: Trial, into: Path) -> list[Invocation]:
    """Return the processes of a trial that runs a benchmark."""
    assert trial.benchmark is not None  # noqa: S101 - narrows the type; launch has looked
    noted = settings(trial.benchmark)
    place = Place(project, into, trial.benchmark.group, noted.folder, trial.layout, trial)
    flags = (
        *commands.leaf_flags(trial.benchmark.name),
        f"-test.cpu={noted.processors}",
        *commands.ALWAYS,
    )
    if trial.variant.kind is VariantKind.PLAIN:
        runs = [_followed(_plain(place, trial, flags), trial)]
    elif trial.variant.kind is VariantKind.COUNTING:
        runs = [_counting(place, trial, flags, count) for count in windows(trial.schedule)]
    elif trial.variant.kind is VariantKind.PROFILED:
        runs = [_profiled(place, trial, flags)]
    else:
        runs = [_slowed(place, trial, flags)]
    overlaid = bool(trial.overlay.files)
    return [*_missing(place, overlaid=overlaid), *runs]


def test_processes(project: Project, trial: Trial, into: Path) -> Iterator[Invocation]:
    """Yield the processes that run the unit tests of a package: its build, and then that."""
    fields = (line.split("\t") for line in trial.overlay.instructions)
    folder = next(field[1] for field in fields if field[0] == "tests" and field[2] == trial.tests)
    place = Place(project, into, trial.tests, folder, trial=trial)
    yield from _missing(place, overlaid=True)
    if is_made(place.binary):  # the one who asks for this one has built it, or failed to
        limit = round(trial.timeout_seconds * _TEST_LIMIT)
        yield _counted(place, trial, ("-test.short", f"-test.timeout={limit}s"), {})


def _missing(place: Place, *, overlaid: bool) -> list[Invocation]:
    """Build only what a trial runs: most overlays are run by few of the packages."""
    return [] if is_made(place.binary) else [commands.compile_tests(place, overlaid=overlaid)]


def _plain(place: Place, trial: Trial, flags: tuple[str, ...]) -> Invocation:
    schedule = trial.schedule
    if schedule.operations is None:
        time = f"{max(1, round(schedule.seconds * 1e9))}ns"
    else:
        time = f"{operations(schedule)}x"
    more = (f"-test.benchtime={time}", f"-test.count={len(schedule.blocks)}")
    job = commands.run_binary(place, (*flags, *more), trial.timeout_seconds)
    return commands.label_run(place, job)


def _followed(job: Invocation, trial: Trial) -> Invocation:
    """Follow a watched process. It does not ask whether to go on: it ends in the midst of a block.

    So no clean-up of the benchmark runs, and what it has in temporary folders stays.
    """
    if trial.watch is None or trial.benchmark is None:
        return job
    return replace(job, follow=Follow(read=LiveResults(trial.benchmark.name).read))


def _slowed(place: Place, trial: Trial, flags: tuple[str, ...]) -> Invocation:
    count = operations(trial.schedule)
    more = (f"-test.benchtime={count}x", f"-test.count={len(trial.schedule.blocks)}")
    variables = _leaf(trial.benchmark, count) | {
        SCHEDULE_VARIABLE: place.file(SCHEDULE),
        RECORDS_VARIABLE: place.file(RECORDS),
    }
    job = commands.run_binary(place, (*flags, *more), trial.timeout_seconds, **variables)
    files = (
        (place.file(SCHEDULE), schedule_text(trial.schedule)),
        (place.file(RECORDS), b""),
    )
    job = replace(job, files=files, collects=(place.file(RECORDS),))
    return commands.label_run(place, job)


def _profiled(place: Place, trial: Trial, flags: tuple[str, ...]) -> Invocation:
    job = _slowed(place, trial, flags)
    path = place.file(PROFILE)
    own = {"BENCH_AUDIT_PROFILE": str(path), "BENCH_AUDIT_PROFILE_HERTZ": str(PROFILE_HERTZ)}
    environment = tuple(sorted((dict(job.environment) | own).items()))
    return replace(
        job,
        environment=environment,
        files=(*job.files, (path, b""), (place.file(ROOT), str(place.project.root).encode())),
        collects=(*job.collects, path, place.file(ROOT)),
    )


def _counting(place: Place, trial: Trial, flags: tuple[str, ...], count: int) -> Invocation:
    more = (f"-test.benchtime={count}x", f"-test.count={len(trial.schedule.blocks)}")
    return _counted(place, trial, (*flags, *more), _leaf(trial.benchmark, count))


def _counted(
    place: Place, trial: Trial, flags: tuple[str, ...], variables: dict[str, str | Path]
) -> Invocation:
    files = (
        (place.file(COUNTERS), bytes(16 * len(trial.variant.methods))),
        (place.file(RECORDS), b""),
    )
    own = {"BENCH_AUDIT_COUNTERS": files[0][0], RECORDS_VARIABLE: files[1][0]}
    job = commands.run_binary(place, flags, trial.timeout_seconds, **own, **variables)
    job = replace(job, files=files, collects=tuple(path for path, _ in files))
    return commands.label_run(place, job)


def _leaf(benchmark: Benchmark | None, count: int) -> dict[str, str | Path]:
    name = benchmark.name if benchmark else ""
    return {"BENCH_AUDIT_LEAF": name, "BENCH_AUDIT_OPERATIONS": str(count)}
