"""The processes that list a suite and that run one of its benchmarks."""

from collections.abc import Iterable, Sequence
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
    settings = parse_settings(benchmark)
    folder = locate_run_folder(build_folder, trial)
    schedule, records = _locate_files(trial, build_folder)
    enough = folder / f"{trial.id}.enough" if trial.watch else None
    path = _join_paths((*_class_path(project), *guests.benchmark_class_path))
    is_sampled = trial.purpose is Purpose.PROFILE
    stacks = (folder / stacks_name(trial),) if is_sampled else ()
    sampling = _make_sampling_options(trial) if is_sampled else ()
    prepended = (*_make_agent_option(guests, trial, build_folder), *sampling, *settings.prepend)
    options = (
        *_identify_benchmark(benchmark),
        *(f"prepend={argument}" for argument in prepended),
        *_describe_iterations(trial),
        *(("allocations=true",) if trial.reports_allocations else ()),
    )
    return Invocation(
        argv=(_find_java(project), "-cp", path, "benchaudit.jmh.Launch", *options),
        cwd=project.root,
        environment=(
            *project.environment,
            (SCHEDULE_VARIABLE, str(schedule)),
            (RECORDS_VARIABLE, str(records)),
            *(((ENOUGH_VARIABLE, str(enough)),) if enough else ()),
            *(variable for path in stacks for variable in _make_sampler_variables(guests, path)),
        ),
        timeout_seconds=trial.timeout_seconds,
        files=(
            (schedule, format_schedule(trial.schedule)),
            *((path, b"") for path in (records, *stacks)),
        ),
        collects=(records, *stacks),
        follow=OutputMonitor(read=LiveRecords().read_iterations, path=records, enough=enough)
        if enough
        else None,
    )


def find_shared_jvm(trial: Trial) -> tuple[str, ...] | None:
    """Return the author's arguments of a JVM that may count calls for several benchmarks.

    None where JMH forks another JVM than its own for the benchmark of the trial, or where its first
    operation is all that is measured: what it calls may hang on what ran before.
    """
    if trial.benchmark is None:
        return None
    settings = parse_settings(trial.benchmark)
    if settings.jvm or settings.mode == SINGLE_SHOT:
        return None
    return (*settings.prepend, *settings.arguments)


def make_shared_job(
    project: Project, guests: JmhGuest, trials: Sequence[Trial], build_folder: Path
) -> Invocation:
    """Return the process that runs the benchmarks of some trials in turn."""
    path = _join_paths((*_class_path(project), *guests.benchmark_class_path))
    agent = _make_agent_option(guests, trials[0], build_folder)
    arguments = (*agent, *(find_shared_jvm(trials[0]) or ()))
    job = Invocation(
        argv=(_find_java(project), *arguments, "-cp", path, "benchaudit.jmh.SharedLaunch"),
        cwd=project.root,
        environment=project.environment,
        timeout_seconds=trials[0].timeout_seconds,
    )
    folder = locate_run_folder(build_folder) / f"shared-{trials[0].id}"
    return share_process(job, folder, list_members(trials, build_folder))


def list_members(trials: Sequence[Trial], build_folder: Path) -> list[BenchmarkProcess]:
    """Return what a process of several trials is given for each, and collects."""
    return [
        _describe_member(trial, trial.benchmark, build_folder)
        for trial in trials
        if trial.benchmark is not None
    ]


def _describe_member(trial: Trial, benchmark: Benchmark, build_folder: Path) -> BenchmarkProcess:
    schedule, records = _locate_files(trial, build_folder)
    fields = (
        *(repr(trial.timeout_seconds), str(schedule), str(records)),
        *_identify_benchmark(benchmark),
        *_describe_iterations(trial),
    )
    return BenchmarkProcess(
        line="\t".join(map(quote_plus, fields)),  # as SharedLaunch.java reads it
        files=((schedule, format_schedule(trial.schedule)), (records, b"")),
        collects=(records,),
        timeout_seconds=trial.timeout_seconds,
    )


def _locate_files(trial: Trial, build_folder: Path) -> tuple[Path, Path]:
    """Return the files of a trial's schedule and of its records."""
    folder = locate_run_folder(build_folder, trial)
    return folder / f"{trial.id}.schedule", folder / records_name(trial)


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


def _make_sampler_variables(guests: JmhGuest, stacks: Path) -> tuple[tuple[str, str], ...]:
    """Return the variables that make the guest sample stacks, and write them to a file."""
    return (
        (SAMPLER_VARIABLE, str(guests.sampler_folder)),
        (STACKS_VARIABLE, str(stacks)),
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
