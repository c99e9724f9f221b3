"""The Java guest of concurrent tests: what runs them, and what tries them while they are made."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from auditor.core.errors import MachineError
from runners.disk import writing
from runners.home import Home
from runners.jmh.javac import Javac, jar, read_sources, write_sources

RUNTIME = "benchaudit/race/"
"""What tests need to run; it is handed out with them."""


@dataclass(frozen=True, slots=True)
class ConcurrencyGuest:
    """The compiled guest."""

    jar: Path


def sources() -> Mapping[str, bytes]:
    """Return the guest's Java files by their paths."""
    return read_sources(resources.files("runners.concurrency") / "guest")


def prepare_guests(home: Home, javac: Javac) -> ConcurrencyGuest:
    """Compile the guest, once for each compiler and release."""
    files = sources()
    sha = hashlib.sha256(f"{javac.jdk.version}\0{javac.release}\0".encode())
    for name in sorted(files):
        sha.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    tools = home.tools("race-guest")
    path = tools / f"{sha.hexdigest()[:24]}.jar"
    with home.locked(tools):
        if not path.is_file():
            with home.scratch() as scratch, writing(path):
                _compile(files, javac, scratch)
                jar(scratch / "classes", scratch / "guest.jar")
                (scratch / "guest.jar").rename(path)
    return ConcurrencyGuest(path)


def _compile(files: Mapping[str, bytes], javac: Javac, scratch: Path) -> None:
    write_sources(files, scratch / "sources")
    answer = javac.run(sorted(files), scratch / "sources", scratch / "classes", ())
    if answer.exit_code != 0:
        raise MachineError(
            f"the Java guest does not compile with {javac.jdk.javac}; it said:\n{answer.tail()}"
        )
