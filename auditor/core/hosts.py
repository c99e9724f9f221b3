"""What a host is like that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSpec:
    """The machine we are on."""

    cpus: str
    """Processors that jobs run on, such as "0,2-3"; empty: all."""
    environment: tuple[str, ...]
    """Names of variables that jobs get."""
    memory: int | None = None
    """Bytes that a job may have with all its processes; None: no limit."""
    processes: int | None = None
    """Processes and threads that a job may have; None: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerSpec:
    """What containers are like. `image` and `dockerfile` are both None for one of ours.

    A `dockerfile` that is no absolute path is a file of the subject.
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

    It is None where `rent`, a file, says how one is made for us. `crowded`: several workers may be
    on one machine.
    """

    scheduler: str | None
    rent: Path | None = None
    patience_seconds: float
    crowded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedSpec:
    """A cluster that is made for an audit: a class by its name, and what it is called with.

    `workers` is how many machines beside the scheduler's, None where the options say it. What
    `listed_by` prints are machines of ours, which `removed_by` ends; both get the variables named
    in `environment`. `hourly` is the price of a machine; after `most_seconds` it is over.
    """

    cluster: str
    options: Mapping[str, Any] = field(repr=False)
    workers: int | None
    listed_by: tuple[str, ...]
    removed_by: tuple[str, ...]
    environment: tuple[str, ...]
    hourly: float | None
    most_seconds: float
