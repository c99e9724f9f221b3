"""The processes that list a suite and that run one of its benchmarks."""

from collections.abc import Iterable
from pathlib import Path

from auditor.core.jobs import Follow, Invocation
from auditor.core.mutant import Overlay, VariantKind
from auditor.core.plan import Purpose, Trial
from auditor.core.ports import Build
from auditor.core.schedule import Phase
from auditor.core.subject import Project, Role
from auditor.core.suite import Benchmark
from runners.folders import running_folder
from runners.jmh.guests import JmhGuest
from runners.jmh.listing import JmhSettings, settings_of
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
    schedule_text,
)

INSTRUCTIONS = "instructions.tsv"
_LIST_SECONDS = 600
_LATER_SECONDS = 60
"""JMH's own time-out of an iteration comes after our watchdog's: it only interrupts threads."""


def list_benchmarks(project: Project, guests: JmhGuest, answer: Path) -> Invocation:
    """Return the process that lists the benchmarks."""
    path = _joined((*_class_path(project), *guests.in_benchmarks))
    argv = (_java(project), "-cp", path, "benchaudit.jmh.Lister", str(answer))
    return _listing(project, argv, answer)


def list_classes(project: Project, guests: JmhGuest, answer: Path) -> Invocation:
    """Return the process that lists the library's methods."""
    parts = map(str, project.paths(Role.LIBRARY))
    program = "benchaudit.weaver.ClassLister"
    argv = (_java(project), "-cp", _joined(guests.lister), program, str(answer), *parts)
    return _listing(project, argv, answer)


def run_benchmark(project: Project, guests: JmhGuest, trial: Trial, into: Path) -> Invocation:
    """Return the process that does what a trial's schedule says with its benchmark."""
    benchmark = trial.benchmark
    if benchmark is None:
        raise ValueError("a trial without a benchmark has no process")
    settings = settings_of(benchmark)
    folder = running_folder(into, trial)
    schedule, records = folder / f"{trial.id}.schedule", folder / records_name(trial)
    enough = folder / f"{trial.id}.enough" if trial.watch else None
    path = _joined((*_class_path(project), *guests.in_benchmarks))
    is_sampled = trial.purpose is Purpose.PROFILE
    stacks = (folder / stacks_name(trial),) if is_sampled else ()
    sampling = _sampling(trial) if is_sampled else ()
    prepended = (*_agent(guests, trial, into), *sampling, *settings.prepend)
    options = (
        *_identity(benchmark, settings),
        *(f"prepend={argument}" for argument in prepended),
        *_amount(trial),
        *(("allocations=true",) if trial.reports_allocations else ()),
    )
    return Invocation(
        argv=(_java(project), "-cp", path, "benchaudit.jmh.Launch", *options),
        cwd=project.root,
        environment=(
            *project.environment,
            (SCHEDULE_VARIABLE, str(schedule)),
            (RECORDS_VARIABLE, str(records)),
            *(((ENOUGH_VARIABLE, str(enough)),) if enough else ()),
            *(variable for path in stacks for variable in _sampler(guests, path)),
        ),
        timeout_seconds=trial.timeout_seconds,
        files=(
            (schedule, schedule_text(trial.schedule)),
            *((path, b"") for path in (records, *stacks)),
        ),
        collects=(records, *stacks),
        follow=Follow(read=LiveRecords().read, path=records, enough=enough) if enough else None,
    )


def instructions(overlay: Overlay, into: Path) -> Build:
    """Return the file of the agent's instructions; nothing is compiled."""
    text = "".join(f"{line}\n" for line in overlay.instructions)
    return Build(files=((into / INSTRUCTIONS, text.encode()),))


def records_name(trial: Trial) -> str:
    """Return the name of the file that the guest writes in a trial."""
    return f"{trial.id}.records"


def stacks_name(trial: Trial) -> str:
    """Return the name of the file that the guest writes sampled stacks to."""
    return f"{trial.id}.stacks"


def _sampling(trial: Trial) -> tuple[str, ...]:
    """Return the JVM's arguments for sampling; methods of the variant are kept out of line.

    Debug information of inlined loops may be lost; that of a called method is never its caller's.
    """
    methods = (method.descriptor for method in trial.variant.methods)
    kept = tuple(f"-XX:CompileCommand=dontinline,{descriptor}" for descriptor in methods)
    return (*ARGUMENTS, *(("-XX:CompileCommand=quiet",) if kept else ()), *kept)


def _sampler(guests: JmhGuest, stacks: Path) -> tuple[tuple[str, str], ...]:
    """Return the variables that make the guest sample stacks, and write them to a file."""
    return (
        (SAMPLER_VARIABLE, str(guests.sampler)),
        (STACKS_VARIABLE, str(stacks)),
        (PERIOD_VARIABLE, str(PERIOD_NANOSECONDS)),
    )


def _identity(benchmark: Benchmark, settings: JmhSettings) -> tuple[str, ...]:
    return (
        f"benchmark={benchmark.group}.{benchmark.name}",
        f"mode={settings.mode}",
        *(f"parameter:{key}={value}" for key, value in benchmark.parameters),
    )


def _amount(trial: Trial) -> tuple[str, ...]:
    """Say how many iterations there are, and how long."""
    warmups = _warmups(trial)
    seconds = trial.schedule.seconds
    return (
        f"warmups={warmups}",
        f"iterations={len(trial.schedule.blocks) - warmups}",
        f"timeout-seconds={trial.timeout_seconds + _LATER_SECONDS}",
        f"warmup-seconds={seconds!r}",
        f"iteration-seconds={seconds!r}",
    )


def _warmups(trial: Trial) -> int:
    phases = [block.phase for block in trial.schedule.blocks]
    return phases.index(Phase.MEASUREMENT) if Phase.MEASUREMENT in phases else len(phases)


def _agent(guests: JmhGuest, trial: Trial, into: Path) -> tuple[str, ...]:
    if trial.variant.kind in (VariantKind.PLAIN, VariantKind.PROFILED):
        return ()
    return (f"-javaagent:{guests.agent}={into / INSTRUCTIONS}",)


def _class_path(project: Project) -> tuple[Path, ...]:
    roles = (Role.BENCHMARKS, Role.LIBRARY, Role.DEPENDENCY)
    return tuple(dict.fromkeys(path for role in roles for path in project.paths(role)))


def _joined(paths: Iterable[Path]) -> str:
    return ":".join(map(str, paths))


def _java(project: Project) -> str:
    return dict(project.options).get("java", "java")


def _listing(project: Project, argv: tuple[str, ...], answer: Path) -> Invocation:
    return Invocation(
        argv=argv,
        cwd=project.root,
        environment=project.environment,
        timeout_seconds=_LIST_SECONDS,
        files=((answer, b""),),
        collects=(answer,),
    )
