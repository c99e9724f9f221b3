"""Java code of ours, compiled on this machine."""

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from runners.jmh.jdk import Jdk

_SECONDS = 300
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
    for name, data in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


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
            Invocation(argv=argv, cwd=cwd, environment=self.environment, timeout_seconds=_SECONDS)
        )


def pack_jar(classes: Path, jar_path: Path, manifest: str = "") -> None:
    """Pack the classes of a folder."""
    with zipfile.ZipFile(jar_path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\n{manifest}\n")
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes).as_posix())
