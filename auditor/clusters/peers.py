"""What workers of a cluster have of each other: programs, so that each is built once."""

import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from auditor.clusters.question import WorkerQuestion
from auditor.core.errors import MachineError

_SECONDS = 20.0
"""How long a program may take on its way; after that it is built here."""

ProgramReader = Callable[[str, str, str, str], bytes | None]
"""What a worker answers: the program of a session, a project's digest and a path of its builds, if
its C library is like that of who asks: programs may be linked with it."""


def read_c_library() -> str:
    """Return the C library of this machine, and its version."""
    return " ".join(platform.libc_ver())


class ProgramPeers:
    """The workers that have built what this one is about to build, as told with each trial."""

    def __init__(self, session: str, digest: str, made: ProgramReader) -> None:
        """Take whose builds are meant, and what the others are asked."""
        self._session = session
        self._digest = digest
        self._made = made
        self.makers: Sequence[str] = ()

    def fetch_program(self, path: Path) -> bytes | None:
        """Return what one of them has at this path of its builds; None: it has to be built."""
        if not self.makers:
            return None
        from distributed import get_client  # noqa: PLC0415 an extra, and slow to import

        words = (self._session, self._digest, str(path), read_c_library())
        for worker in self.makers:
            try:
                question = WorkerQuestion(get_client(), self._made, [worker], *words)
                chunk: bytes | None = question.wait_for_answer(_SECONDS)[worker]
            except (OSError, ValueError, KeyError, MachineError):  # to build it is no great loss
                continue
            if chunk is not None:
                return chunk
        return None
