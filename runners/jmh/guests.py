"""Our Java code that runs in the subject's processes, compiled on this machine."""

import hashlib
import shutil
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from auditor.core.errors import MachineError
from auditor.core.ports import Host
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.jmh.build.maven import Maven, fetch_jar, file_digest
from runners.jmh.jdk import (
    Javac,
    Jdk,
    find_jdk,
    java_environment,
    pack_jar,
    read_sources,
    write_sources,
)
from runners.jmh.sampling import SamplerMaker

ASM = "org.ow2.asm:asm:9.9"
"""The byte-code library of the agent; it is fetched, not shipped, and reads classes of Java 26."""
_ASM_SHA256 = "03d99a74ad1ee5c71334ef67437f4ef4fe3488caa7c96d8645abc73c8e2017d4"
_RELEASE = "11"
_MANIFESTS = {"agent": "Premain-Class: benchaudit.agent.Premain\n"}


@dataclass(frozen=True, slots=True)
class JmhGuest:
    """Where the compiled guest is; all its jars lie in one folder."""

    folder: Path
    unsampled: str = ""
    """Why the folder has no sampling profiler, for users; empty if nobody tried to add one."""

    @property
    def sampler_folder(self) -> Path:
        """Return the folder of the sampling profiler; absent where the JVM cannot be sampled."""
        return self.folder / "sampler"

    @property
    def agent_jar(self) -> Path:
        """Return the agent: the other jars that it needs lie beside it."""
        return self.folder / "agent.jar"

    @property
    def benchmark_class_path(self) -> tuple[Path, ...]:
        """Return what goes at the end of the benchmarks' class path."""
        return self.folder / "jmh.jar", self.folder / "boot.jar"

    @property
    def lister_class_path(self) -> tuple[Path, ...]:
        """Return the class path of the program that lists classes."""
        return tuple(self.folder / f"{name}.jar" for name in ("weaver", "boot", "asm"))


def prepare_guests(
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    jmh_core_jar: Path | None,
) -> JmhGuest:
    """Compile the guest against the subject's own JMH, once for each JDK and each JMH.

    Without one the guest has no launcher of benchmarks.

    Raises ToolMissing without a JDK, and ResolveFailed when the byte-code library cannot be had.
    """
    jdk = find_jdk(host, environment)
    sources = read_sources(resources.files("runners.jmh") / "guest")
    tools = home.make_tool_folder("java-guest")
    folder = tools / _make_cache_key(sources, jdk, jmh_core_jar)
    maven = Maven(home=home, host=host, environment=environment)
    sampler = SamplerMaker(maven, host, environment, jdk)
    with home.lock_folder(tools):
        if folder.is_dir():
            return _add_sampler(folder, sampler, jmh_core_jar)
        asm = fetch_jar(maven, ASM, _ASM_SHA256, "the Java agent")
        javac = Javac(host, java_environment(environment), jdk, _RELEASE)
        compiler = _GuestCompiler(javac, asm, jmh_core_jar)
        with home.make_scratch_folder() as scratch, convert_write_errors(folder):
            path = compiler.compile_guest(sources, scratch)
            shutil.copyfile(asm, path / "asm.jar")
            path.rename(folder)
        return _add_sampler(folder, sampler, jmh_core_jar)


def _add_sampler(folder: Path, sampler: SamplerMaker, jmh: Path | None) -> JmhGuest:
    """Return the guest with a sampling profiler, if it launches benchmarks."""
    guests = JmhGuest(folder)
    return guests if jmh is None else JmhGuest(folder, sampler.make_sampler(guests.sampler_folder))


def _make_cache_key(sources: dict[str, bytes], jdk: Jdk, jmh: Path | None) -> str:
    sha = hashlib.sha256(f"{jdk.version}\0{_ASM_SHA256}\0{_RELEASE}\0".encode())
    for name in sorted(sources):
        sha.update(f"{name}\0{len(sources[name])}\0".encode() + sources[name])
    sha.update(file_digest(jmh).encode() if jmh else b"")
    return sha.hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class _GuestCompiler:
    javac: Javac
    asm: Path
    jmh: Path | None

    def compile_guest(self, sources: dict[str, bytes], scratch: Path) -> Path:
        """Return a folder of jars, one for each module of the guest, in the order they need."""
        path = scratch / "jars"
        path.mkdir()
        write_sources(sources, scratch / "sources")
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
            compiled = self.javac.compile_files(files, scratch / "sources", classes, class_path)
            if compiled.exit_code != 0:
                raise MachineError(
                    f"the Java guest does not compile with {self.javac.jdk.javac}; it said:\n"
                    f"{compiled.format_tail()}"
                )
            pack_jar(classes, path / f"{module}.jar", _MANIFESTS.get(module, ""))
        return path
