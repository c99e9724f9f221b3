"""The Harness of Go's testing package."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Outcome
from auditor.core.plan import Layouts, Trial
from auditor.core.ports import Build, Places
from auditor.core.subject import Project, Role, SourceFile, SourceRole
from auditor.core.suite import EVERYTHING, Ask, Listing, Suite
from runners.gobench import commands, launching, reading, settings
from runners.gobench.discovery import SuiteDiscovery

_INLINE_DECISION = re.compile(
    r"^(?P<file>\S.*?\.go):(?P<line>\d+):\d+: (?P<said>can|cannot) inline "
)
_CHANGES = re.compile(r"-(?:gcflags|pgo)\b")


class GoBench:
    """Builds test binaries per package and runs one benchmark in a process."""

    fixed_operations = True
    one_processor = True  # a process is told so, and compiled before

    def __init__(self, list_seconds: float = 30.0) -> None:
        """Take how long one operation of a benchmark may take until it counts as hanging."""
        self._list_seconds = list_seconds

    def explain_unprofiled(self, project: Project) -> str:  # noqa: ARG002 - Go's profiler needs nothing
        """Return nothing: each test program has a profiler."""
        return ""

    def find_layouts(self, project: Project) -> Layouts:
        """Tell whether the linker can draw the order of functions."""
        version = dict(project.versions).get("go", "")
        return Layouts.DRAWN if settings.draws_layouts(version) else Layouts.FIXED

    def discover_suite(
        self, project: Project, build_folder: Path, ask: Ask, listing: Listing = EVERYTHING
    ) -> Suite:
        """Build the unchanged project, and run each benchmark once to find its leaves."""
        return SuiteDiscovery(
            project, build_folder, ask, self._list_seconds, listing
        ).discover_suite()

    def read_sources(self, project: Project, build_folder: Path, ask: Ask) -> Sequence[SourceFile]:
        """Read the sources of all packages that can be read."""
        return SuiteDiscovery(project, build_folder, ask, self._list_seconds).read_sources()

    def list_test_parts(self, sources: Sequence[SourceFile]) -> Sequence[str]:
        """Return the packages that have tests."""
        tests = (SourceRole.BENCHMARKS, SourceRole.TESTS)
        return sorted({source.unit for source in sources if source.role in tests})

    def never_inlined(self, project: Project, folder: str, build_folder: Path, ask: Ask) -> Places:
        """Ask the compiler which functions of a package it never inlines."""
        return never_inlined(project, folder, build_folder, ask)

    def plan_build(self, project: Project, overlay: Overlay, build_folder: Path) -> Build:
        """Return the overlay's files, and the build of the packages that are to be tried first.

        Test binaries are built when a trial first needs them.
        """
        if not overlay.files:
            return Build()
        files = [(build_folder / "overlay" / file.path, file.text) for file in overlay.files]
        replaced = {
            str(project.root / file.path): str(build_folder / "overlay" / file.path)
            for file in overlay.files
        }
        listing = json.dumps({"Replace": replaced}, indent=1).encode()
        fields = (line.split("\t") for line in overlay.instructions)
        changed = [field[1] for field in fields if field[0] == "changed"]
        package_arguments = [commands.folder_argument(project, folder) for folder in changed]
        flags = commands.build_flags(project, build_folder, overlaid=True)
        step = commands.make_go_job(
            project, "build", "-buildvcs=false", *flags, "-o", "/dev/null", *package_arguments
        )
        step = commands.label_build(project, build_folder, step)
        files += _make_assembly_folders(project, overlay)
        return Build(
            (*files, (build_folder / "overlay.json", listing)), (step,) if package_arguments else ()
        )

    def plan_launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Iterable[Invocation]:
        """Return the processes of a trial, the missing builds in front."""
        if trial.benchmark is None:
            return launching.make_test_jobs(project, trial, build_folder)
        return launching.make_benchmark_jobs(project, trial, build_folder)

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Return how the trial ended."""
        return reading.read_outcome(trial, answers)


def _make_assembly_folders(project: Project, overlay: Overlay) -> list[tuple[Path, bytes]]:
    """Return files that make the folders of assembly exist: the assembler is started in them.

    The tree is a copy of ours, which was digested before, and Go passes over such a name.
    """
    needed = {
        (project.root / file.path).parent for file in overlay.files if file.path.endswith(".s")
    }
    return [(folder / ".bench-audit", b"") for folder in sorted(needed)]


def never_inlined(project: Project, folder: str, build_folder: Path, ask: Ask) -> Places:
    """Return where the functions of a package are declared that the compiler never inlines.

    The package is compiled once more, for what the compiler says of it. Of generic functions it
    speaks where it makes one of them. None are known where that fails, or where flags of the
    user's own decide what is inlined.
    """
    if _CHANGES.search(dict(project.environment).get("GOFLAGS", "")):
        return frozenset()
    flags = commands.build_flags(project, build_folder, overlaid=False)
    package_argument = commands.folder_argument(project, folder)
    step = (
        "build",
        "-buildvcs=false",
        *flags,
        "-gcflags=-m=2",
        "-o",
        "/dev/null",
        package_argument,
    )
    answer = ask(commands.make_go_job(project, *step))
    if answer.exit_code != 0 or answer.truncated:
        return frozenset()
    places: dict[str, set[tuple[str, int]]] = {"can": set(), "cannot": set()}
    for line in answer.stderr.decode(errors="replace").splitlines():
        if match := _INLINE_DECISION.match(line):
            place = _find_project_path(project, match["file"]), int(match["line"])
            places[match["said"]].add(place)
    return frozenset(places["cannot"] - places["can"])


def _find_project_path(project: Project, compiler_path: str) -> str:
    """Return a path below the root: the compiler writes it from where it is called, or whole."""
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    inside = os.path.relpath(suite_folder / compiler_path, project.root)
    return str(PurePosixPath(compiler_path if inside.startswith("../") else inside))
