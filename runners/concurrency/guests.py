"""The Java guest of concurrent tests: what runs them, and what tries them while they are made."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from auditor.core.errors import MachineError
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.jmh.javac import Javac, pack_jar, read_sources, write_sources

RUNTIME = "benchaudit/race/"
"""What tests need to run; it is handed out with them."""


@dataclass(frozen=True, slots=True)
class ConcurrencyGuest:
    """The compiled guest."""

    jar: Path


def read_guest_sources() -> Mapping[str, bytes]:
    """Return the guest's Java files by their paths."""
    return read_sources(resources.files("runners.concurrency") / "guest")


def prepare_guests(home: HomeFolder, javac: Javac) -> ConcurrencyGuest:
    """Compile the guest, once for each compiler and release."""
    files = read_guest_sources()
    sha = hashlib.sha256(f"{javac.jdk.version}\0{javac.release}\0".encode())
    for name in sorted(files):
        sha.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    tools = home.make_tool_folder("race-guest")
    path = tools / f"{sha.hexdigest()[:24]}.jar"
    with home.lock_folder(tools):
        if not path.is_file():
            with home.make_scratch_folder() as scratch, convert_write_errors(path):
                _compile_guest(files, javac, scratch)
                pack_jar(scratch / "classes", scratch / "guest.jar")
                (scratch / "guest.jar").rename(path)
    return ConcurrencyGuest(path)


def _compile_guest(files: Mapping[str, bytes], javac: Javac, scratch: Path) -> None:
    write_sources(files, scratch / "sources")
    answer = javac.compile_files(sorted(files), scratch / "sources", scratch / "classes", ())
    if answer.exit_code != 0:
        raise MachineError(
            f"the Java guest does not compile with {javac.jdk.javac}; its output:\n"
            f"{answer.format_tail()}"
        )
