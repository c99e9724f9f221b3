"""A client of a Python library made ready: a copy of each of both, in an environment of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.errors import SubjectError
from auditor.core.ports import Host
from auditor.core.request import PythonSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.disk import writing
from runners.home import Home
from runners.pybench import guests
from runners.pybench.environment import Environments, Interpreter
from runners.pybench.installers import PIP, InstallerChoice
from runners.pybench.library import modules, top
from runners.pybench.project import copy, digest, own_variables
from runners.pybench.versions import variables as told_versions
from runners.subjects.placed import Placed, detect

_RUNNER = "pytest>=7"


@dataclass(frozen=True, slots=True)
class ClientAndLibrary:
    """A client and its library as they were placed, and the copies of both."""

    client: Placed
    library: Placed
    root: Path
    library_root: Path


def prepare_client(  # noqa: PLR0913 - what both projects, the machine and the user contribute
    client: Placed,
    library: Placed,
    *,
    home: Home,
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
    if detect(client.tree) != "python":
        raise SubjectError(f"{client.name} is not a Python project; add a pyproject.toml")
    environments = Environments(host, dict(environment), python)
    base = environments.base(client.tree)
    tool = PIP if python.interpreter else environments.tool(base, client.tree)
    words = (base.version, str(base.path), repr(python), tool.installer, _RUNNER)
    key = digest("client", client.digest_of_tree, library.digest_of_tree, *words)
    folder = home.work(f"python-{key[:24]}")
    placed = ClientAndLibrary(
        client,
        library,
        folder / "tree" / client.tree.relative_to(client.root),
        folder / "library" / library.tree.relative_to(library.root),
    )
    done = folder / "made"
    with home.locked(folder):
        if not done.is_file():
            path = _make(environments, base, tool, placed, folder)
            with writing(done):
                done.write_text(f"{path}\n")
        interpreter = replace(base, path=Path(done.read_text().strip()))
        interpreter = replace(
            interpreter, installed=environments.installed(interpreter, placed.root)
        )
    variables = own_variables(dict(environment), interpreter, folder)
    if python.interpreter:
        variables["PYTHONPATH"] = f"{top(placed.library_root)}:{top(placed.root)}"
    return _project(placed, interpreter, variables, (key, *tests))


def _make(
    environments: Environments,
    base: Interpreter,
    tool: InstallerChoice,
    placed: ClientAndLibrary,
    folder: Path,
) -> Path:
    """Copy both projects, and return an interpreter that has them."""
    copy(placed.client, folder / "tree")
    copy(placed.library, folder / "library")
    if environments.python.interpreter:
        return base.path
    path = environments.empty(base, tool, placed.root, folder)
    _fill(environments, tool, path, placed)
    return path


def _fill(
    environments: Environments, tool: InstallerChoice, path: Path, placed: ClientAndLibrary
) -> None:
    """Install both projects; each build is told the version of its own tree."""
    theirs = replace(environments, versions=told_versions(placed.library_root, placed.library.tag))
    own = replace(environments, versions=told_versions(placed.root, placed.client.tag))
    theirs.install(path, tool, placed.library_root, "--editable", ".")
    own.fill_with_needs(path, tool, placed.root, _RUNNER)
    units = [module.unit for module in modules(placed.library_root, ())]
    origin = theirs.origin(path, min(units, key=len, default=""), placed.library_root)
    if not Path(origin).is_relative_to(placed.library_root):
        theirs.install(path, tool, placed.library_root, "--no-deps", "--editable", ".")


def _project(
    placed: ClientAndLibrary,
    interpreter: Interpreter,
    variables: dict[str, str],
    words: tuple[str, ...],
) -> Project:
    client = placed.client
    decides = (client.digest_of_tree, placed.library.digest_of_tree, repr(words), guests.digest())
    return Project(
        name=client.name,
        revision=client.revision,
        language=Language.PYTHON,
        harness="pytest",
        root=placed.root,
        digest=digest("client", *decides, interpreter.version, *interpreter.installed),
        parts=(Part(Role.LIBRARY, placed.library_root), Part(Role.BENCHMARKS, placed.root)),
        environment=tuple(sorted(variables.items())),
        options=(("python", str(interpreter.path)),),
        versions=(("python", interpreter.version),),
    )
