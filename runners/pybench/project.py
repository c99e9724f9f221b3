"""Making a Python tree ready: a copy of it, an environment, a digest of what runs."""

import hashlib
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from auditor.core.caveats import list_some
from auditor.core.errors import NoBenchmarks
from auditor.core.ports import Host
from auditor.core.request import PythonSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.hosts.variables import is_usual_variable
from runners.pybench import guests, needs
from runners.pybench.environment import Environments, Interpreter
from runners.pybench.frontends import (
    FRONTENDS,
    Frontend,
    explain_lack,
    framework_of,
    frameworks_present,
)
from runners.pybench.installers import PIP
from runners.pybench.library import find_package_root, read_file_head
from runners.pybench.versions import make_version_variables
from runners.steps import ignore_step
from runners.subjects.placed import PlacedSubject
from runners.subjects.texts import for_people

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


def prepare_project(  # noqa: PLR0913 - what a subject, the machine and the user each contribute
    placed: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    python: PythonSpec,
    frontend: Frontend,
    needs_suite: bool = True,
    tell: Callable[[str], None] = ignore_step,
) -> Project:
    """Copy a placed tree and make the environment that its benchmarks run in.

    Raises NoBenchmarks if `needs_suite` and no file has any, and the errors of uv and pip.
    """
    if needs_suite and not (frontend.suite(placed.tree) or frontend.declared(placed.tree)):
        raise NoBenchmarks(explain_lack(placed.name, placed.tree, frontend))
    versions = make_version_variables(placed.tree, placed.tag)
    environments = Environments(host, dict(environment), python, versions, tell)
    base = environments.choose_interpreter(placed.tree)
    tool = PIP if python.interpreter else environments.select_installer(base, placed.tree)
    spec = replace(python, installer=tool.installer, pytest_options=())
    suite_needs = _format_needs(spec, placed.tree)
    words = (base.version, str(base.path), suite_needs, frontend.requirement, *versions.values())
    key = digest_words(placed.digest_of_tree, *words)
    folder = home.make_work_folder(f"python-{key[:24]}")
    with home.lock_folder(folder):
        root = folder / "tree" / placed.tree.relative_to(placed.root)
        marker_file = folder / "made"
        if not marker_file.is_file():
            copy_tree(placed, folder / "tree")
            interpreter = base
            if not python.interpreter:
                required = frontend.requirement
                interpreter = environments.make_environment(base, tool, root, folder, required)
            lines = (str(interpreter.path), interpreter.creator, *interpreter.notes)
            with convert_write_errors(marker_file):
                marker_file.write_text("".join(f"{line}\n" for line in lines))
        interpreter = _read_interpreter(base, marker_file)
        installed = environments.list_distributions(interpreter, root)
        interpreter = replace(interpreter, installed=installed)
    variables = make_process_variables(dict(environment), interpreter, folder, python)
    if python.interpreter:  # whatever is installed there, the copy's code is audited
        variables["PYTHONPATH"] = str(find_package_root(root))
    return _make_project(placed, root, interpreter, variables, frontend)


def _format_needs(spec: PythonSpec, tree: Path) -> str:
    """Return what is found to be needed, which a later release may find better, as text."""
    return repr(needs.find_suite_needs(spec, tree)).replace(str(tree), "")


def _read_interpreter(base: Interpreter, marker_file: Path) -> Interpreter:
    path, creator, *notes = marker_file.read_text().splitlines()
    return replace(base, path=Path(path), creator=creator, notes=tuple(notes))


def prepare_library(
    placed: PlacedSubject, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> Project:
    """Copy a placed tree and make an environment in which it can be imported.

    It is the environment of its benchmarks, if it has any. Raises what uv or pip says.
    """
    return prepare_project(
        placed,
        home=home,
        host=host,
        environment=environment,
        python=PythonSpec(),
        frontend=FRONTENDS[framework_of(placed.tree)],
        needs_suite=False,
    )


def find_copy_top(root: Path) -> Path:
    """Return the top of the copy that a prepared project is in."""
    folders = (root, *root.parents)
    return next((path for path in folders if (path.parent / "made").is_file()), root)


def copy_tree(placed: PlacedSubject, top: Path) -> None:
    """Copy a placed tree, in place of what is there."""
    with convert_write_errors(top):
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(placed.root, top, symlinks=True)


def make_process_variables(
    user_variables: dict[str, str],
    interpreter: Interpreter,
    folder: Path,
    python: PythonSpec,
) -> dict[str, str]:
    """Return the variables of processes of an environment whose folder this is.

    What tools need is for what makes the environment; anything else was named, or is an image's.
    """
    variables = {
        key: user_variables[key]
        for key in user_variables
        if key in _PASSED_ON or not is_usual_variable(key)
    }
    return variables | {
        "PATH": f"{interpreter.path.parent}:{variables.get('PATH', '')}",
        # Beside the copy, not in it, and not in what another environment's processes read.
        "PYTHONPYCACHEPREFIX": str(folder / "pycache"),
        "PYTHONNOUSERSITE": "1",
        "PYTEST_ADDOPTS": shlex.join(python.pytest_options),
    }


def _make_project(
    placed: PlacedSubject,
    root: Path,
    interpreter: Interpreter,
    variables: dict[str, str],
    frontend: Frontend,
) -> Project:
    versions = dict(name.split("==", 1) for name in interpreter.installed if "==" in name)
    pytest_options = filter(None, [variables["PYTEST_ADDOPTS"]])
    words = (interpreter.version, *interpreter.installed, *pytest_options)
    package = frontend.requirement.partition(">")[0]
    tools = {"python": interpreter.version, package: versions.get(package, "none")}
    maker, _, version = interpreter.creator.partition(" ")
    tools |= {maker: version or versions.get(maker, "none")} if maker else {}
    return Project(
        name=placed.name,
        revision=placed.revision,
        language=Language.PYTHON,
        harness=frontend.name,
        root=root,
        # The guest is not part of the overlay, as Go's is, but decides what is measured as well.
        digest=digest_words(
            placed.digest_of_tree,
            guests.digest_guest(),
            *words,
        ),
        content=_digest_content(placed, guests.digest_guest(), *words),
        parts=(Part(Role.LIBRARY, root), Part(Role.BENCHMARKS, root)),
        notes=tuple(_describe_framework_choice(root, frontend)),
        requirements=interpreter.notes,
        environment=tuple(sorted(variables.items())),
        options=(("python", str(interpreter.path)),),
        versions=tuple(tools.items()),
    )


def _describe_framework_choice(root: Path, frontend: Frontend) -> Iterator[str]:
    """Say which suite is taken where a tree has suites of several frameworks."""
    other_names = [name for name in frameworks_present(root) if name != frontend.name]
    if other_names:
        other_places = " and ".join(_describe_places(root, name) for name in other_names)
        choice = " or ".join(f"--harness {name}" for name in other_names)
        selection = _describe_places(root, frontend.name)
        yield (
            f"the suite taken is {selection}; there is also {other_places}: {choice} takes that one"
        )


def _describe_places(root: Path, name: str) -> str:
    """Return a framework with the first places of its suite."""
    return f"{name} ({list_some(FRONTENDS[name].suite(root))})"


def _digest_content(placed: PlacedSubject, *words: str) -> str:
    """Return a digest of what a process may import or read.

    Texts for people count only where some code of the project names them.
    """
    code = [read_file_head(placed.root / path) for path in placed.files if path.endswith(".py")]
    file_lines = (
        f"{path}\0{name}"
        for path, name in sorted(placed.files.items())
        if not for_people(path) or any(PurePosixPath(path).name.encode() in text for text in code)
    )
    inside = placed.tree.relative_to(placed.root).as_posix()
    return digest_words(inside, *words, *file_lines)


def digest_words(*words: str) -> str:
    """Return a digest of words, hexadecimal."""
    return hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()[:32]
