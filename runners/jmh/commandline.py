"""The processes that list a suite and that run one of its benchmarks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote_plus

from auditor.core.jobs import Invocation, OutputMonitor
from auditor.core.mutant import Overlay, VariantKind
from auditor.core.plan import Purpose, Trial
from auditor.core.ports import Build
from auditor.core.schedule import Phase
from auditor.core.subject import Project, Role
from auditor.core.suite import Benchmark
from runners.folders import locate_run_folder
from runners.jmh.guests import JmhGuest
from runners.jmh.listing import SINGLE_SHOT, parse_settings
from runners.jmh.sampling import (
    ARGUMENTS,
    PERIOD_NANOSECONDS,
    PERIOD_VARIABLE,
    SAMPLER_VARIABLE,
    STACKS_VARIABLE,
)
from runners.live import LiveRecords
from runners.records import (
    ENOUGH_VARIABLE,
    RECORDS_VARIABLE,
    SCHEDULE_VARIABLE,
    format_schedule,
)
from runners.shared_process import BenchmarkProcess, share_process

INSTRUCTIONS = "instructions.tsv"
_LIST_SECONDS = 600
_SHARED_PURPOSES = frozenset({Purpose.REACH, Purpose.PROFILE})
"""Trials that may share a launcher: counts and shares are the same on a busy machine."""
_LATER_SECONDS = 60
"""JMH's own time-out of an iteration comes after our watchdog's: it only interrupts threads."""


def make_benchmark_list_job(project: Project, guests: JmhGuest, answer: Path) -> Invocation:
    """Return the process that lists the benchmarks."""
    path = _join_paths((*_class_path(project), *guests.benchmark_class_path))
    argv = (_find_java(project), "-cp", path, "benchaudit.jmh.Lister", str(answer))
    return _make_listing_job(project, argv, answer)


def make_class_list_job(project: Project, guests: JmhGuest, answer: Path) -> Invocation:
    """Return the process that lists the library's methods."""
    parts = map(str, project.list_paths(Role.LIBRARY))
    program = "benchaudit.weaver.ClassLister"
    argv = (
        _find_java(project),
        "-cp",
        _join_paths(guests.lister_class_path),
        program,
        str(answer),
        *parts,
    )
    return _make_listing_job(project, argv, answer)


def make_benchmark_job(
    project: Project, guests: JmhGuest, trial: Trial, build_folder: Path
) -> Invocation:
    """Return the process that does what a trial's schedule says with its benchmark."""
    benchmark = trial.benchmark
    if benchmark is None:
        raise ValueError("a trial without a benchmark has no process")
    files = _locate_files(trial, build_folder)
    records = files[RECORDS_VARIABLE]
    enough = records.with_suffix(".enough") if trial.watch else None
    path = _join_paths((*_class_path(project), *guests.benchmark_class_path))
    options = (
        *_identify_benchmark(benchmark),
        *_describe_fork(guests, trial, benchmark, build_folder),
        *_describe_iterations(trial),
    )
    return Invocation(
        argv=(_find_java(project), "-cp", path, "benchaudit.jmh.Launch", *options),
        cwd=project.root,
        environment=(
            *project.environment,
            *((name, str(file)) for name, file in files.items()),
            *(((ENOUGH_VARIABLE, str(enough)),) if enough else ()),
            *_list_sampler_variables(guests, trial),
        ),
        timeout_seconds=trial.timeout_seconds,
        files=_list_contents(trial, files),
        collects=_list_collected(files),
        follow=OutputMonitor(read=LiveRecords().read_iterations, path=records, enough=enough)
        if enough
        else None,
    )


@dataclass(frozen=True, slots=True)
class SharedJvm:
    """A JVM that runs several benchmarks, by what is equal for all of them."""

    purpose: Purpose
    repetition: int
    fork: int
    overlay: str
    """Digest of the changed files."""
    arguments: tuple[str, ...] | None
    """The author's, of a JVM that runs the benchmarks itself; None: it forks for each."""

    @property
    def forks_each(self) -> bool:
        """Tell whether each benchmark runs in a fork of its own."""
        return self.arguments is None


def find_shared_jvm(trial: Trial) -> SharedJvm | None:
    """Return the JVM that may run the benchmark of a trial and others; None: it is alone.

    It forks for each. Only for counts of calls it runs the benchmarks itself where it can: after
    another benchmark it takes other times, so the time in calls decides by its upper limit alone.
    """
    if trial.benchmark is None or trial.purpose not in _SHARED_PURPOSES:
        return None
    counts_calls = trial.purpose is Purpose.REACH
    arguments = _find_counting_arguments(trial.benchmark) if counts_calls else None
    return SharedJvm(
        purpose=trial.purpose,
        repetition=trial.repetition,
        fork=trial.fork,
        overlay=trial.overlay.digest,
        arguments=arguments,
    )


def _find_counting_arguments(benchmark: Benchmark) -> tuple[str, ...] | None:
    """Return the author's arguments of a JVM that may count calls for several benchmarks.

    None where JMH forks another JVM than its own, or where the first operation is all that is
    measured: what it calls may hang on what ran before.
    """
    settings = parse_settings(benchmark)
    if settings.jvm or settings.mode == SINGLE_SHOT:
        return None
    return (*settings.prepend, *settings.arguments)


def make_shared_job(
    project: Project, guests: JmhGuest, trials: Sequence[Trial], build_folder: Path
) -> Invocation:
    """Return the process that runs the benchmarks of some trials in turn."""
    path = _join_paths((*_class_path(project), *guests.benchmark_class_path))
    shared = _require_shared_jvm(trials[0])
    arguments = shared.arguments or ()
    if not shared.forks_each:
        arguments = (*_make_agent_option(guests, trials[0], build_folder), *arguments)
    forks = "1" if shared.forks_each else "0"
    job = Invocation(
        argv=(_find_java(project), *arguments, "-cp", path, "benchaudit.jmh.SharedLaunch", forks),
        cwd=project.root,
        environment=(*project.environment, *_list_sampler_variables(guests, trials[0])),
        timeout_seconds=trials[0].timeout_seconds,
    )
    folder = locate_run_folder(build_folder) / f"shared-{trials[0].id}"
    return share_process(job, folder, list_members(guests, trials, build_folder))


def _require_shared_jvm(trial: Trial) -> SharedJvm:
    shared = find_shared_jvm(trial)
    if shared is None:
        raise ValueError(f"the trial {trial.id} is alone in its process")
    return shared


def list_members(
    guests: JmhGuest, trials: Sequence[Trial], build_folder: Path
) -> list[BenchmarkProcess]:
    """Return what a process of several trials is given for each, and collects."""
    return [
        _describe_member(guests, trial, trial.benchmark, build_folder)
        for trial in trials
        if trial.benchmark is not None
    ]


def _describe_member(
    guests: JmhGuest, trial: Trial, benchmark: Benchmark, build_folder: Path
) -> BenchmarkProcess:
    files = _locate_files(trial, build_folder)
    # All forks of a JVM have its environment.
    properties = (f"prepend=-D{name}={file}" for name, file in files.items())
    fork = (*properties, *_describe_fork(guests, trial, benchmark, build_folder))
    fields = (
        repr(trial.timeout_seconds),
        *map(str, (files[SCHEDULE_VARIABLE], files[RECORDS_VARIABLE])),
        *_identify_benchmark(benchmark),
        *(fork if _require_shared_jvm(trial).forks_each else ()),
        *_describe_iterations(trial),
    )
    return BenchmarkProcess(
        line="\t".join(map(quote_plus, fields)),  # as SharedLaunch.java reads it
        files=_list_contents(trial, files),
        collects=_list_collected(files),
        timeout_seconds=trial.timeout_seconds,
    )


def _locate_files(trial: Trial, build_folder: Path) -> dict[str, Path]:
    """Return the files of a trial, by the variables that tell its process of them."""
    folder = locate_run_folder(build_folder, trial)
    files = {
        SCHEDULE_VARIABLE: folder / f"{trial.id}.schedule",
        RECORDS_VARIABLE: folder / records_name(trial),
    }
    if trial.purpose is Purpose.PROFILE:
        files[STACKS_VARIABLE] = folder / stacks_name(trial)
    return files


def _list_collected(files: Mapping[str, Path]) -> tuple[Path, ...]:
    """Return those of a trial's files that its process writes."""
    return tuple(path for name, path in files.items() if name != SCHEDULE_VARIABLE)


def _list_contents(trial: Trial, files: Mapping[str, Path]) -> tuple[tuple[Path, bytes], ...]:
    """Return a trial's files with what is in them before its process begins."""
    schedule = (files[SCHEDULE_VARIABLE], format_schedule(trial.schedule))
    return (schedule, *((path, b"") for path in _list_collected(files)))


def _describe_fork(
    guests: JmhGuest, trial: Trial, benchmark: Benchmark, build_folder: Path
) -> tuple[str, ...]:
    """Return what Launch.java is told of the JVM that it forks."""
    arguments = (
        *_make_agent_option(guests, trial, build_folder),
        *(_make_sampling_options(trial) if trial.purpose is Purpose.PROFILE else ()),
        *parse_settings(benchmark).prepend,
    )
    allocations = ("allocations=true",) if trial.reports_allocations else ()
    return (*(f"prepend={argument}" for argument in arguments), *allocations)


def make_instruction_build(overlay: Overlay, build_folder: Path) -> Build:
    """Return the file of the agent's instructions; nothing is compiled."""
    text = "".join(f"{line}\n" for line in overlay.instructions)
    return Build(files=((build_folder / INSTRUCTIONS, text.encode()),))


def records_name(trial: Trial) -> str:
    """Return the name of the file that the guest writes in a trial."""
    return f"{trial.id}.records"


def stacks_name(trial: Trial) -> str:
    """Return the name of the file that the guest writes sampled stacks to."""
    return f"{trial.id}.stacks"


def _make_sampling_options(trial: Trial) -> tuple[str, ...]:
    """Return the JVM's arguments for sampling; methods of the variant are kept out of line.

    Debug information of inlined loops may be lost; that of a called method is never its caller's.
    """
    methods = (method.descriptor for method in trial.variant.methods)
    compile_commands = tuple(
        f"-XX:CompileCommand=dontinline,{descriptor}" for descriptor in methods
    )
    return (
        *ARGUMENTS,
        *(("-XX:CompileCommand=quiet",) if compile_commands else ()),
        *compile_commands,
    )


def _list_sampler_variables(guests: JmhGuest, trial: Trial) -> tuple[tuple[str, str], ...]:
    """Return the variables that make the guest of a profile sample stacks."""
    if trial.purpose is not Purpose.PROFILE:
        return ()
    return (
        (SAMPLER_VARIABLE, str(guests.sampler_folder)),
        (PERIOD_VARIABLE, str(PERIOD_NANOSECONDS)),
    )


def _identify_benchmark(benchmark: Benchmark) -> tuple[str, ...]:
    return (
        f"benchmark={benchmark.group}.{benchmark.name}",
        f"mode={parse_settings(benchmark).mode}",
        *(f"parameter:{key}={value}" for key, value in benchmark.parameters),
    )


def _describe_iterations(trial: Trial) -> tuple[str, ...]:
    """Say how many iterations there are, and how long."""
    warmups = _count_warmups(trial)
    seconds = trial.schedule.seconds
    return (
        f"warmups={warmups}",
        f"iterations={len(trial.schedule.blocks) - warmups}",
        f"timeout-seconds={trial.timeout_seconds + _LATER_SECONDS}",
        f"warmup-seconds={seconds!r}",
        f"iteration-seconds={seconds!r}",
    )


def _count_warmups(trial: Trial) -> int:
    phases = [block.phase for block in trial.schedule.blocks]
    return phases.index(Phase.MEASUREMENT) if Phase.MEASUREMENT in phases else len(phases)


def _make_agent_option(guests: JmhGuest, trial: Trial, build_folder: Path) -> tuple[str, ...]:
    if trial.variant.kind in (VariantKind.PLAIN, VariantKind.PROFILED):
        return ()
    return (f"-javaagent:{guests.agent_jar}={build_folder / INSTRUCTIONS}",)


def _class_path(project: Project) -> tuple[Path, ...]:
    roles = (Role.BENCHMARKS, Role.LIBRARY, Role.DEPENDENCY)
    return tuple(dict.fromkeys(path for role in roles for path in project.list_paths(role)))


def _join_paths(paths: Iterable[Path]) -> str:
    return ":".join(map(str, paths))


def _find_java(project: Project) -> str:
    return dict(project.options).get("java", "java")


def _make_listing_job(project: Project, argv: tuple[str, ...], answer: Path) -> Invocation:
    return Invocation(
        argv=argv,
        cwd=project.root,
        environment=project.environment,
        timeout_seconds=_LIST_SECONDS,
        files=((answer, b""),),
        collects=(answer,),
    )
