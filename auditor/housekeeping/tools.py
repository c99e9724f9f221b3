"""Which tools are here, whether they are new enough, and how to get them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import MachineError, ToolMissing
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from auditor.languages.model import RequiredProgram
from auditor.languages.registry import LANGUAGES

_SECONDS = 60.0
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")
"""Java announces them in front of its version."""


_GIT = RequiredProgram(
    name="git",
    argument="--version",
    oldest=(2, 20),
    purpose="subjects git:...",
    debian="apt install git",
    macos="brew install git",
)
PROGRAMS = (*(program for language in LANGUAGES for program in language.programs), _GIT)


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A tool as it is here: its version if it answered, and what is wrong with it."""

    tool: RequiredProgram
    version: str | None
    problem: str | None


def check_tool(
    tool: RequiredProgram, host: Host, environment: Mapping[str, str], folder: Path
) -> ToolCheck:
    """Ask a tool for its version; `folder` takes what it may want to write."""
    program = tool.name
    if tool.name in ("java", "javac") and environment.get("JAVA_HOME"):
        program = f"{environment['JAVA_HOME']}/bin/{tool.name}"
    invocation = Invocation(
        argv=(program, tool.argument),
        cwd=Path("/"),
        environment=_isolate_environment(environment, folder),
        timeout_seconds=_SECONDS,
    )
    try:
        answer = host.run_process(invocation)
    except ToolMissing:
        return ToolCheck(
            tool, None, f"{program} was not found" if program != tool.name else "missing"
        )
    except MachineError as error:
        return ToolCheck(tool, None, str(error))
    text = _COLOURS.sub("", (answer.stdout + answer.stderr).decode(errors="replace"))
    version = re.search(r"\d+(\.\d+)+|\d{2}", text)
    if answer.exit_code != 0 or version is None:
        return ToolCheck(tool, None, f"does not work: {answer.format_tail(1) or 'no answer'}")
    numbers = tuple(int(number) for number in version[0].split("."))
    old = f"too old, {'.'.join(map(str, tool.oldest))} is needed" if numbers < tool.oldest else None
    return ToolCheck(tool, version[0], old)


def _isolate_environment(
    environment: Mapping[str, str], folder: Path
) -> tuple[tuple[str, str], ...]:
    """Keep counters that tools make of their use out of the user's configuration folder."""
    clean_environment = {
        key: value for key, value in environment.items() if key not in _JAVA_OPTIONS
    }
    return tuple(sorted({**clean_environment, "XDG_CONFIG_HOME": str(folder / "config")}.items()))


def usable_harnesses(checks: Mapping[str, ToolCheck]) -> dict[str, bool]:
    """Tell of each language's main harness whether all its programs are here."""
    return {
        language.main_harness: all(
            checks[program.name].problem is None for program in language.programs
        )
        for language in LANGUAGES
    }
