"""The Java that runs the subject: that of the build, or an older one that the user names."""

from dataclasses import dataclass
from pathlib import Path

from auditor.core.ports import Host
from runners.jmh.jdk import ask_version, find_jdk, java_feature

LEAST = 8
_ADVICE = f"name the folder of a JDK {LEAST} or newer, whose bin holds java"


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """One Java: its program, all that it says of itself, and its number, 8 or 17, say."""

    program: str
    version: str
    feature: int


def find_java(
    java_home: Path | None, host: Host, environment: tuple[tuple[str, str], ...]
) -> JavaRuntime:
    """Return the Java below a folder, without one that of JAVA_HOME or PATH.

    Raises ToolMissing where there is none, or none that is new enough.
    """
    if java_home is None:
        jdk = find_jdk(host, environment)
        return JavaRuntime(jdk.java, jdk.version, jdk.feature)
    program = str(java_home.absolute() / "bin" / "java")
    version = ask_version(host, program, environment, _ADVICE)
    return JavaRuntime(program, version, java_feature(program, version, LEAST, _ADVICE))
