"""Which module of a tree holds the benchmarks, and which modules are the library they measure."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.files.foreign_files import read_beginning
from auditor.core.subject import Part, Role
from runners.subjects import gomod
from runners.subjects.survey import find_suites, list_suites

NO_WORKSPACE = "off"
"""What GOWORK is where no workspace counts."""
_FOR_BENCHMARKS = re.compile(
    r"(?:^|[/_.-])(?:\w*bench\w*|perf|performance|compar\w*|tests?|testing|integration|e2e)(?:$|[/_.-])",
    re.IGNORECASE,
)
_EXPORTED = re.compile(rb"^func (?:\([^)\n]*\) )?[A-Z]", re.MULTILINE)
_PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectModules:
    """The modules of a subject."""

    benchmarks: Path
    """The folder of the module with the benchmarks: the go command runs there."""
    libraries: tuple[Path, ...]
    """The folders of the modules whose packages are audited."""
    root: Path
    """The closest folder around all of them."""
    workspace: str
    """The go.work of the build, or OFF."""
    notes: tuple[str, ...] = ()
    """Which module was chosen, and which were not."""

    def make_go_variables(self) -> dict[str, str]:
        """Return what the go command needs to know of where it runs."""
        return {"PWD": str(self.benchmarks), "GOWORK": self.workspace}

    def list_parts(self) -> tuple[Part, ...]:
        """Return the folders of the modules by what they are for."""
        return (
            *(Part(Role.LIBRARY, library) for library in self.libraries),
            Part(Role.BENCHMARKS, self.benchmarks),
        )


def choose_modules(
    tree: Path, top: Path, *, chooses: bool = True, workspaces: bool = True
) -> SubjectModules:
    """Return the modules of a tree in a copy whose top is `top`.

    Unless `chooses`, the module at the top of the tree is both, whether it has benchmarks or not,
    and whatever it takes from folders. `workspaces` is False where the user has switched them off.
    """
    benchmark_module, notes = _choose_benchmark_module(tree) if chooses else (tree, ())
    workspace = _find_workspace(benchmark_module, top) if workspaces else NO_WORKSPACE
    main = () if workspace == NO_WORKSPACE else gomod.list_workspace_modules(Path(workspace).parent)
    inside = [path for path in main if path.is_relative_to(benchmark_module)] or [benchmark_module]
    library_candidates = [
        path for path in inside if len(inside) == 1 or not _has_benchmark_name(path, tree)
    ] or inside
    outside_modules = [
        path for path in _list_outside_modules(benchmark_module, main) if path.is_relative_to(top)
    ]
    for_benchmarks = chooses and (
        _has_benchmark_name(benchmark_module, tree) or _is_without_api(benchmark_module)
    )
    is_library = not outside_modules or not for_benchmarks
    libraries = tuple(dict.fromkeys(library_candidates if is_library else outside_modules))
    return SubjectModules(
        benchmarks=benchmark_module,
        libraries=libraries,
        root=Path(os.path.commonpath((benchmark_module, *libraries))),
        workspace=workspace,
        notes=(
            *notes,
            *(() if outside_modules or main else _note_published_versions(benchmark_module, top)),
        ),
    )


def _note_published_versions(module: Path, top: Path) -> Iterator[str]:
    """Say that a module uses a published version of the module in a folder above it."""
    for folder in (parent for parent in module.parents if parent.is_relative_to(top)):
        path, above = gomod.read_module_path(folder), os.path.relpath(folder, module)
        if _imports_module(module, path):
            yield (
                f"the module {module.name} measures a published version of {path}; to audit the "
                f"folder above, add to its go.mod: replace {path} => {above}"
            )


def _find_workspace(module: Path, top: Path) -> str:
    """Return the workspace that Go would find, if it is part of the copy, as Go wants it said.

    One around our folder has nothing to do with the subject, nor has one without the module.
    """
    for folder in (module, *module.parents):
        if not folder.is_relative_to(top):
            break
        if (folder / gomod.WORKSPACE_FILE).is_file():
            is_member = folder == module or module in gomod.list_workspace_modules(folder)
            return str(folder / gomod.WORKSPACE_FILE) if is_member else NO_WORKSPACE
    return NO_WORKSPACE


def _list_outside_modules(module: Path, main: Sequence[Path]) -> Iterator[Path]:
    """Yield the modules outside of a folder that its build takes from folders, and that it uses.

    These are replaced ones, and those of a workspace.
    """
    for path in (*(replacement.folder for replacement in gomod.find_replacements(module)), *main):
        if not path.is_relative_to(module) and _imports_module(
            module, gomod.read_module_path(path)
        ):
            yield path


def _choose_benchmark_module(tree: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the module whose benchmarks are run, and what to say about the choice.

    It is the one at the top of the tree; where that has none, the one below that has most, first
    of those that use the top's module.
    """
    members = {tree, *gomod.list_workspace_modules(tree)}
    folders = find_suites(tree, "go")
    outside_suites = [folder for folder in folders if tree / folder.path not in members]
    if not outside_suites:
        return tree, ()
    if len(outside_suites) < len(folders):
        named = list_suites(outside_suites)
        text = f"other Go modules with benchmarks: {named}; to audit one, name its folder"
        return tree, (text,)
    module = gomod.read_module_path(tree)
    uses = (
        candidate for candidate in outside_suites if _imports_module(tree / candidate.path, module)
    )
    audited_suite = next(uses, outside_suites[0])
    rest = [suite_folder for suite_folder in outside_suites if suite_folder is not audited_suite]
    more = f"; not audited: {list_suites(rest)}" if rest else ""
    text = (
        "the module at the top has no benchmarks; auditing the module "
        f"{audited_suite.summary_text}{more}"
    )
    return tree / audited_suite.path, (text,)


def _has_benchmark_name(module: Path, tree: Path) -> bool:
    """Tell whether a module's folder is called as those are that hold tests or benchmarks alone."""
    return bool(_FOR_BENCHMARKS.search(os.path.relpath(module, tree.parent)))


def _is_without_api(module: Path) -> bool:
    """Tell whether a module exports nothing that others can import."""
    files = (file for file in _list_go_files(module) if not file.name.endswith("_test.go"))
    outer = (file for file in files if "internal" not in file.relative_to(module).parts)
    return not any(map(_is_api, outer))


def _imports_module(module: Path, import_path: str) -> bool:
    """Tell whether a file of a module imports a package of another one."""
    words = (f'"{import_path}"'.encode(), f'"{import_path}/'.encode())
    texts = map(read_beginning, _list_go_files(module))
    return bool(import_path) and any(word in text for text in texts for word in words)


def _list_go_files(module: Path) -> Iterator[Path]:
    """Yield the Go files of a module, but those of other modules below."""
    for directory, folders, files in os.walk(module):
        directory_path = Path(directory)
        folders[:] = [
            folder
            for folder in folders
            if folder not in ("vendor", "testdata")
            and not folder.startswith((".", "_"))
            and not (directory_path / folder / gomod.MODULE_FILE).exists()
        ]
        yield from (directory_path / name for name in files if name.endswith(".go"))


def _is_api(file: Path) -> bool:
    """Tell whether a file exports a function that other modules can import."""
    text = read_beginning(file)
    package = _PACKAGE.search(text)
    return package is not None and package[1] != b"main" and bool(_EXPORTED.search(text))
