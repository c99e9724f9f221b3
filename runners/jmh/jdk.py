"""The JDK that a subject is built and run with."""

import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from auditor.core.errors import ToolMissing
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from runners.hosts.variables import of_installers

LEAST = 17
_ADVICE = f"install a JDK {LEAST} or newer, or set JAVA_HOME to one"
# They would change every Java process, ours and the subject's, without appearing in the request.
_HIDDEN = frozenset(("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"))
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Jdk:
    """Programs of one JDK.

    `version` is the whole text that it gives of itself, `feature` its number, such as 17.
    """

    java: str
    javac: str
    version: str
    feature: int


def java_environment(environment: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the environment without what silently changes Java processes, or is Python's.

    For those that list, compile or measure; Maven gets the user's own, to reach its repositories.
    """
    hidden = {key for key, _ in environment if key in _HIDDEN or of_installers(key)}
    return tuple(sorted((key, value) for key, value in environment if key not in hidden))


def find_jdk(host: Host, environment: tuple[tuple[str, str], ...]) -> Jdk:
    """Find the JDK of JAVA_HOME, else of PATH; raises ToolMissing for none and for an old one."""
    home = dict(environment).get("JAVA_HOME")
    java, javac = (f"{home}/bin/{name}" if home else name for name in ("java", "javac"))
    output = ask_version(host, java, environment, _ADVICE)
    ask_version(host, javac, environment, _ADVICE)
    return Jdk(java, javac, output, java_feature(java, output, LEAST, _ADVICE))


def java_feature(program: str, output: str, least: int, advice: str) -> int:
    """Return the number of the Java that said this of itself.

    Raises ToolMissing with `advice` where it says none, or one below `least`.
    """
    match = re.search(r'version "(?:1\.)?(\d+)[^"]*"', output)
    if not match:
        raise ToolMissing(f"{program} -version gave no version: {output[:80]!r}; {advice}")
    if int(match[1]) < least:
        raise ToolMissing(f"{program} is version {match[1]}, too old; {advice}")
    return int(match[1])


def ask_version(
    host: Host, program: str, environment: tuple[tuple[str, str], ...], advice: str
) -> str:
    """Return what a program of a JDK says of its version.

    Raises ToolMissing with `advice` where there is none, or one that fails.
    """
    job = Invocation(
        argv=(program, "-version"),
        cwd=Path("/"),
        environment=java_environment(environment),
        timeout_seconds=_SECONDS,
    )
    try:
        answer: CompletedProcess = host.run_process(job)
    except ToolMissing as error:
        raise ToolMissing(f"{program} was not found; {advice}") from error
    if answer.exit_code != 0:
        raise ToolMissing(f"{program} -version failed: {answer.format_tail(2)}; {advice}")
    return (answer.stderr + answer.stdout).decode(errors="replace").strip()


_COMPILE_SECONDS = 300
BRIEF = ("-J-XX:+IgnoreUnrecognizedVMOptions", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")
"""For a JVM that runs for a second: what its second compiler finds out never pays."""


def read_sources(folder: Traversable, path: str = "") -> dict[str, bytes]:
    """Return the Java files below a folder by their paths in it."""
    sources: dict[str, bytes] = {}
    for entry in folder.iterdir():
        name = f"{path}{entry.name}"
        if entry.is_dir():
            sources |= read_sources(entry, f"{name}/")
        elif name.endswith(".java"):
            sources[name] = entry.read_bytes()
    return sources


def write_sources(sources: Mapping[str, bytes], folder: Path) -> None:
    """Write Java files below a folder."""
    for name, content in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@dataclass(frozen=True, slots=True)
class Javac:
    """A compiler; `release` is the oldest JVM that what it makes runs in."""

    host: Host
    environment: tuple[tuple[str, str], ...]
    jdk: Jdk
    release: str

    def compile_files(
        self, files: Sequence[str], cwd: Path, classes: Path, class_path: Sequence[Path]
    ) -> CompletedProcess:
        """Compile files of a folder into another one, which is made."""
        path = ":".join(map(str, class_path))
        argv = (
            self.jdk.javac, *BRIEF, "-J-Duser.language=en",
            "--release", self.release, "-proc:none", "-nowarn", "-Xlint:-options",
            "-encoding", "UTF-8", "-classpath", path or str(classes), "-d", str(classes), *files,
        )  # fmt: skip
        return self.host.run_process(
            Invocation(
                argv=argv, cwd=cwd, environment=self.environment, timeout_seconds=_COMPILE_SECONDS
            )
        )


def pack_jar(classes: Path, jar_path: Path, manifest: str = "") -> None:
    """Pack the classes of a folder."""
    with zipfile.ZipFile(jar_path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\n{manifest}\n")
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes).as_posix())
