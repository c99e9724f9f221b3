"""The processes of the Go harness."""

import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.jobs import Invocation
from auditor.core.plan import Trial
from auditor.core.subject import Project, Role
from runners import folders
from runners.gobench import settings

BUILD_SECONDS = 1800.0
"""A cold build of a large module with its dependencies takes minutes, never this long."""

LAUNCH, RECORDS, COUNTERS, SCHEDULE = "launch", "records", "counters", "schedule"
PROFILE, ROOT = "profile", "root"
"""Names of files in the folder of a process; answers are told apart by the first one."""

BUILD, RUN = b"build", b"run"
"""What the first one says, then the version of Go that builds; on the next line, the package."""


@dataclass(frozen=True, slots=True)
class PackageBuild:
    """A package, and the folder where an overlay's binaries are kept."""

    project: Project  # the subject
    output_folder: Path  # the folder
    unit: str  # import path of the package
    folder: str  # of the package, relative to the project's root
    layout: int = 0  # number that the order of functions is drawn with; 0: it is not drawn
    trial: Trial | None = None  # whose processes are run; None: something is only built

    @property
    def binary_path(self) -> Path:
        """Return where the package's test binary is, or will be; equal base names do not clash."""
        short = hashlib.sha256(self.unit.encode()).hexdigest()[:10]
        name = re.sub(r"[^A-Za-z0-9.]+", "_", self.unit)[-80:]
        folder = self.output_folder / "bin"
        folder = folder / f"layout-{self.layout}" if self.layout else folder
        return folder / f"{name}-{short}.test"

    @property
    def process_folder(self) -> Path:
        """Return the folder of the files of the process that runs."""
        return folders.locate_run_folder(self.output_folder, self.trial)

    def locate_file(self, name: str) -> Path:
        """Return the path of one of these files."""
        return self.process_folder / name


def make_go_job(
    project: Project,
    *arguments: str,
    timeout: float = BUILD_SECONDS,
    module: Path | None = None,
) -> Invocation:
    """Return a call of the go command in the folder of a module, else in that of the benchmarks."""
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    folder = module or suite_folder
    variables = dict(project.environment) | {"PWD": str(folder)}
    return Invocation(
        argv=("go", *arguments),
        cwd=folder,
        environment=tuple(sorted(variables.items())),
        timeout_seconds=timeout,
        builds=True,
    )


def find_test_module(project: Project, folder: str) -> Path:
    """Return the folder of the module in which a package's tests are built.

    Tests of a library outside the suite may need modules that only the library's go.mod names.
    """
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    package_folder = project.root / folder
    around = [
        module
        for module in list_outside_modules(project)
        if package_folder.is_relative_to(module) and not package_folder.is_relative_to(suite_folder)
    ]
    return max(around, key=lambda module: len(module.parts), default=suite_folder)


def list_outside_modules(project: Project) -> list[Path]:
    """Return the folders of the library's modules that lie outside of the suite's folder."""
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    libraries = project.list_paths(Role.LIBRARY)
    return [module for module in libraries if not module.is_relative_to(suite_folder)]


def folder_argument(project: Project, folder: str | Path, module: Path | None = None) -> str:
    """Return a folder, absolute or relative to the project's root, as `make_go_job` takes it."""
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    inside = os.path.relpath(project.root / folder, module or suite_folder)
    return "." if inside == "." else f"./{inside}"


def build_flags(project: Project, build_folder: Path, *, overlaid: bool) -> tuple[str, ...]:
    """Return what build tags and an overlay add to a command."""
    tags = dict(project.options).get("tags")
    return (
        *((f"-tags={tags}",) if tags else ()),
        *((f"-overlay={build_folder / 'overlay.json'}",) if overlaid else ()),
    )


def compile_tests(place: PackageBuild, *, overlaid: bool) -> Invocation:
    """Return the build of a package's test binary."""
    flags = build_flags(place.project, place.output_folder, overlaid=overlaid)
    if overlaid or place.layout:  # else it is the user's own build
        set_by_user = dict(place.project.environment).get("GOFLAGS", "")
        flags += settings.linker_flags(place.layout, set_by_user)
    module = find_test_module(place.project, place.folder)
    package_argument = folder_argument(place.project, place.folder, module)
    options = ("-c", "-vet=off", *flags, "-o", str(place.binary_path))
    job = make_go_job(place.project, "test", *options, package_argument, module=module)
    job = replace(job, makes=place.binary_path)
    return label_build(place.project, place.binary_path.parent, job, place.unit)


def label_build(project: Project, folder: Path, job: Invocation, unit: str = "") -> Invocation:
    """Make the answer say that it is from a build, by which Go, and of what."""
    version = dict(project.versions).get("go", "")
    return _add_label(folder, job, BUILD + f" {version}\n{unit}".encode())


def label_run(place: PackageBuild, job: Invocation) -> Invocation:
    """Make the answer say that it is from a program of a package."""
    return _add_label(place.process_folder, job, RUN + f"\n{place.unit}".encode())


def _add_label(folder: Path, job: Invocation, label: bytes) -> Invocation:
    """Make the answer say which kind of process it is from."""
    launch = folder / LAUNCH
    return replace(job, files=(*job.files, (launch, label)), collects=(*job.collects, launch))


def leaf_flags(name: str) -> tuple[str, ...]:
    """Return the flags that select one benchmark alone, by quoted and anchored elements.

    The second keeps benchmarks out that have this one's name in front of theirs.
    """
    name_pattern = make_name_pattern(name)
    return (f"-test.bench={name_pattern}", f"-test.skip={name_pattern}/.")


def make_name_pattern(name: str) -> str:
    """Return what matches the elements of a benchmark's name."""
    return "/".join(f"^{re.escape(element)}$" for element in name.split("/"))


# -test.v=test2json marks the framework's own lines with a control character; -test.paniconexit0
# turns an exit with 0 in the middle into a failure.
ALWAYS = ("-test.run=^$", "-test.v=test2json", "-test.benchmem", "-test.paniconexit0")


def run_binary(
    place: PackageBuild, flags: tuple[str, ...], timeout: float, **variables: str | Path
) -> Invocation:
    """Return a process of a test binary in its package's folder, with further variables."""
    environment = dict(place.project.environment) | {
        key: str(value) for key, value in variables.items()
    }
    return Invocation(
        argv=(str(place.binary_path), *flags),
        cwd=place.project.root / place.folder,
        environment=tuple(sorted(environment.items())),
        timeout_seconds=timeout,
    )
