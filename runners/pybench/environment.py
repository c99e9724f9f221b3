"""A virtual environment for one revision of a Python project, or an interpreter of the user's."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing, UsageError
from auditor.core.jobs import Completed, Invocation
from auditor.core.ports import Host
from auditor.core.request import PythonSpec

OLDEST = (3, 9)
_SECONDS = 1800
_VERSION = (
    "import platform, sys; print(sys.implementation.name, platform.python_version(), "
    "sys.executable, sep='\\t')"
)
_INSTALLED = """from importlib.metadata import distributions
found = {f"{one.metadata['Name']}=={one.version}" for one in distributions()}
print(*sorted(found), sep="\\n")"""
_AWAY = re.compile(
    r"(No matching distribution found for .*|Could not find a version .*|"
    r"Failed to establish a new connection.*|Temporary failure in name resolution.*)"
)
_CHATTER = ("subprocess-exited-with-error",)
_ERROR = re.compile(r"^\s*(?:ERROR|error): (.*)$", re.MULTILINE)
# A copy has no repository to ask for a version; it is to be no older than what others need of it.
_VERSIONS = {
    "SETUPTOOLS_SCM_PRETEND_VERSION": "9999.0",
    "PDM_BUILD_SCM_VERSION": "9999.0",
    "PBR_VERSION": "9999.0",
}
_PLAIN = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONSAFEPATH": "1",
}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that was asked who it is, and what is installed there (`name==version`)."""

    path: Path
    version: str
    installed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environments:
    """Makes environments; `variables` is what the user has, `python` what the user asks for."""

    host: Host
    variables: Mapping[str, str]
    python: PythonSpec

    def base(self, cwd: Path) -> Interpreter:
        """Ask the interpreter for its version; raises where it is missing or too old."""
        path = self.python.interpreter or "python3"
        try:
            answer = self._answer((path, "-I", "-c", _VERSION), cwd)
        except ToolMissing as error:
            raise ToolMissing(f"{path} was not found; install Python 3.9 or newer") from error
        fields = answer.stdout.decode(errors="replace").strip().split("\t")
        if answer.exit_code != 0 or len(fields) != 3:
            raise UsageError(f"{path} is no Python interpreter: {answer.tail(1)}")
        name, version, where = fields
        if tuple(int(one) for one in re.findall(r"\d+", version)[:2]) < OLDEST:
            raise UsageError(f"{path} is Python {version}; 3.9 or newer is needed")
        return Interpreter(Path(where), version if name == "cpython" else f"{name} {version}")

    def made(self, base: Interpreter, tree: Path, folder: Path, requirement: str) -> Path:
        """Make an environment with the project and what it asks for; return its interpreter.

        The project is installed editable, so that the tree is the one place of its code.
        """
        venv = folder / "venv"
        own = str(venv / "bin" / "python")
        extras = f"[{','.join(self.python.extras)}]" if self.python.extras else ""
        groups = [word for name in self.python.groups for word in ("--group", name)]
        install = (own, "-m", "pip", "install", "--quiet")
        self._run((str(base.path), "-m", "venv", "--clear", str(venv)), tree)
        if groups:
            self._run((*install, "pip>=25.1"), tree)
        wanted = (*groups, *self.python.requirements, requirement)
        self._run((*install, "--editable", f".{extras}", *wanted), tree)
        return Path(own)

    def installed(self, found: Interpreter, cwd: Path) -> tuple[str, ...]:
        """Return the distributions that an interpreter has, as `name==version`, in order."""
        answer = self._run((str(found.path), "-c", _INSTALLED), cwd)
        return tuple(answer.stdout.decode(errors="replace").split())

    def _run(self, words: tuple[str, ...], cwd: Path) -> Completed:
        answer = self._answer(words, cwd)
        if answer.exit_code != 0:
            raise _failure(answer, " ".join(words[1:4]))
        return answer

    def _answer(self, words: tuple[str, ...], cwd: Path) -> Completed:
        # A source distribution says its version itself, and others may need it to be that.
        made_up = {} if (cwd / "PKG-INFO").is_file() else _VERSIONS
        return self.host.run(
            Invocation(
                argv=words,
                cwd=cwd,
                environment=tuple(sorted({**made_up, **self.variables, **_PLAIN}.items())),
                timeout_seconds=_SECONDS,
            )
        )


def _failure(answer: Completed, what: str) -> BuildFailed | ResolveFailed:
    said = (answer.stderr + b"\n" + answer.stdout).decode(errors="replace")
    if away := _AWAY.search(said):
        return ResolveFailed(
            f"the environment: {away[1].strip()[:300]}; check the name, the network and pip's index"
        )
    errors = [line.strip() for line in _ERROR.findall(said) if line.strip() not in _CHATTER]
    return BuildFailed(
        f"the environment: {what} ended with {answer.exit_code}; it said:\n"
        f"{chr(10).join(errors[:6])[:1500] or answer.tail()}"
    )
