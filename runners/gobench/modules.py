"""Which module of a tree holds the benchmarks, and which modules are the library they measure."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.files.foreign_files import read_beginning
from auditor.core.subject import Part, Role
from runners.subjects import gomod
from runners.subjects.survey import list_suites, suites

OFF = "off"
"""What GOWORK is where no workspace counts."""
_FOR_BENCHMARKS = re.compile(
    r"(?:^|[/_.-])(?:\w*bench\w*|perf|performance|compar\w*|tests?|testing|integration|e2e)(?:$|[/_.-])",
    re.IGNORECASE,
)
_EXPORTED = re.compile(rb"^func (?:\([^)\n]*\) )?[A-Z]", re.MULTILINE)
_PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
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

    def variables(self) -> dict[str, str]:
        """Return what the go command needs to know of where it runs."""
        return {"PWD": str(self.benchmarks), "GOWORK": self.workspace}

    def parts(self) -> tuple[Part, ...]:
        """Return the folders of the modules by what they are for."""
        return (
            *(Part(Role.LIBRARY, library) for library in self.libraries),
            Part(Role.BENCHMARKS, self.benchmarks),
        )


def choose_modules(
    tree: Path, top: Path, *, chooses: bool = True, workspaces: bool = True
) -> Modules:
    """Return the modules of a tree in a copy whose top is `top`.

    Unless `chooses`, the module at the top of the tree is both, whether it has benchmarks or not,
    and whatever it takes from folders. `workspaces` is False where the user has switched them off.
    """
    here, notes = _with_benchmarks(tree) if chooses else (tree, ())
    workspace = _workspace(here, top) if workspaces else OFF
    main = () if workspace == OFF else gomod.workspace_modules(Path(workspace).parent)
    inside = [path for path in main if path.is_relative_to(here)] or [here]
    own = [path for path in inside if len(inside) == 1 or not _is_named_so(path, tree)] or inside
    beside = [path for path in _beside(here, main) if path.is_relative_to(top)]
    for_benchmarks = chooses and (_is_named_so(here, tree) or _is_without_api(here))
    is_library = not beside or not for_benchmarks
    libraries = tuple(dict.fromkeys(own if is_library else beside))
    return Modules(
        benchmarks=here,
        libraries=libraries,
        root=Path(os.path.commonpath((here, *libraries))),
        workspace=workspace,
        notes=(*notes, *(() if beside or main else _published(here, top))),
    )


def _published(here: Path, top: Path) -> Iterator[str]:
    """Say that a module uses a published version of the module in a folder above it."""
    for folder in (parent for parent in here.parents if parent.is_relative_to(top)):
        path, above = gomod.module_path(folder), os.path.relpath(folder, here)
        if _imports(here, path):
            yield (
                f"the module {here.name} measures a published version of {path}; to audit the "
                f"folder above, add to its go.mod: replace {path} => {above}"
            )


def _workspace(module: Path, top: Path) -> str:
    """Return the workspace that Go would find, if it is part of the copy, as Go wants it said.

    One around our folder has nothing to do with the subject, nor has one without the module.
    """
    for folder in (module, *module.parents):
        if not folder.is_relative_to(top):
            break
        if (folder / gomod.WORKSPACE_FILE).is_file():
            is_member = folder == module or module in gomod.workspace_modules(folder)
            return str(folder / gomod.WORKSPACE_FILE) if is_member else OFF
    return OFF


def _beside(here: Path, main: Sequence[Path]) -> Iterator[Path]:
    """Yield the modules outside of a folder that its build takes from folders, and that it uses.

    These are replaced ones, and those of a workspace.
    """
    for path in (*(replacement.folder for replacement in gomod.replacements(here)), *main):
        if not path.is_relative_to(here) and _imports(here, gomod.module_path(path)):
            yield path


def _with_benchmarks(tree: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the module whose benchmarks are run, and what to say about the choice.

    It is the one at the top of the tree; where that has none, the one below that has most, first
    of those that use the top's module.
    """
    members = {tree, *gomod.workspace_modules(tree)}
    folders = suites(tree, "go")
    others = [folder for folder in folders if tree / folder.path not in members]
    if not others:
        return tree, ()
    if len(others) < len(folders):
        named = list_suites(others)
        text = f"other Go modules with benchmarks: {named}; to audit one, name its folder"
        return tree, (text,)
    module = gomod.module_path(tree)
    uses = (other for other in others if _imports(tree / other.path, module))
    taken = next(uses, others[0])
    rest = [suite_folder for suite_folder in others if suite_folder is not taken]
    more = f"; not audited: {list_suites(rest)}" if rest else ""
    text = f"the module at the top has no benchmarks; audited is the module {taken.text}{more}"
    return tree / taken.path, (text,)


def _is_named_so(module: Path, tree: Path) -> bool:
    """Tell whether a module's folder is called as those are that hold tests or benchmarks alone."""
    return bool(_FOR_BENCHMARKS.search(os.path.relpath(module, tree.parent)))


def _is_without_api(module: Path) -> bool:
    """Tell whether a module exports nothing that others can import."""
    files = (file for file in _files(module) if not file.name.endswith("_test.go"))
    outer = (file for file in files if "internal" not in file.relative_to(module).parts)
    return not any(map(_is_api, outer))


def _imports(module: Path, other: str) -> bool:
    """Tell whether a file of a module imports a package of another one."""
    words = (f'"{other}"'.encode(), f'"{other}/'.encode())
    texts = map(read_beginning, _files(module))
    return bool(other) and any(word in text for text in texts for word in words)


def _files(module: Path) -> Iterator[Path]:
    """Yield the Go files of a module, but those of other modules below."""
    for where, folders, files in os.walk(module):
        here = Path(where)
        folders[:] = [
            folder
            for folder in folders
            if folder not in ("vendor", "testdata")
            and not folder.startswith((".", "_"))
            and not (here / folder / gomod.MODULE_FILE).exists()
        ]
        yield from (here / name for name in files if name.endswith(".go"))


def _is_api(file: Path) -> bool:
    """Tell whether a file exports a function that other modules can import."""
    text = read_beginning(file)
    package = _PACKAGE.search(text)
    return package is not None and package[1] != b"main" and bool(_EXPORTED.search(text))
