"""The Harness of Python suites: a process or fork for each benchmark, its blocks by the guest."""

import hashlib
import json
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from auditor.core.caveats import list_some
from auditor.core.errors import NoBenchmarks, SourceUnreadable
from auditor.core.jobs import CompletedProcess, Invocation, OutputMonitor
from auditor.core.mutant import Overlay, VariantKind
from auditor.core.outcome import Outcome
from auditor.core.plan import Layouts, Purpose, Trial
from auditor.core.ports import Build, Places
from auditor.core.subject import Project, SourceFile, SourceRole
from auditor.core.suite import EVERYTHING, Ask, Benchmark, Listing, Suite
from runners.folders import locate_run_folder
from runners.limits import check_limits
from runners.live import LiveRecords
from runners.pybench import guests, reading
from runners.pybench.frontends import Frontend, explain_lack, make_test_call, read_library_sources
from runners.pybench.library import is_file, is_folder
from runners.pybench.local_modules import explain_local_module
from runners.pybench.profile_records import MODULES_VARIABLE, PROFILE_HEADER, PROFILE_VARIABLE
from runners.pybench.project import find_copy_top
from runners.pybench.pytest_options import drop_unknown_options
from runners.records import (
    ENOUGH_VARIABLE,
    RECORDS_HEADER,
    RECORDS_VARIABLE,
    SCHEDULE_VARIABLE,
    format_schedule,
)
from runners.shared_process import BenchmarkProcess, share_process, split_answer

INSTRUCTIONS = "instructions.txt"
ENOUGH = "enough"
RECORDS = "records.txt"
SCHEDULE = "schedule.txt"
PROFILE = "profile.txt"
LISTING = "benchmarks.jsonl"
MODULES = "modules.txt"
PUBLIC = "public.jsonl"
SHARING_PURPOSES = frozenset({Purpose.PILOT, Purpose.SUITE, Purpose.REACH, Purpose.PROFILE})
"""Those of trials that may share a process. Slowed methods are judged in processes of their own."""
_LIST_SECONDS = 600.0
_IMPORT_SECONDS = 120.0
_LONGEST_REASON = 500


class PythonHarness:
    """Lists with the framework's own means, and runs each benchmark in a process or a fork."""

    fixed_operations = True  # a block is a number of calls
    one_processor = False  # what is written in other languages may have threads

    def __init__(self, frontend: Frontend) -> None:
        """Take the framework."""
        self._frontend = frontend

    def explain_unprofiled(self, project: Project) -> str:
        """Say why stacks cannot be sampled; most reasons only the process itself can tell."""
        version = dict(project.versions).get("python", "")
        if version[:1].isdigit():  # other interpreters have their name in front
            return ""
        return f"bench-audit samples stacks of CPython only, not of {version or 'this Python'}"

    def find_layouts(self, project: Project) -> Layouts:  # noqa: ARG002 (every interpreter is like that)
        """Tell that addresses and seeds of hashes differ between runs.

        Forks of one process share them.
        """
        return Layouts.OF_PROCESS

    def discover_suite(
        self,
        project: Project,
        build_folder: Path,
        ask: Ask,
        listing: Listing = EVERYTHING,  # noqa: ARG002 (one process lists all groups at once)
    ) -> Suite:
        """Let the framework list its benchmarks; none of them is called."""
        explain_local = partial(
            explain_local_module, tree=project.root, top=find_copy_top(project.root)
        )
        entries: list[dict[str, Any]] = []
        failures: dict[str, str] = {}  # by what they say: several calls may fail for one reason
        for suite_arguments in self._frontend.listings(project.root):
            try:
                entries += self._list_entries(project, build_folder, ask, suite_arguments)
            except SourceUnreadable as error:
                places = [word for word in suite_arguments if not word.startswith("--")]
                failures[str(error)] = list_some(places) or project.name
        if failures and not entries:
            raise SourceUnreadable(reading.add_remedy(next(iter(failures)), explain_local))
        entries += [
            {"unusable": place, "why": " ".join(reason.split())[:_LONGEST_REASON]}
            for reason, place in failures.items()
        ]
        benchmarks, unusable = reading.check_listing(entries, explain_local)
        if not benchmarks and not unusable:
            raise NoBenchmarks(explain_lack(project.name, project.root, self._frontend))
        return Suite(benchmarks, self.read_sources(project, build_folder, ask), unusable)

    def _list_entries(
        self, project: Project, build_folder: Path, ask: Ask, suite_arguments: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return what one process of the framework lists."""
        listing_file = locate_run_folder(build_folder) / LISTING
        variables = {"BENCH_AUDIT_LIST": str(listing_file)}
        call = self._frontend.call(suite_arguments, project.root)
        invocation = _make_guest_job(project, build_folder, call, variables, _LIST_SECONDS)
        files = (*guests.locate_guest_files(build_folder), (listing_file, b""))
        invocation = replace(invocation, files=files, collects=(listing_file,))
        answer = check_limits(invocation, ask(invocation))
        if (
            answer.exit_code not in self._frontend.listing_exit_codes
            or listing_file not in answer.files
        ):
            raise SourceUnreadable(
                f"the suite cannot be listed; its output:\n{answer.format_tail()}"
            )
        try:
            return [reading.parse_entry(line) for line in answer.files[listing_file].splitlines()]
        except (ValueError, RecursionError) as error:
            raise SourceUnreadable(
                "the suite overwrote the file of its benchmark list; check what its benchmarks "
                "write"
            ) from error

    def read_sources(
        self, project: Project, build_folder: Path, ask: Ask
    ) -> tuple[SourceFile, ...]:
        """Read the modules of the library, and ask an interpreter for their public names."""
        library = tuple(read_library_sources(project.root))
        path = locate_run_folder(build_folder) / PUBLIC
        lines = "".join(f"{file.unit}\t{file.path}\n" for file in library)
        modules_file = locate_run_folder(build_folder) / MODULES
        call = ("-m", "zz_bench_audit_api", str(modules_file), str(path))
        invocation = _make_guest_job(project, build_folder, call, {}, _IMPORT_SECONDS)
        files = (
            *guests.locate_guest_files(build_folder),
            (modules_file, lines.encode()),
            (path, b""),
        )
        answer = ask(replace(invocation, files=files, collects=(path,)))
        text = answer.files.get(path, b"") if answer.exit_code == 0 else b""
        if not text:
            return (*library, make_unknown_names(_explain_missing_names(answer)))
        return (*library, SourceFile(path=PUBLIC, unit="", role=SourceRole.PUBLIC, text=text))

    def list_test_parts(self, sources: Sequence[SourceFile]) -> Sequence[str]:  # noqa: ARG002 (pytest runs them all)
        """Name no part."""
        return ("",)

    def never_inlined(self, project: Project, folder: str, build_folder: Path, ask: Ask) -> Places:  # noqa: ARG002 (no method stays beside its slowed version)
        """Name none."""
        return frozenset()

    def plan_build(
        self,
        project: Project,
        overlay: Overlay,
        build_folder: Path,
    ) -> Build:
        """Write the changed modules beside the tree, and what the import hook is to do."""
        texts = {file.path: build_folder / "overlay" / file.path for file in overlay.files}
        lines = []
        for line in overlay.instructions:
            kind, *fields = line.split("\t")
            unit, path = fields
            digest = hashlib.sha256((project.root / path).read_bytes()).hexdigest()
            text = texts[path] if kind == "module" else path
            lines.append(f"{kind}\t{unit}\t{text}\t{digest}\n")
        files = [(texts[file.path], file.text) for file in overlay.files]
        return make_hook_build(files, lines, build_folder)

    def plan_launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Sequence[Invocation]:
        """Return the one process of a trial."""
        if trial.benchmark is None:
            return (make_test_job(project, trial, build_folder, "BENCH_AUDIT_INSTRUCTIONS"),)
        folder = locate_run_folder(build_folder, trial)
        variables = _list_process_variables(trial, trial.benchmark, build_folder, folder)
        process = _describe_process(trial, variables, folder)
        job = self._make_benchmark_job(project, trial, build_folder, variables)
        follow = None
        if trial.watch is not None:
            read = LiveRecords().read_iterations
            follow = OutputMonitor(read=read, path=folder / RECORDS, enough=folder / ENOUGH)
        files = (*job.files, *process.files)
        return (replace(job, files=files, collects=process.collects, follow=follow),)

    def find_sharing_key(self, trial: Trial) -> Hashable | None:
        """Return what is equal for trials that one process may run; None: it is alone.

        They are processes of one run: other runs have other seeds of hashes.
        """
        is_shared = trial.purpose in SHARING_PURPOSES and trial.watch is None
        if trial.benchmark is None or not is_shared:
            return None
        run = (trial.purpose, trial.repetition, trial.fork, trial.overlay.digest)
        return (*run, self._frontend.place(trial.benchmark.name))

    def plan_shared_launch(
        self, project: Project, trials: Sequence[Trial], build_folder: Path
    ) -> Invocation:
        """Return the process that forks for each of some trials."""
        folder = locate_run_folder(build_folder) / f"shared-{trials[0].id}"
        variables = {RECORDS_VARIABLE: str(folder / RECORDS)}
        variables |= _list_variant_variables(trials[0], build_folder)
        job = self._make_benchmark_job(project, trials[0], build_folder, variables)
        records = (folder / RECORDS, f"{RECORDS_HEADER}\n".encode())
        job = replace(job, files=(*job.files, records))
        return share_process(job, folder, _list_members(trials, build_folder))

    def split_answer(
        self, trials: Sequence[Trial], answer: CompletedProcess, build_folder: Path
    ) -> Sequence[CompletedProcess | None]:
        """Return how the process of each trial ended; None for one that did not run."""
        return split_answer(answer, _list_members(trials, build_folder))

    def _make_benchmark_job(
        self, project: Project, trial: Trial, build_folder: Path, variables: dict[str, str]
    ) -> Invocation:
        """Return a process that collects the benchmark of a trial, and all others of its place."""
        assert trial.benchmark is not None  # noqa: S101 - narrows the type
        arguments = self._frontend.of_benchmark(trial.benchmark.name, project.root)
        call = self._frontend.call(arguments, project.root)
        job = _make_guest_job(project, build_folder, call, variables, trial.timeout_seconds)
        is_plain = trial.variant.kind is VariantKind.PLAIN  # what is built has the guest already
        return replace(job, files=guests.locate_guest_files(build_folder) if is_plain else ())

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Return how a trial ended."""
        return reading.read_outcome(trial, answers, RECORDS, PROFILE)


def _list_members(trials: Sequence[Trial], build_folder: Path) -> list[BenchmarkProcess]:
    members = []
    for trial in trials:
        if trial.benchmark is not None:
            folder = locate_run_folder(build_folder) / trial.id
            variables = _list_process_variables(trial, trial.benchmark, build_folder, folder)
            members.append(_describe_process(trial, variables, folder))
    return members


def _list_process_variables(
    trial: Trial, benchmark: Benchmark, build_folder: Path, folder: Path
) -> dict[str, str]:
    """Return what a process of a benchmark is told, with its files in a folder."""
    variables = _list_variant_variables(trial, build_folder) | {
        "BENCH_AUDIT_BENCHMARK": benchmark.name,
        "BENCH_AUDIT_SECONDS": repr(trial.schedule.seconds),
        RECORDS_VARIABLE: str(folder / RECORDS),
        SCHEDULE_VARIABLE: str(folder / SCHEDULE),
    }
    if trial.schedule.operations is not None:
        variables["BENCH_AUDIT_OPERATIONS"] = str(trial.schedule.operations)
    if benchmark.settings:
        variables["BENCH_AUDIT_INDEX"] = benchmark.settings
    if trial.watch is not None:
        variables[ENOUGH_VARIABLE] = str(folder / ENOUGH)
    if trial.variant.kind is VariantKind.PROFILED:
        variables[PROFILE_VARIABLE] = str(folder / PROFILE)
    return variables


def _describe_process(trial: Trial, variables: dict[str, str], folder: Path) -> BenchmarkProcess:
    """Return what the process of a trial is given, and what it leaves in a folder."""
    records, profile = folder / RECORDS, folder / PROFILE
    files = [
        (records, f"{RECORDS_HEADER}\n".encode()),
        (folder / SCHEDULE, format_schedule(trial.schedule)),
    ]
    collects = [records]
    if trial.variant.kind is VariantKind.PROFILED:
        files.append((profile, f"{PROFILE_HEADER}\n".encode()))
        collects.append(profile)
    return BenchmarkProcess(
        line=json.dumps({"variables": variables, "seconds": trial.timeout_seconds}),
        files=tuple(files),
        collects=tuple(collects),
        timeout_seconds=trial.timeout_seconds,
    )


def _list_variant_variables(trial: Trial, build_folder: Path) -> dict[str, str]:
    """Return what a process is told of the changed modules, before it imports them."""
    instructions = str(build_folder / INSTRUCTIONS)
    if trial.variant.kind is VariantKind.PROFILED:
        return {MODULES_VARIABLE: instructions}
    if trial.variant.kind is VariantKind.PLAIN:
        return {}
    variables = {"BENCH_AUDIT_INSTRUCTIONS": instructions}
    if trial.variant.kind is VariantKind.COUNTING:
        variables["BENCH_AUDIT_COUNTING"] = "1"
    return variables


def make_unknown_names(reason: str) -> SourceFile:
    """Return what stands for the public names of a library that no interpreter has told."""
    text = json.dumps({"failure": " ".join(reason.split())}).encode()
    return SourceFile(path=PUBLIC, unit="", role=SourceRole.PUBLIC, text=text)


def _explain_missing_names(answer: CompletedProcess) -> str:
    """Say why an interpreter told no public names."""
    if answer.timed_out:
        return f"it was ended after {answer.seconds:.0f} s"
    text = " ".join(answer.format_tail(1).split()) or "it wrote nothing"
    return f"its process ended with {answer.exit_code}: {text}"


def make_hook_build(
    files: Sequence[tuple[Path, bytes]], lines: Sequence[str], build_folder: Path
) -> Build:
    """Return the changed modules, the instructions of the import hook, and the guest."""
    instructions = (build_folder / INSTRUCTIONS, "".join(lines).encode())
    return Build((*files, instructions, *guests.locate_guest_files(build_folder)))


def make_test_job(
    project: Project, trial: Trial, build_folder: Path, variable: str, places: Sequence[str] = ()
) -> Invocation:
    """Return the process that counts what a project's own unit tests call.

    `variable` tells the guest its instructions, `places` are those of the tests.
    """
    records = locate_run_folder(build_folder, trial) / RECORDS
    variables = {variable: str(build_folder / INSTRUCTIONS), RECORDS_VARIABLE: str(records)}
    call = make_test_call(project.root, places)
    invocation = _make_guest_job(project, build_folder, call, variables, trial.timeout_seconds)
    files = ((records, f"{RECORDS_HEADER}\n".encode()),)
    return replace(invocation, files=files, collects=(records,))


def _make_guest_job(
    project: Project,
    build_folder: Path,
    call: Sequence[str],
    variables: dict[str, str],
    seconds: float,
) -> Invocation:
    """Return a process of a project's interpreter that the guest in `into` is part of."""
    project_variables = dict(project.environment)
    path = ":".join(
        filter(None, (str(build_folder / guests.FOLDER), project_variables.get("PYTHONPATH", "")))
    )
    if options := project_variables.get("PYTEST_ADDOPTS"):
        paths = {word: project.root / word.partition("::")[0] for word in call}
        places = [word for word, path in paths.items() if is_file(path) or is_folder(path)]
        kept_options = drop_unknown_options(options, project.root, places)
        variables = {**variables, "PYTEST_ADDOPTS": kept_options}
    return Invocation(
        argv=(dict(project.options)["python"], *call),
        cwd=project.root,
        environment=tuple(sorted({**project_variables, **variables, "PYTHONPATH": path}.items())),
        timeout_seconds=seconds,
    )
