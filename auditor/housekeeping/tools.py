"""Which tools are here, whether they are new enough, and how to get them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import MachineError, ToolMissing
from auditor.core.jobs import Invocation
from auditor.core.ports import Host

_SECONDS = 60.0
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")
"""Java announces them in front of its version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredTool:
    """A program: `oldest` is the least version, `debian` and `macos` say how to get it."""

    name: str
    argument: str
    oldest: tuple[int, ...]
    purpose: str
    debian: str
    macos: str


TOOLS = (
    RequiredTool(
        name="go",
        argument="version",
        oldest=(1, 20),
        purpose="Go suites",
        debian="apt install golang-go, or an archive from go.dev/dl where that is too old",
        macos="brew install go",
    ),
    RequiredTool(
        name="java",
        argument="-version",
        oldest=(17,),
        purpose="JMH suites",
        debian="apt install openjdk-17-jdk-headless",
        macos="brew install openjdk@17 and set JAVA_HOME",
    ),
    RequiredTool(
        name="javac",
        argument="-version",
        oldest=(17,),
        purpose="JMH suites",
        debian="apt install openjdk-17-jdk-headless",
        macos="brew install openjdk@17 and set JAVA_HOME",
    ),
    RequiredTool(
        name="mvn",
        argument="-version",
        oldest=(3, 6),
        purpose="JMH suites",
        debian="apt install maven",
        macos="brew install maven",
    ),
    RequiredTool(
        name="python3",
        argument="--version",
        oldest=(3, 9),
        purpose="Python suites",
        debian="apt install python3-venv",
        macos="brew install python",
    ),
    RequiredTool(
        name="git",
        argument="--version",
        oldest=(2, 20),
        purpose="subjects git:...",
        debian="apt install git",
        macos="brew install git",
    ),
)

HARNESSES = {"go": ("go",), "jmh": ("java", "javac", "mvn"), "pytest": ("python3",)}
"""The tools that each harness needs."""


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A tool as it is here: its version if it answered, and what is wrong with it."""

    tool: RequiredTool
    version: str | None
    problem: str | None


def check_tool(
    tool: RequiredTool, host: Host, environment: Mapping[str, str], folder: Path
) -> ToolCheck:
    """Ask a tool for its version; `folder` takes what it may want to write."""
    program = tool.name
    if tool.name in ("java", "javac") and environment.get("JAVA_HOME"):
        program = f"{environment['JAVA_HOME']}/bin/{tool.name}"
    invocation = Invocation(
        argv=(program, tool.argument),
        cwd=Path("/"),
        environment=_quiet(environment, folder),
        timeout_seconds=_SECONDS,
    )
    try:
        answer = host.run(invocation)
    except ToolMissing:
        return ToolCheck(
            tool, None, f"{program} was not found" if program != tool.name else "missing"
        )
    except MachineError as error:
        return ToolCheck(tool, None, str(error))
    said = _COLOURS.sub("", (answer.stdout + answer.stderr).decode(errors="replace"))
    version = re.search(r"\d+(\.\d+)+|\d{2}", said)
    if answer.exit_code != 0 or version is None:
        return ToolCheck(tool, None, f"does not work: {answer.tail(1) or 'no answer'}")
    numbers = tuple(int(number) for number in version[0].split("."))
    old = f"too old, {'.'.join(map(str, tool.oldest))} is needed" if numbers < tool.oldest else None
    return ToolCheck(tool, version[0], old)


def _quiet(environment: Mapping[str, str], folder: Path) -> tuple[tuple[str, str], ...]:
    """Keep counters that tools make of their use out of the user's configuration folder."""
    kept = {key: value for key, value in environment.items() if key not in _JAVA_OPTIONS}
    return tuple(sorted({**kept, "XDG_CONFIG_HOME": str(folder / "config")}.items()))


def usable_harnesses(found: Mapping[str, ToolCheck]) -> dict[str, bool]:
    """Say which harnesses have all they need."""
    return {
        harness: all(found[name].problem is None for name in needed)
        for harness, needed in HARNESSES.items()
    }
