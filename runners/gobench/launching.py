"""Which processes a trial takes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from auditor.core.jobs import Invocation, OutputMonitor
from auditor.core.mutant import VariantKind
from auditor.core.plan import Trial
from auditor.core.schedule import Schedule, count_fewest_operations
from auditor.core.subject import Project
from runners.gobench import commands
from runners.gobench.commands import COUNTERS, PROFILE, RECORDS, ROOT, SCHEDULE, PackageBuild
from runners.gobench.settings import read_settings
from runners.gobench.text import LiveResults
from runners.programs import is_program_built
from runners.records import RECORDS_VARIABLE, SCHEDULE_VARIABLE, format_schedule

UNKNOWN_OPERATIONS = 100
"""Operations of a block where nobody has found out how many fit."""
SHORT_WINDOW = 11
"""Operations of a block of the first counting window; one of the second has the plan's."""
PROFILE_HERTZ = 1000
"""Samples of a thread that are asked for in a second of processor time; a kernel whose timer has
250 ticks delivers 250."""
PARALLEL_CHUNK_SECONDS = 100e-6
"""Time of the operations that RunParallel hands a goroutine at once (Go's testing package)."""
_TEST_LIMIT = 0.9
"""Share of the watchdog's time after which Go's own time-out ends a hanging unit test."""


def count_block_operations(schedule: Schedule) -> int:
    """Return the operations of a block; a block of one is testing's first call of a benchmark."""
    return schedule.operations or UNKNOWN_OPERATIONS


def fixes_operations(trial: Trial) -> bool:
    """Tell whether a plain process is told how many operations a block has.

    RunParallel hands each goroutine a chunk of some 100 microseconds of operations, by the time of
    the run before. With a fixed number that run has one operation, so chunks are small, and the
    goroutines contend for the counter. With a fixed time the number of operations grows up to it.
    """
    return trial.schedule.operations is not None and not _needs_chunks(trial)


def _needs_chunks(trial: Trial) -> bool:
    """Tell whether goroutines of a benchmark take chunks of several operations under `go test`.

    The time of an operation is that of a planned block over its operations. It is longer where a
    block has only the fewest, as it may last longer than planned.
    """
    schedule, benchmark = trial.schedule, trial.benchmark
    if benchmark is None or schedule.operations is None or not read_settings(benchmark).parallel:
        return False
    fewest = count_fewest_operations(benchmark.concurrency)
    is_short = schedule.seconds < PARALLEL_CHUNK_SECONDS * schedule.operations
    return is_short and schedule.operations > fewest


def count_window_operations(schedule: Schedule) -> tuple[int, int]:
    """Return the operations of a block in either window: two numbers, the second the plan's.

    If the plan has one operation, which is slow, the other window has two. Else both have more than
    one, so that testing's first call is no block.
    """
    if count_block_operations(schedule) == 1:
        return 2, 1
    full = max(3, count_block_operations(schedule))
    return max(2, min(SHORT_WINDOW, full // 2)), full


def make_benchmark_jobs(project: Project, trial: Trial, build_folder: Path) -> list[Invocation]:
    """Return the processes of a trial that runs a benchmark."""
    assert trial.benchmark is not None  # noqa: S101 - narrows the type; launch has looked
    benchmark_settings = read_settings(trial.benchmark)
    place = PackageBuild(
        project, build_folder, trial.benchmark.group, benchmark_settings.folder, trial.layout, trial
    )
    flags = (
        *commands.leaf_flags(trial.benchmark.name),
        f"-test.cpu={benchmark_settings.processors}",
        *commands.ALWAYS,
    )
    if trial.variant.kind is VariantKind.PLAIN:
        runs = [_follow_results(_make_plain_run(place, trial, flags), trial)]
    elif trial.variant.kind is VariantKind.COUNTING:
        runs = [
            _make_counting_run(place, trial, flags, count)
            for count in count_window_operations(trial.schedule)
        ]
    elif trial.variant.kind is VariantKind.PROFILED:
        runs = [_make_profiled_run(place, trial, flags)]
    else:
        runs = [_make_slowed_run(place, trial, flags)]
    overlaid = bool(trial.overlay.files)
    return [*_make_missing_builds(place, overlaid=overlaid), *runs]


def make_test_jobs(project: Project, trial: Trial, build_folder: Path) -> Iterator[Invocation]:
    """Yield the processes that run the unit tests of a package: its build, and then that."""
    fields = (line.split("\t") for line in trial.overlay.instructions)
    folder = next(field[1] for field in fields if field[0] == "tests" and field[2] == trial.tests)
    place = PackageBuild(project, build_folder, trial.tests, folder, trial=trial)
    yield from _make_missing_builds(place, overlaid=True)
    if is_program_built(
        place.binary_path
    ):  # the one who asks for this one has built it, or failed to
        limit = round(trial.timeout_seconds * _TEST_LIMIT)
        yield _make_counted_job(place, trial, ("-test.short", f"-test.timeout={limit}s"), {})


def _make_missing_builds(place: PackageBuild, *, overlaid: bool) -> list[Invocation]:
    """Build only what a trial runs: most overlays are run by few of the packages."""
    return (
        []
        if is_program_built(place.binary_path)
        else [commands.compile_tests(place, overlaid=overlaid)]
    )


def _make_plain_run(place: PackageBuild, trial: Trial, flags: tuple[str, ...]) -> Invocation:
    schedule = trial.schedule
    if not fixes_operations(trial):
        time = f"{max(1, round(schedule.seconds * 1e9))}ns"
    else:
        time = f"{count_block_operations(schedule)}x"
    more = (f"-test.benchtime={time}", f"-test.count={len(schedule.blocks)}")
    job = commands.run_binary(place, (*flags, *more), trial.timeout_seconds)
    return commands.label_run(place, job)


def _follow_results(job: Invocation, trial: Trial) -> Invocation:
    """Follow a watched process. It does not ask whether to go on: it ends in the midst of a block.

    So no clean-up of the benchmark runs, and what it has in temporary folders stays.
    """
    if trial.watch is None or trial.benchmark is None:
        return job
    return replace(
        job, follow=OutputMonitor(read=LiveResults(trial.benchmark.name).read_iterations)
    )


def _make_slowed_run(place: PackageBuild, trial: Trial, flags: tuple[str, ...]) -> Invocation:
    count = count_block_operations(trial.schedule)
    more = (f"-test.benchtime={count}x", f"-test.count={len(trial.schedule.blocks)}")
    variables = _make_leaf_variables(trial, count) | {
        SCHEDULE_VARIABLE: place.locate_file(SCHEDULE),
        RECORDS_VARIABLE: place.locate_file(RECORDS),
    }
    job = commands.run_binary(place, (*flags, *more), trial.timeout_seconds, **variables)
    files = (
        (place.locate_file(SCHEDULE), format_schedule(trial.schedule)),
        (place.locate_file(RECORDS), b""),
    )
    job = replace(job, files=files, collects=(place.locate_file(RECORDS),))
    return commands.label_run(place, job)


def _make_profiled_run(place: PackageBuild, trial: Trial, flags: tuple[str, ...]) -> Invocation:
    job = _make_slowed_run(place, trial, flags)
    path = place.locate_file(PROFILE)
    profile_variables = {
        "BENCH_AUDIT_PROFILE": str(path),
        "BENCH_AUDIT_PROFILE_HERTZ": str(PROFILE_HERTZ),
    }
    environment = tuple(sorted((dict(job.environment) | profile_variables).items()))
    return replace(
        job,
        environment=environment,
        files=(
            *job.files,
            (path, b""),
            (place.locate_file(ROOT), str(place.project.root).encode()),
        ),
        collects=(*job.collects, path, place.locate_file(ROOT)),
    )


def _make_counting_run(
    place: PackageBuild, trial: Trial, flags: tuple[str, ...], count: int
) -> Invocation:
    more = (f"-test.benchtime={count}x", f"-test.count={len(trial.schedule.blocks)}")
    return _make_counted_job(place, trial, (*flags, *more), _make_leaf_variables(trial, count))


def _make_counted_job(
    place: PackageBuild, trial: Trial, flags: tuple[str, ...], variables: dict[str, str | Path]
) -> Invocation:
    files = (
        (place.locate_file(COUNTERS), bytes(32 * len(trial.variant.methods))),
        (place.locate_file(RECORDS), b""),
    )
    guest_variables = {"BENCH_AUDIT_COUNTERS": files[0][0], RECORDS_VARIABLE: files[1][0]}
    job = commands.run_binary(place, flags, trial.timeout_seconds, **guest_variables, **variables)
    job = replace(job, files=files, collects=tuple(path for path, _ in files))
    return commands.label_run(place, job)


def _make_leaf_variables(trial: Trial, count: int) -> dict[str, str | Path]:
    return {
        "BENCH_AUDIT_LEAF": trial.benchmark.name if trial.benchmark else "",
        "BENCH_AUDIT_OPERATIONS": str(count),
        "BENCH_AUDIT_BLOCK_SECONDS": str(trial.schedule.seconds),
        "BENCH_AUDIT_CHUNKS": "1" if _needs_chunks(trial) else "",
    }
