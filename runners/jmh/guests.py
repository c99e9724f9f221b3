"""Our Java code that runs in the subject's processes, compiled on this machine."""

import hashlib
import shutil
import zipfile
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from auditor.core.errors import MachineError
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from runners.home import Home
from runners.hosts.disk import writing
from runners.jmh.jdk import Jdk, find_jdk, java_environment
from runners.jmh.maven import Maven, fetched, file_digest

ASM = "org.ow2.asm:asm:9.9"
"""The byte-code library of the agent; it is fetched, not shipped, and reads classes of Java 26."""
_ASM_SHA256 = "03d99a74ad1ee5c71334ef67437f4ef4fe3488caa7c96d8645abc73c8e2017d4"
_RELEASE = "11"
_MANIFESTS = {"agent": "Premain-Class: benchaudit.agent.Premain\n"}
_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Guests:
    """Where the compiled guest is; all its jars lie in one folder."""

    folder: Path

    @property
    def agent(self) -> Path:
        """Return the agent: the other jars that it needs lie beside it."""
        return self.folder / "agent.jar"

    @property
    def in_benchmarks(self) -> tuple[Path, ...]:
        """Return what goes at the end of the benchmarks' class path."""
        return self.folder / "jmh.jar", self.folder / "boot.jar"

    @property
    def lister(self) -> tuple[Path, ...]:
        """Return the class path of the program that lists classes."""
        return tuple(self.folder / f"{name}.jar" for name in ("weaver", "boot", "asm"))


def prepare_guests(
    *, home: Home, host: Host, environment: tuple[tuple[str, str], ...], jmh_core_jar: Path | None
) -> Guests:
    """Compile the guest against the subject's own JMH, once for each JDK and each JMH.

    Without one the guest has no launcher of benchmarks.

    Raises ToolMissing without a JDK, and ResolveFailed when the byte-code library cannot be had.
    """
    jdk = find_jdk(host, environment)
    sources = _sources(resources.files("runners.jmh") / "guest")
    tools = home.tools("java-guest")
    folder = tools / _key(sources, jdk, jmh_core_jar)
    with home.locked(tools):
        if folder.is_dir():
            return Guests(folder)
        maven = Maven(home=home, host=host, environment=environment)
        asm = fetched(maven, ASM, _ASM_SHA256, "the Java agent")
        compiler = _Compiler(host, java_environment(environment), jdk, asm, jmh_core_jar)
        with home.scratch() as scratch, writing(folder):
            made = compiler.compile(sources, scratch)
            shutil.copyfile(asm, made / "asm.jar")
            made.rename(folder)
    return Guests(folder)


def _sources(folder: Traversable, path: str = "") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for each in folder.iterdir():
        name = f"{path}{each.name}"
        if each.is_dir():
            found |= _sources(each, f"{name}/")
        elif name.endswith(".java"):
            found[name] = each.read_bytes()
    return found


def _key(sources: dict[str, bytes], jdk: Jdk, jmh: Path | None) -> str:
    sha = hashlib.sha256(f"{jdk.version}\0{_ASM_SHA256}\0{_RELEASE}\0".encode())
    for name in sorted(sources):
        sha.update(f"{name}\0{len(sources[name])}\0".encode() + sources[name])
    sha.update(file_digest(jmh).encode() if jmh else b"")
    return sha.hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class _Compiler:
    host: Host
    environment: tuple[tuple[str, str], ...]
    jdk: Jdk
    asm: Path
    jmh: Path | None

    def compile(self, sources: dict[str, bytes], scratch: Path) -> Path:
        """Return a folder of jars, one for each module of the guest, in the order they need."""
        made = scratch / "jars"
        made.mkdir()
        for name, data in sources.items():
            path = scratch / "sources" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        boot = scratch / "boot"
        needs: dict[str, tuple[Path, ...]] = {
            "boot": (),
            "agent": (boot,),
            "weaver": (boot, self.asm),
        }
        if self.jmh is not None:
            needs["jmh"] = boot, self.jmh
        for module, class_path in needs.items():
            classes = scratch / module
            files = [name for name in sorted(sources) if name.startswith(f"{module}/")]
            self._javac(files, classes, class_path, scratch / "sources")
            _jar(classes, made / f"{module}.jar", _MANIFESTS.get(module, ""))
        return made

    def _javac(
        self, files: list[str], classes: Path, class_path: tuple[Path, ...], cwd: Path
    ) -> None:
        path = ":".join(map(str, class_path))
        argv = (
            self.jdk.javac, "--release", _RELEASE, "-proc:none", "-nowarn", "-encoding", "UTF-8",
            "-classpath", path or str(classes), "-d", str(classes), *files,
        )  # fmt: skip
        answer = self.host.run(
            Invocation(argv=argv, cwd=cwd, environment=self.environment, timeout_seconds=_SECONDS)
        )
        if answer.exit_code != 0:
            raise MachineError(
                f"the Java guest does not compile with {self.jdk.javac}; it said:\n{answer.tail()}"
            )


def _jar(classes: Path, jar: Path, manifest: str) -> None:
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\n{manifest}\n")
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes).as_posix())
