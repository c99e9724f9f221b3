"""Making a Python tree ready: a copy of it, an environment, a digest of what runs."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from auditor.core.caveats import list_some
from auditor.core.errors import NoBenchmarks
from auditor.core.ports import Host
from auditor.core.request import PythonSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.disk import writing
from runners.home import Home
from runners.hosts.variables import is_usual_variable
from runners.pybench import guests
from runners.pybench.environment import Environments, Interpreter
from runners.pybench.frontends import FRONTENDS, Frontend, framework_of, frameworks_present
from runners.pybench.installers import PIP
from runners.pybench.library import read, top
from runners.pybench.versions import variables as told_versions
from runners.steps import ignore_step
from runners.subjects.placed import Placed
from runners.subjects.texts import for_people

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


def prepare(  # noqa: PLR0913 - what a subject, the machine and the user each contribute
    placed: Placed,
    *,
    home: Home,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    python: PythonSpec,
    frontend: Frontend,
    needs_suite: bool = True,
    tell: Callable[[str], None] = ignore_step,
) -> Project:
    """Copy a placed tree and make the environment that its benchmarks run in.

    Raises NoBenchmarks where no file has any and it needs some, and what uv or pip says where it
    fails.
    """
    if needs_suite and not (frontend.suite(placed.tree) or frontend.declared(placed.tree)):
        raise NoBenchmarks(f"{placed.name} has no benchmarks: {frontend.lacking}")
    versions = told_versions(placed.tree, placed.tag)
    environments = Environments(host, dict(environment), python, versions, tell)
    base = environments.base(placed.tree)
    tool = PIP if python.interpreter else environments.tool(base, placed.tree)
    spec = replace(python, installer=tool.installer)
    words = (base.version, str(base.path), repr(spec), frontend.requirement, *versions.values())
    key = digest(placed.digest_of_tree, *words)
    folder = home.work(f"python-{key[:24]}")
    with home.locked(folder):
        root = folder / "tree" / placed.tree.relative_to(placed.root)
        done = folder / "made"
        if not done.is_file():
            copy(placed, folder / "tree")
            interpreter = base
            if not python.interpreter:
                interpreter = environments.made(base, tool, root, folder, frontend.requirement)
            lines = (str(interpreter.path), interpreter.made_by, *interpreter.notes)
            with writing(done):
                done.write_text("".join(f"{line}\n" for line in lines))
        own, by, *notes = done.read_text().splitlines()
        interpreter = replace(base, path=Path(own), made_by=by, notes=tuple(notes))
        interpreter = replace(interpreter, installed=environments.installed(interpreter, root))
    variables = own_variables(dict(environment), interpreter, folder)
    if python.interpreter:
        # Whatever is installed there, the code that is audited is that of the copy.
        variables["PYTHONPATH"] = str(top(root))
    return _project(placed, root, interpreter, variables, frontend)


def prepare_library(
    placed: Placed, *, home: Home, host: Host, environment: tuple[tuple[str, str], ...]
) -> Project:
    """Copy a placed tree and make an environment in which it can be imported.

    It is the environment of its benchmarks, if it has any. Raises what uv or pip says.
    """
    return prepare(
        placed,
        home=home,
        host=host,
        environment=environment,
        python=PythonSpec(),
        frontend=FRONTENDS[framework_of(placed.tree)],
        needs_suite=False,
    )


def copy(placed: Placed, top: Path) -> None:
    """Copy a placed tree, in place of what is there."""
    with writing(top):
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(placed.root, top, symlinks=True)


def own_variables(given: dict[str, str], interpreter: Interpreter, folder: Path) -> dict[str, str]:
    """Return the variables of processes of an environment whose folder this is.

    What tools need is for what makes the environment; anything else was named, or is an image's.
    """
    variables = {
        key: given[key] for key in given if key in _PASSED_ON or not is_usual_variable(key)
    }
    return variables | {
        "PATH": f"{interpreter.path.parent}:{variables.get('PATH', '')}",
        # Beside the copy, not in it, and not in what another environment's processes read.
        "PYTHONPYCACHEPREFIX": str(folder / "pycache"),
        "PYTHONNOUSERSITE": "1",
        "PYTEST_ADDOPTS": "",
    }


def _project(
    placed: Placed,
    root: Path,
    interpreter: Interpreter,
    variables: dict[str, str],
    frontend: Frontend,
) -> Project:
    versions = dict(name.split("==", 1) for name in interpreter.installed if "==" in name)
    package = frontend.requirement.partition(">")[0]
    tools = {"python": interpreter.version, package: versions.get(package, "none")}
    maker, _, version = interpreter.made_by.partition(" ")
    tools |= {maker: version or versions.get(maker, "none")} if maker else {}
    return Project(
        name=placed.name,
        revision=placed.revision,
        language=Language.PYTHON,
        harness=frontend.name,
        root=root,
        # The guest is not part of the overlay, as Go's is, but decides what is measured as well.
        digest=digest(
            placed.digest_of_tree, guests.digest(), interpreter.version, *interpreter.installed
        ),
        content=_content(placed, guests.digest(), interpreter.version, *interpreter.installed),
        parts=(Part(Role.LIBRARY, root), Part(Role.BENCHMARKS, root)),
        notes=tuple(_frameworks(root, frontend)),
        requirements=interpreter.notes,
        environment=tuple(sorted(variables.items())),
        options=(("python", str(interpreter.path)),),
        versions=tuple(tools.items()),
    )


def _frameworks(root: Path, frontend: Frontend) -> Iterator[str]:
    """Say which suite is taken where a tree has suites of several frameworks."""
    others = [name for name in frameworks_present(root) if name != frontend.name]
    if others:
        shown = " and ".join(_places(root, name) for name in others)
        choice = " or ".join(f"--harness {name}" for name in others)
        taken = _places(root, frontend.name)
        yield f"the suite taken is {taken}; there is also {shown}: {choice} takes that one"


def _places(root: Path, name: str) -> str:
    """Return a framework with the first places of its suite."""
    return f"{name} ({list_some(FRONTENDS[name].suite(root))})"


def _content(placed: Placed, *words: str) -> str:
    """Return a digest of what a process may import or read.

    Texts for people count only where some code of the project names them.
    """
    code = [read(placed.root / path) for path in placed.files if path.endswith(".py")]
    kept = (
        f"{path}\0{name}"
        for path, name in sorted(placed.files.items())
        if not for_people(path) or any(PurePosixPath(path).name.encode() in text for text in code)
    )
    inside = placed.tree.relative_to(placed.root).as_posix()
    return digest(inside, *words, *kept)


def digest(*words: str) -> str:
    """Return a digest of words, hexadecimal."""
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:32]
