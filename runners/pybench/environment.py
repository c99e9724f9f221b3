"""A virtual environment for one revision of a Python project, or an interpreter of the user's."""

import ast
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing, UsageError
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from auditor.core.request import Installer, PythonSpec
from runners.pybench import needs, versions
from runners.pybench.declarations import find_table, read_toml
from runners.pybench.installers import (
    PIP,
    InstallerChoice,
    ProjectBuildFailed,
    choose_installer,
    make_install_error,
    pip_settings,
    uv_version,
)
from runners.pybench.library import read_file_head
from runners.steps import ignore_step

NAMES = tuple(f"python3.{minor}" for minor in range(25, 8, -1))
"""How interpreters are called on PATH, the newest first."""
_OF_SETUP_CFG = re.compile(rb"^python_requires[ \t]*=[ \t]*(\S.*)$", re.MULTILINE)

_POETRY_RANGE = re.compile(r"([~^])[ \t]*(\d{1,4})(?:\.(\d{1,4}))?(?:\.\d+)*")

OLDEST = (3, 9)
_SECONDS = 1800
_VERSION = (
    "import platform, sys; print(sys.implementation.name, platform.python_version(), "
    "sys.executable, sep='\\t')"
)
_INSTALLED = """import sys
sys.path[:] = filter(None, sys.path)
from importlib.metadata import distributions
found = {f"{one.metadata['Name']}=={one.version}" for one in distributions()}
print(*sorted(found), sep="\\n")"""
_ORIGIN = """import importlib.util, sys
found = importlib.util.find_spec(sys.argv[1])
print(found.origin if found else "")"""
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)[ \t]+(\S.*)")
_PLAIN = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "UV_NO_PROGRESS": "1",
    "UV_NO_WRAP": "1",
    # A link would lead to the user's cache, and what runs may write to what is installed.
    "UV_LINK_MODE": "copy",
}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that was asked who it is, and what is installed there (`name==version`).

    `creator` is what made its environment, with a version if it is uv (`uv 0.8.15`, `pip`), and
    empty for one of the user's.
    """

    path: Path
    version: str
    installed: tuple[str, ...] = ()
    creator: str = ""
    notes: tuple[str, ...] = ()  # which one was chosen and what was installed, for people


@dataclass(frozen=True, slots=True)
class Environments:
    """Makes environments; `variables` is what the user has, `python` what the user asks for.

    `versions` are variables that tell a build its version. `tell` hears what is being installed.
    """

    host: Host
    variables: Mapping[str, str]
    python: PythonSpec
    versions: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] = ignore_step

    def choose_interpreter(self, tree: Path) -> Interpreter:
        """Return the interpreter: the user's, or the first on PATH that the project can have.

        Raises where it is missing or too old.
        """
        first = self._inspect_interpreter(self.python.interpreter or "python3", tree)
        required = required_python(tree)
        if self.python.interpreter or satisfies_requirement(first.version, required):
            return first
        candidates = {first.version: first}
        for name in NAMES:
            with suppress(ToolMissing):
                if (candidate := self._find_interpreter(name, tree)) is not None:
                    candidates.setdefault(candidate.version, candidate)
        for candidate in candidates.values():
            if satisfies_requirement(candidate.version, required):
                note = f"the project needs Python {required}: {candidate.path} is taken"
                return replace(candidate, notes=(note,))
        installed = ", ".join(
            f"{candidate.version} ({candidate.path})" for candidate in candidates.values()
        )
        raise ToolMissing(
            f"the project needs Python {required}; installed: {installed}; install one that fits "
            "as python3.N on PATH, or name one that has all of the suite by python.interpreter"
        )

    def _find_interpreter(self, name: str, cwd: Path) -> Interpreter | None:
        """Return an interpreter by its name on PATH, None where it is broken or too old.

        A shim of pyenv refuses versions that the user has not activated, so these are named to it.
        """
        activated = {**self.variables, "PYENV_VERSION": name.removeprefix("python")}
        for environments in (self, replace(self, variables=activated)):
            with suppress(UsageError):
                return environments._inspect_interpreter(name, cwd)
        return None

    def _inspect_interpreter(self, path: str, cwd: Path) -> Interpreter:
        """Ask an interpreter for its version; raises where it is missing or too old."""
        try:
            answer = self._run_on_host((path, "-I", "-c", _VERSION), cwd)
        except ToolMissing as error:
            raise ToolMissing(f"{path} was not found; install Python 3.9 or newer") from error
        fields = answer.stdout.decode(errors="replace").strip().split("\t")
        if answer.exit_code != 0 or len(fields) != 3:
            raise UsageError(f"{path} is not a Python interpreter: {answer.format_tail(1)}")
        name, version, executable = fields
        if tuple(int(number) for number in re.findall(r"\d+", version)[:2]) < OLDEST:
            raise UsageError(f"{path} is Python {version}; install Python 3.9 or newer")
        return Interpreter(Path(executable), version if name == "cpython" else f"{name} {version}")

    def select_installer(self, base: Interpreter, cwd: Path) -> InstallerChoice:
        """Return what is to make the environment; raises ToolMissing without the uv asked for."""
        version = ""
        if self.python.installer is not Installer.PIP:
            try:
                version = uv_version(self._run_on_host(("uv", "--version"), cwd))
            except ToolMissing:
                version = ""
        # Pip itself knows best which files and variables it is set up with.
        listing = (str(base.path), "-I", "-m", "pip", "config", "list")
        settings = pip_settings(self._run_on_host(listing, cwd)) if version else {}
        return choose_installer(self.python.installer, version, settings)

    def make_environment(
        self, base: Interpreter, tool: InstallerChoice, tree: Path, folder: Path, requirement: str
    ) -> Interpreter:
        """Make an environment with the project and what its suite needs.

        The project is installed editable, so that the tree is the one place of its code.
        """
        interpreter_path = self.make_empty_environment(base, tool, tree, folder)
        notes = self.install_with_needs(interpreter_path, tool, tree, requirement)
        made_by = f"{tool.installer} {tool.version}".strip()
        return replace(base, path=interpreter_path, creator=made_by, notes=(*base.notes, *notes))

    def install_with_needs(
        self, interpreter_path: Path, tool: InstallerChoice, tree: Path, requirement: str
    ) -> tuple[str, ...]:
        """Install a project with what it declares for its suite; return what to tell of that.

        Where a declared set cannot be installed, a smaller one is tried. The error is that of the
        project alone where not even that can be installed.
        """
        notes: list[str] = []
        suite_needs = needs.find_suite_needs(self.python, tree)
        for number, candidate in enumerate(suite_needs):
            self.tell(
                f"{tool.installer} installs {' and '.join(('the project', *candidate.names))}"
            )
            try:
                replace(self, python=candidate.spec).install_project(
                    interpreter_path, tool, tree, requirement
                )
            except (BuildFailed, ResolveFailed) as error:
                if number + 1 == len(suite_needs) or isinstance(error, ProjectBuildFailed):
                    raise
                reason = str(error).removeprefix("the environment: ").splitlines()[0][:200]
                notes.append(f"{' and '.join(candidate.names)} could not be installed: {reason}")
                continue
            if candidate.names:
                notes.append(f"installed beside the project: {', '.join(candidate.names)}")
            break
        return (*notes, *self._install_plugins(interpreter_path, tool, tree))

    def _install_plugins(
        self, interpreter_path: Path, tool: InstallerChoice, tree: Path
    ) -> Iterator[str]:
        """Install the plugins of benchmarks that are imported and that nothing has brought."""
        plugins = needs.imported_plugins(tree)
        missing = [
            needs.PLUGINS[plugin]
            for plugin in plugins
            if not self.locate_module(interpreter_path, plugin, tree)
        ]
        if missing:
            self.install_packages(interpreter_path, tool, tree, *missing)
            names = ", ".join(missing)
            yield f"installed as the suite imports it, and nothing declares it: {names}"
        if needs.has_unit_tests(tree) and not self.locate_module(interpreter_path, "pytest", tree):
            try:
                self.install_packages(interpreter_path, tool, tree, "pytest")
                yield "installed to run the unit tests: pytest"
            except (BuildFailed, ResolveFailed):
                yield "pytest could not be installed, so unit tests are not counted"

    def make_empty_environment(
        self, base: Interpreter, tool: InstallerChoice, tree: Path, folder: Path
    ) -> Path:
        """Make an environment with nothing in it; return its interpreter."""
        venv = folder / "venv"
        shutil.rmtree(venv, ignore_errors=True)
        words: tuple[str, ...] = (str(base.path), "-I", "-m", "venv", str(venv))
        if tool.installer is Installer.UV:
            words = ("uv", "venv", "--quiet", "--no-project", "--python", str(base.path), str(venv))
        self._run_command(words, tree, tool)
        return venv / "bin" / "python"

    def install_project(
        self, interpreter_path: Path, tool: InstallerChoice, tree: Path, requirement: str
    ) -> None:
        """Install a project with what is asked for, editable."""
        extras = f"[{','.join(self.python.extras)}]" if self.python.extras else ""
        groups = [word for name in self.python.groups for word in ("--group", name)]
        if groups and tool.installer is Installer.PIP:
            self.install_packages(interpreter_path, tool, tree, "pip>=25.1")
        requirements = [word for text in self.python.requirements for word in _split_option(text)]
        install_arguments = (*groups, *requirements, requirement)
        environments = replace(
            self, versions=self._choose_versions(interpreter_path, tool, tree, install_arguments)
        )
        environments.install_packages(
            interpreter_path, tool, tree, "--editable", f".{extras}", *install_arguments
        )

    def _choose_versions(
        self,
        interpreter_path: Path,
        tool: InstallerChoice,
        tree: Path,
        install_arguments: tuple[str, ...],
    ) -> Mapping[str, str]:
        """Return the versions, that of a release where the tools of the suite need the project.

        Tools that cap its version would be installed in releases from before they had the cap.
        """
        name = versions.project_without_version(tree)
        if not name or not versions.is_placeholder_version(self.versions):
            return self.versions
        try:
            self.install_packages(interpreter_path, tool, tree, *install_arguments)
        except (BuildFailed, ResolveFailed):
            return self.versions  # they need the project itself; the error is told with it
        released = versions.find_release(name, self._query_distributions(interpreter_path, tree))
        return dict.fromkeys(self.versions, released) if released else self.versions

    def install_packages(
        self, interpreter_path: Path, tool: InstallerChoice, tree: Path, *words: str
    ) -> None:
        """Install what these words say; paths are relative to the tree."""
        # Nothing of the tree is pip's; a build that pip starts may import what is in the tree.
        install: tuple[str, ...] = (str(interpreter_path), "-I", "-m", "pip", "install", "--quiet")
        if tool.installer is Installer.UV:
            install = ("uv", "pip", "install", "--quiet", "--python", str(interpreter_path))
        self._run_command((*install, *words), tree, tool)

    def locate_module(self, interpreter_path: Path, module: str, cwd: Path) -> str:
        """Return the file that a module is imported from, empty if it cannot be found."""
        answer = self._run_on_host((str(interpreter_path), "-I", "-c", _ORIGIN, module), cwd)
        return answer.stdout.decode(errors="replace").strip() if answer.exit_code == 0 else ""

    def list_distributions(self, interpreter: Interpreter, cwd: Path) -> tuple[str, ...]:
        """Return the distributions that an interpreter has, as `name==version`, in order."""
        return self._query_distributions(interpreter.path, cwd)

    def _query_distributions(self, interpreter_path: Path, cwd: Path) -> tuple[str, ...]:
        answer = self._run_command((str(interpreter_path), "-c", _INSTALLED), cwd, PIP)
        return tuple(answer.stdout.decode(errors="replace").split())

    def _run_command(
        self, words: tuple[str, ...], cwd: Path, tool: InstallerChoice
    ) -> CompletedProcess:
        answer = self._run_on_host(words, cwd, tool)
        if answer.exit_code != 0:
            call = words[:3] if words[0] == "uv" else words[3:5]
            raise make_install_error(tool, answer, " ".join(call), cwd)
        return answer

    def _run_on_host(
        self, words: tuple[str, ...], cwd: Path, tool: InstallerChoice = PIP
    ) -> CompletedProcess:
        tool_variables = {**self.versions, **dict(tool.variables)}
        return self.host.run_process(
            Invocation(
                argv=words,
                cwd=cwd,
                environment=tuple(sorted({**tool_variables, **self.variables, **_PLAIN}.items())),
                timeout_seconds=_SECONDS,
            )
        )


def _split_option(text: str) -> tuple[str, ...]:
    """Return a requirement, or an option of pip and its value apart (`-r file`)."""
    match = _OPTION.fullmatch(text)
    return (match[1], match[2]) if match else (text,)


def required_python(tree: Path) -> str:
    """Return the versions of Python that a project declares (`>=3.12`), empty where it does not."""
    document = read_toml(tree / "pyproject.toml")
    declared = find_table(document, "project").get("requires-python")
    if isinstance(declared, str) or (declared := _read_poetry_python(document)):
        return declared
    if match := _OF_SETUP_CFG.search(read_file_head(tree / "setup.cfg")):
        return match[1].decode(errors="replace").strip()
    return _read_setup_script(tree / "setup.py")


def satisfies_requirement(version: str, required: str) -> bool:
    """Tell whether a version is among those required; what cannot be read is left to installers."""
    try:
        return SpecifierSet(required).contains(version.rpartition(" ")[2], prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return True


def _read_poetry_python(document: Any) -> str:
    """Return the versions that poetry's table declares, in pip's notation; empty where it cannot.

    A caret allows what keeps the first number, a tilde what keeps the second one.
    """
    for key in ("tool", "poetry", "dependencies", "python"):
        document = document.get(key) if isinstance(document, dict) else None
    if not isinstance(document, str) or "|" in document:
        return ""
    return ",".join(filter(None, map(_convert_poetry_range, document.split(","))))


def _convert_poetry_range(text: str) -> str:
    text = text.strip()
    match = _POETRY_RANGE.fullmatch(text)
    if match is None:
        return "" if text == "*" else text
    major, minor = int(match[2]), match[3]
    keeps_minor = match[1] == "~" and minor is not None
    end = f"{major}.{int(minor) + 1}" if keeps_minor else f"{major + 1}"
    return f">={text[1:].strip()},<{end}"


def _read_setup_script(script: Path) -> str:
    try:
        nodes = ast.walk(ast.parse(read_file_head(script)))
        return next((requirement for node in nodes if (requirement := _read_declaration(node))), "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _read_declaration(node: ast.AST) -> str:
    if isinstance(node, ast.keyword) and node.arg == "python_requires":
        value = getattr(node.value, "value", None)
        return value if isinstance(value, str) else ""
    return ""
