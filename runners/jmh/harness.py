"""JMH: one benchmark in one fork, its iterations being the blocks of the schedule."""

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

from auditor.core.errors import SourceUnreadable
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Outcome
from auditor.core.plan import Layouts, Purpose, Trial
from auditor.core.ports import Build, Places
from auditor.core.subject import Project, Role, SourceFile, SourceRole
from auditor.core.suite import EVERYTHING, Ask, Listing, Suite
from runners.folders import locate_run_folder
from runners.jmh import commandline
from runners.jmh.classes import benchmark_classes, benchmark_list
from runners.jmh.guests import JmhGuest
from runners.jmh.listing import CLASSES, filter_library_lines, read_entries, read_java_sources
from runners.jmh.profiles import read_profile
from runners.jmh.results import read_outcome
from runners.jmh.testing import UnitTests
from runners.jmh.tracer import read_usage
from runners.limits import check_limits
from runners.shared_process import split_answer


class JmhHarness:
    """The harness for suites that JMH runs."""

    fixed_operations = False  # an iteration of JMH lasts a time
    one_processor = False  # a JVM compiles and collects beside it

    def __init__(
        self, guests: JmhGuest, tests: Callable[[], UnitTests | None] | None = None
    ) -> None:
        """Take the guest, compiled against the subject's own JMH, and what finds the unit tests."""
        self.guests = guests
        self._tests = tests

    def explain_unprofiled(self, project: Project) -> str:  # noqa: ARG002 (the guest is of one JDK)
        """Say why stacks cannot be sampled; empty where the sampling profiler is ready."""
        if self.guests.sampler_folder.is_dir():
            return ""
        return self.guests.unsampled or "async-profiler was not prepared for this JDK"

    def find_layouts(self, project: Project) -> Layouts:  # noqa: ARG002 (all JVMs compile at run time)
        """Tell that each process compiles its code anew, and lays it out as it happens to."""
        return Layouts.OF_PROCESS

    def discover_suite(
        self,
        project: Project,
        build_folder: Path,
        ask: Ask,
        listing: Listing = EVERYTHING,  # noqa: ARG002 (one process lists all groups at once)
    ) -> Suite:
        """List the benchmarks by JMH's own code, and the library's methods by their byte code."""
        path = locate_run_folder(build_folder) / "benchmarks.jsonl"
        benchmarks = _run_listing_job(
            commandline.make_benchmark_list_job(project, self.guests, path), ask, path
        )
        suite_listing = read_entries(benchmarks, dict(project.options).get("jmh", "unknown"))
        return Suite(
            suite_listing.benchmarks,
            self.read_sources(project, build_folder, ask),
            suite_listing.unusable,
        )

    def read_sources(
        self, project: Project, build_folder: Path, ask: Ask
    ) -> tuple[SourceFile, ...]:
        """List the library's methods by their byte code, and read what there is of its text."""
        class_list = locate_run_folder(build_folder) / CLASSES
        classes = _run_listing_job(
            commandline.make_class_list_job(project, self.guests, class_list), ask, class_list
        )
        for path in {*project.list_paths(Role.BENCHMARKS)} & {*project.list_paths(Role.LIBRARY)}:
            classes = filter_library_lines(classes, benchmark_classes(benchmark_list(path) or ""))
        methods = SourceFile(path=CLASSES, unit=CLASSES, role=SourceRole.LIBRARY, text=classes)
        return (methods, *read_java_sources(project.list_paths(Role.SOURCES)))

    def list_test_parts(self, sources: Sequence[SourceFile]) -> Sequence[str]:  # noqa: ARG002 (the build tool runs them all)
        """Name no part."""
        return ("",)

    def never_inlined(self, project: Project, folder: str, build_folder: Path, ask: Ask) -> Places:  # noqa: ARG002 (any method may be, at run time)
        """Name none."""
        return frozenset()

    def plan_build(
        self,
        project: Project,  # noqa: ARG002 (the agent changes classes as they are loaded)
        overlay: Overlay,
        build_folder: Path,
    ) -> Build:
        """Write the agent's instructions; nothing is compiled."""
        if not overlay.instructions:
            return Build()
        return commandline.make_instruction_build(overlay, build_folder)

    def plan_launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Sequence[Invocation]:
        """Return the one process of a trial; none for unit tests where nothing runs them."""
        if trial.benchmark is None:
            tests = self._tests() if self._tests else None
            return (
                () if tests is None else (tests.make_traced_job(self.guests, trial, build_folder),)
            )
        return (commandline.make_benchmark_job(project, self.guests, trial, build_folder),)

    def find_sharing_key(self, trial: Trial) -> Hashable | None:
        """Return the JVM that may run the benchmark of a trial and others; None: it is alone."""
        return commandline.find_shared_jvm(trial)

    def plan_shared_launch(
        self, project: Project, trials: Sequence[Trial], build_folder: Path
    ) -> Invocation:
        """Return the JVM that runs the benchmarks of some trials in turn."""
        return commandline.make_shared_job(project, self.guests, trials, build_folder)

    def split_answer(
        self, trials: Sequence[Trial], answer: CompletedProcess, build_folder: Path
    ) -> Sequence[CompletedProcess | None]:
        """Return how the process of each trial ended; None for one that did not run."""
        return split_answer(answer, commandline.list_members(self.guests, trials, build_folder))

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Return how a trial ended."""
        if trial.benchmark is None:
            return read_usage(trial, answers)
        if trial.purpose is Purpose.PROFILE:
            return read_profile(trial, answers)
        return read_outcome(trial, answers)


def _run_listing_job(job: Invocation, ask: Ask, path: Path) -> bytes:
    answer = check_limits(job, ask(job))
    if answer.exit_code != 0 or path not in answer.files:
        raise SourceUnreadable(f"the suite cannot be listed; java said:\n{answer.format_tail()}")
    return answer.files[path]
