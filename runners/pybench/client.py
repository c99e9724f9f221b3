"""A client of a Python library made ready: a copy of each of both, in an environment of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.errors import SubjectError
from auditor.core.ports import Host
from auditor.core.request import PythonSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.pybench import guests
from runners.pybench.environment import Environments, Interpreter
from runners.pybench.installers import PIP, InstallerChoice
from runners.pybench.library import find_package_root, read_library_modules
from runners.pybench.project import copy_tree, digest_words, make_process_variables
from runners.pybench.versions import make_version_variables
from runners.subjects.placed import PlacedSubject, is_of_kind

_RUNNER = "pytest>=7"


@dataclass(frozen=True, slots=True)
class ClientAndLibrary:
    """A client and its library as they were placed, and the copies of both."""

    client: PlacedSubject
    library: PlacedSubject
    root: Path
    library_root: Path


def prepare_client(  # noqa: PLR0913 - what both projects, the machine and the user contribute
    client: PlacedSubject,
    library: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    python: PythonSpec,
    tests: Sequence[str] = (),
) -> Project:
    """Return a client whose LIBRARY is a copy of that library, whatever version it asks for.

    The library is installed first, then the client with what its tests need. Where that brings
    another copy of the library, ours takes its place again. `tests` are where pytest is to look for
    tests; none: where it looks by itself. Raises SubjectError where there is no
    Python project, and what uv or pip says where it fails.
    """
    if not is_of_kind(client.tree, "python"):
        raise SubjectError(f"{client.name} is not a Python project; add a pyproject.toml")
    environments = Environments(host, dict(environment), python)
    base = environments.choose_interpreter(client.tree)
    tool = PIP if python.interpreter else environments.select_installer(base, client.tree)
    words = (base.version, str(base.path), repr(python), tool.installer, _RUNNER)
    key = digest_words("client", client.digest_of_tree, library.digest_of_tree, *words)
    folder = home.make_work_folder(f"python-{key[:24]}")
    placed = ClientAndLibrary(
        client,
        library,
        folder / "tree" / client.tree.relative_to(client.root),
        folder / "library" / library.tree.relative_to(library.root),
    )
    marker_file = folder / "made"
    with home.lock_folder(folder):
        if not marker_file.is_file():
            path = _build_environment(environments, base, tool, placed, folder)
            with convert_write_errors(marker_file):
                marker_file.write_text(f"{path}\n")
        interpreter = replace(base, path=Path(marker_file.read_text().strip()))
        installed = environments.list_distributions(interpreter, placed.root)
        interpreter = replace(interpreter, installed=installed)
    variables = make_process_variables(dict(environment), interpreter, folder, python)
    if python.interpreter:
        roots = map(find_package_root, (placed.library_root, placed.root))
        variables["PYTHONPATH"] = ":".join(map(str, roots))
    return _make_client_project(placed, interpreter, variables, (key, *tests))


def _build_environment(
    environments: Environments,
    base: Interpreter,
    tool: InstallerChoice,
    placed: ClientAndLibrary,
    folder: Path,
) -> Path:
    """Copy both projects, and return an interpreter that has them."""
    copy_tree(placed.client, folder / "tree")
    copy_tree(placed.library, folder / "library")
    if environments.python.interpreter:
        return base.path
    path = environments.make_empty_environment(base, tool, placed.root, folder)
    _install_projects(environments, tool, path, placed)
    return path


def _install_projects(
    environments: Environments, tool: InstallerChoice, path: Path, placed: ClientAndLibrary
) -> None:
    """Install both projects; each build is told the version of its own tree."""
    library_environments = replace(
        environments, versions=make_version_variables(placed.library_root, placed.library.tag)
    )
    client_environments = replace(
        environments, versions=make_version_variables(placed.root, placed.client.tag)
    )
    library_environments.install_packages(path, tool, placed.library_root, "--editable", ".")
    client_environments.install_with_needs(path, tool, placed.root, _RUNNER)
    units = [module.unit for module in read_library_modules(placed.library_root, ())]
    origin = library_environments.locate_module(
        path, min(units, key=len, default=""), placed.library_root
    )
    if not Path(origin).is_relative_to(placed.library_root):
        library_environments.install_packages(
            path, tool, placed.library_root, "--no-deps", "--editable", "."
        )


def _make_client_project(
    placed: ClientAndLibrary,
    interpreter: Interpreter,
    variables: dict[str, str],
    words: tuple[str, ...],
) -> Project:
    client = placed.client
    decides = (
        client.digest_of_tree,
        placed.library.digest_of_tree,
        repr(words),
        guests.digest_guest(),
    )
    return Project(
        name=client.name,
        revision=client.revision,
        language=Language.PYTHON,
        harness="pytest",
        root=placed.root,
        digest=digest_words("client", *decides, interpreter.version, *interpreter.installed),
        parts=(Part(Role.LIBRARY, placed.library_root), Part(Role.BENCHMARKS, placed.root)),
        environment=tuple(sorted(variables.items())),
        options=(("python", str(interpreter.path)),),
        versions=(("python", interpreter.version),),
    )
