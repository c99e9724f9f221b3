"""What a host is like that is asked for."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerSpec:
    """What containers are like. `image` and `dockerfile` are both None for one of ours.

    `memory` is in bytes, None for most of the machine's; `environment` names variables.
    """

    image: str | None
    dockerfile: Path | None
    cpus: str
    memory: int | None
    processes: int
    network: str
    environment: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SshSpec:
    """A machine that is reached over ssh; `target` is what ssh is called with.

    `folder` is one on both machines, None for one of our choice; `path` are folders of programs
    there; `environment` names variables; a lost connection is made again for `patience_seconds`.
    """

    target: str
    folder: Path | None
    path: tuple[str, ...]
    cpus: str
    environment: tuple[str, ...]
    patience_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DaskSpec:
    """A cluster by the address of its scheduler; without a worker it is left after a while.

    `crowded`: several workers may be on one machine.
    """

    scheduler: str
    patience_seconds: float
    crowded: bool
