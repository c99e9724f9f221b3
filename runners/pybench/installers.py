"""What fills an environment: uv or pip, which of them is taken, and what they say if they fail."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.caveats import list_some
from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing
from auditor.core.jobs import CompletedProcess
from auditor.core.request import Installer
from runners.pybench.library import read_file_head

OLDEST_UV = (0, 7)
"""The first one whose `uv pip install` knows dependency groups."""
_UV = re.compile(r"^uv (\d+(?:\.\d+)*)")
_SETTING = re.compile(r"^(?:global|install|:env:)\.([\w-]+)=.(.*).$", re.MULTILINE)
# What pip is told that changes neither what it installs nor where that comes from.
_HARMLESS = frozenset(
    {"break-system-packages", "cache-dir", "cert", "config-file", "default-timeout"}
    | {
        "disable-pip-version-check",
        "no-cache-dir",
        "no-color",
        "no-input",
        "progress-bar",
        "quiet",
        "require-virtualenv",
    }
    | {"retries", "root-user-action", "timeout", "verbose"}
)
_RESOLUTION_FAILURE = re.compile(
    r"(No matching distribution found for .*|Could not find a version .*|"
    r"Failed to establish a new connection.*|Temporary failure in name resolution.*|"
    r"Failed to fetch: .*|.* (?:was|were) not found in the (?:package registry|cache).*|"
    r".*there (?:is|are) (?:no|only the following) versions? of .*)"
)
_CHATTER = re.compile(r"Exception:|[a-z]+(?:-[a-z]+)+|Failed building .*")
"""Errors of pip that only say that there is one: `subprocess-exited-with-error`."""
_FRAME = re.compile(
    rf"[\u00d7│├╰\[]|Traceback |(?i:note|hint): |(?i:error): (?:{_CHATTER.pattern})$"
)
"""Beginnings of lines that pip writes around the output of a build."""
_OWN_BUILD = re.compile(
    r"Failed building editable for |Getting requirements to build editable did not run|"
    r"Preparing editable metadata .* did not run"
)
"""What pip says where the project itself cannot be built, whatever is installed beside it."""
_REASON = re.compile(
    r"^[ \t]*(\S.*fatal error: .*|(?:error|fatal): .*|\w+(?:\.\w+)*(?:Error|Exception): .*|"
    r"(?:\S.* )?(?:[Cc]ould not find|[Cc]annot find|[Ii]nstall|[Hh]int:) .*)$",
    re.MULTILINE,
)
"""Lines of a build that tell a cause or a remedy, among those of its calls."""
_BUILD_REMEDIES = (
    ("Multiple top-level", "name the packages in pyproject.toml, as packages of [tool.setuptools]"),
    ("not a git repository", "the copy has no .git: let its build have a version without git"),
)
"""What to do, by what a build says."""
_PROJECT_FILES = ("pyproject.toml", "setup.py")
_NO_PROJECT = "does not appear to be a Python project"
_MOST_REASONS = 3
_LONGEST_REASON = 250
_SUBMODULE = re.compile(r"^[ \t]*path[ \t]*=[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_ERROR = re.compile(r"^[ \t]*(?:ERROR|error): (.*)$", re.MULTILINE)
_CAUSE = re.compile(r"^(?:error: | *cause: | *\u00d7 | *[├╰]─▶ )(.*)$", re.MULTILINE)


class ProjectBuildFailed(BuildFailed):
    """The project itself cannot be built, whatever is installed beside it."""


@dataclass(frozen=True, slots=True)
class InstallerChoice:
    """The installer that is taken, uv's version, and variables that it is to have."""

    installer: Installer
    version: str = ""
    variables: tuple[tuple[str, str], ...] = ()


PIP = InstallerChoice(Installer.PIP)


def uv_version(answer: CompletedProcess) -> str:
    """Return the version that `uv --version` tells; empty if it is none that can be used."""
    match = _UV.match(answer.stdout.decode(errors="replace"))
    if answer.exit_code != 0 or match is None:
        return ""
    return match[1] if tuple(map(int, match[1].split("."))) >= OLDEST_UV else ""


def choose_installer(installer: Installer, version: str, pip: Mapping[str, str]) -> InstallerChoice:
    """Return what is to be used: `version` is uv's, empty if there is none, `pip` pip's settings.

    uv reads no settings of pip, and does with some of them (several indexes) something else. So
    pip stays where it is told what to install, or from where; a certificate uv can be handed.
    Raises ToolMissing where uv is asked for by name and is not there.
    """
    if installer is Installer.UV and not version:
        oldest = ".".join(map(str, OLDEST_UV))
        raise ToolMissing(f"uv {oldest} or newer was not found on PATH; install it, or choose pip")
    if not version or (installer is Installer.AUTO and pip.keys() - _HARMLESS):
        return PIP
    certificate = (("SSL_CERT_FILE", pip["cert"]),) if "cert" in pip else ()
    return InstallerChoice(Installer.UV, version, certificate)


def pip_settings(answer: CompletedProcess) -> dict[str, str]:
    """Return the settings that `pip config list` tells; none where there is no pip."""
    return dict(_SETTING.findall(answer.stdout.decode(errors="replace")))


def make_install_error(
    tool: InstallerChoice, answer: CompletedProcess, command: str, tree: Path
) -> BuildFailed | ResolveFailed:
    """Return the error that a failed call in a tree means; `command` is the call in few words."""
    output = (answer.stderr + b"\n" + answer.stdout).decode(errors="replace")
    if match := _RESOLUTION_FAILURE.search(output):
        reason = match[1].strip().removeprefix("cause: ")
        return ResolveFailed(
            f"the environment: {reason[:300]}; check the name, the network and "
            f"{tool.installer}'s index"
        )
    if reason := _explain_project_file(tree, output):
        return ProjectBuildFailed(f"the environment: {command}: {reason}")
    hint = _submodule_hint(tree)
    if tool.installer is Installer.UV and (causes := _extract_causes(output)):
        remedy = hint or _find_build_remedy(output)
        return BuildFailed(f"the environment: {command}: {': '.join(causes)[:1500]}{remedy}")
    if _OWN_BUILD.search(output):
        remedy = hint or _find_build_remedy(output) or "; install what its build needs"
        return ProjectBuildFailed(
            f"the environment: {command} cannot build the project: "
            f"{_extract_reasons(output) or _find_last_line(output)}{remedy}"
        )
    errors = [
        line.strip() for line in _ERROR.findall(output) if not _CHATTER.fullmatch(line.strip())
    ]
    reason = "\n".join(errors[:6])[:1500] or _extract_reasons(output) or answer.format_tail()
    return BuildFailed(
        f"the environment: {command} ended with {answer.exit_code}; it said:\n{reason}{hint}"
    )


def _explain_project_file(tree: Path, output: str) -> str:
    """Say what is wrong with the file that declares a project; empty where nothing is."""
    if _NO_PROJECT in output and not any((tree / name).is_file() for name in _PROJECT_FILES):
        return (
            "there is no pyproject.toml and no setup.py; add a pyproject.toml with "
            'build-system = {requires = ["setuptools"], build-backend = "setuptools.build_meta"}'
        )
    try:
        tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
    except OSError:
        return ""
    except (ValueError, RecursionError) as error:
        return f"pyproject.toml cannot be parsed: {error}; repair it"
    return ""


def _find_build_remedy(output: str) -> str:
    """Return what to do where a build says a well-known sentence; empty for others."""
    return next((f"; {remedy}" for text, remedy in _BUILD_REMEDIES if text in output), "")


def _find_last_line(output: str) -> str:
    """Return the last line that a build itself wrote."""
    lines = [line for text in output.splitlines() if (line := text.strip())]
    own_lines = [line for line in lines if not _FRAME.match(line)]
    return (own_lines or lines or ["it wrote nothing"])[-1][:_LONGEST_REASON]


def _extract_reasons(output: str) -> str:
    """Return the lines of a build that tell why it failed, the first ones."""
    lines = dict.fromkeys(line.strip()[:_LONGEST_REASON] for line in _REASON.findall(output))
    cause_lines = [
        line
        for line in lines
        if not re.search("CalledProcessError|Warning: ", line) and not _FRAME.match(line)
    ]
    return "; ".join(cause_lines[:_MOST_REASONS])


def _submodule_hint(tree: Path) -> str:
    """Say which submodules of a repository are not checked out; empty where all are."""
    paths = _SUBMODULE.findall(read_file_head(tree / ".gitmodules").decode(errors="replace"))
    missing = [path for path in paths if not any((tree / path).glob("*"))]
    if not missing:
        return ""
    return f"; submodules are not checked out ({list_some(missing)}): git submodule update --init"


def _extract_causes(output: str) -> list[str]:
    """Return uv's error and its causes, and what a build of the project said last."""
    message, *_ = output.partition("\nhint: ")
    causes = [line.strip() for line in _CAUSE.findall(message)]
    _, _, built = message.partition("[stderr]")
    lines = [text for line in built.splitlines() if (text := line.strip(" │"))]
    reasons = _extract_reasons("\n".join(lines))
    return [*causes, *([reasons] if reasons else lines[-1:])]
