"""What `go list` says about the packages of a project."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import SubjectError, ToolMissing
from auditor.core.jobs import CompletedProcess
from auditor.core.subject import Project, Role, SourceFile, SourceRole
from runners.gobench import commands

_NEWER_GO = re.compile(r"requires go >= (\S+) \(running go (\S+?)[;)]")
FIELDS = "Dir,ImportPath,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Error,Module"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPackage:
    """A package of the main modules, with the files that the build tags choose."""

    unit: str  # import path
    folder: str  # relative to the project's root
    library: tuple[str, ...]  # names of its library files
    tests: tuple[str, ...]  # names of its test files
    left_out: tuple[str, ...]  # library files that the build tags leave out
    problem: str | None  # message of `go list`; None: it is not broken
    module: Path | None = None  # folder of its module; None: unknown

    def read_sources(self, project: Project) -> Iterator[SourceFile]:
        """Read the package's files, each with its role."""
        root, libraries = project.root, project.list_paths(Role.LIBRARY)
        is_library = self.module is None or any(
            library.is_relative_to(self.module) for library in libraries
        )
        for role, names in (
            (SourceRole.LIBRARY if is_library else SourceRole.HELPER, self.library),
            (SourceRole.BENCHMARKS if self.is_run(project) else SourceRole.TESTS, self.tests),
            (SourceRole.LEFT_OUT, self.left_out if is_library else ()),
        ):
            for name in names:
                path = name if self.folder == "." else f"{self.folder}/{name}"
                text = (root / path).read_bytes()
                yield SourceFile(path=path, unit=self.unit, role=role, text=text)

    def is_run(self, project: Project) -> bool:
        """Tell whether its benchmarks are the suite's, not those of a library outside it."""
        package_folder = project.root / self.folder
        return any(
            package_folder.is_relative_to(path) for path in project.list_paths(Role.BENCHMARKS)
        )


def list_module_patterns(modules: CompletedProcess, project: Project) -> list[str]:
    """Return a pattern for each main module of the suite: a workspace may have several."""
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    module_patterns = []
    for line in modules.stdout.decode(errors="replace").splitlines():
        folder = Path(line.strip()).resolve()
        if modules.exit_code == 0 and folder.is_relative_to(suite_folder):
            module_patterns.append(_make_module_pattern(project, folder))
    return module_patterns or ["./..."]


def list_library_patterns(project: Project) -> list[str]:
    """Return a pattern for each module of the library that lies outside of the suite."""
    modules = commands.list_outside_modules(project)
    return [_make_module_pattern(project, module) for module in modules]


def _make_module_pattern(project: Project, module: Path) -> str:
    return f"{commands.folder_argument(project, module)}/..."


def parse_packages(answer: CompletedProcess, root: Path) -> list[ListedPackage]:
    """Read the answer of `go list -e -json=…`; raises SubjectError if it is none."""
    if answer.exit_code != 0:
        if newer := _NEWER_GO.search(answer.stderr.decode(errors="replace")):
            raise ToolMissing(
                f"the project needs Go {newer[1]} or newer, and go is {newer[2]}; install that Go "
                f"first on PATH, or set GOTOOLCHAIN=go{newer[1]} so that go downloads it"
            )
        raise SubjectError(f"go list failed in {root}: {answer.format_tail()}")
    return [_make_package(document, root.resolve()) for document in parse_documents(answer.stdout)]


def parse_documents(stdout: bytes) -> Iterator[Mapping[str, object]]:
    """Yield the packages of an answer of `go list -json`, one object behind the other."""
    decoder, text, position = json.JSONDecoder(), stdout.decode(errors="replace"), 0
    while (position := text.find("{", position)) >= 0:
        document, position = decoder.raw_decode(text, position)
        yield document


def _make_package(document: Mapping[str, object], root: Path) -> ListedPackage:
    error = document.get("Error")
    problem = str(error.get("Err", "broken")) if isinstance(error, dict) else None
    directory, folder = document.get("Dir"), "."
    if directory:
        folder = Path(str(directory)).resolve().relative_to(root).as_posix()
    else:
        problem = problem or "go list names no folder of it"
    ignored = _list_file_names(document, "IgnoredGoFiles")
    module = document.get("Module")
    module_folder = module.get("Dir") if isinstance(module, dict) else None
    return ListedPackage(
        unit=str(document["ImportPath"]),
        folder=folder,
        library=_list_file_names(document, "GoFiles", "CgoFiles"),
        tests=_list_file_names(document, "TestGoFiles", "XTestGoFiles"),
        left_out=tuple(name for name in ignored if not name.endswith("_test.go")),
        problem=problem,
        module=Path(str(module_folder)).resolve() if module_folder else None,
    )


def _list_file_names(document: Mapping[str, object], *keys: str) -> tuple[str, ...]:
    names: list[str] = []
    for key in keys:
        names += string_list(document, key)
    return tuple(names)


def string_list(document: Mapping[str, object], key: str) -> list[str]:
    """Return the strings of a field, none where it is absent."""
    value = document.get(key)
    return [str(name) for name in value] if isinstance(value, list) else []
