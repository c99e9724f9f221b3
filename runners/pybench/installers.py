"""What fills an environment: uv or pip, which of them is taken, and what they say if they fail."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing
from auditor.core.jobs import Completed
from auditor.core.request import Installer

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
_AWAY = re.compile(
    r"(No matching distribution found for .*|Could not find a version .*|"
    r"Failed to establish a new connection.*|Temporary failure in name resolution.*|"
    r"Failed to fetch: .*|.* (?:was|were) not found in the (?:package registry|cache).*|"
    r".*there (?:is|are) (?:no|only the following) versions? of .*)"
)
_CHATTER = ("subprocess-exited-with-error",)
_ERROR = re.compile(r"^[ \t]*(?:ERROR|error): (.*)$", re.MULTILINE)
_CAUSE = re.compile(r"^(?:error: | *cause: | *\u00d7 | *[├╰]─▶ )(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class InstallerChoice:
    """The installer that is taken, uv's version, and variables that it is to have."""

    installer: Installer
    version: str = ""
    variables: tuple[tuple[str, str], ...] = ()


PIP = InstallerChoice(Installer.PIP)


def uv_version(answer: Completed) -> str:
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


def pip_settings(answer: Completed) -> dict[str, str]:
    """Return the settings that `pip config list` tells; none where there is no pip."""
    return dict(_SETTING.findall(answer.stdout.decode(errors="replace")))


def failure(tool: InstallerChoice, answer: Completed, what: str) -> BuildFailed | ResolveFailed:
    """Return the error that a failed call means; `what` is the call, in a few words."""
    output = (answer.stderr + b"\n" + answer.stdout).decode(errors="replace")
    if away := _AWAY.search(output):
        why = away[1].strip().removeprefix("cause: ")
        return ResolveFailed(
            f"the environment: {why[:300]}; check the name, the network and "
            f"{tool.installer}'s index"
        )
    if tool.installer is Installer.UV and (causes := _causes(output)):
        return BuildFailed(f"the environment: {what}: {': '.join(causes)[:1500]}")
    errors = [line.strip() for line in _ERROR.findall(output) if line.strip() not in _CHATTER]
    return BuildFailed(
        f"the environment: {what} ended with {answer.exit_code}; it said:\n"
        f"{chr(10).join(errors[:6])[:1500] or answer.tail()}"
    )


def _causes(output: str) -> list[str]:
    """Return uv's error and its causes, and what a build of the project said last."""
    told, *_ = output.partition("\nhint: ")
    causes = [line.strip() for line in _CAUSE.findall(told)]
    _, _, built = told.partition("[stderr]")
    lines = [line.strip(" │") for line in built.splitlines()]
    return [*causes, *[line for line in lines if line][-1:]]
