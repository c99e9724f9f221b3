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
    """Settings of the containers."""

    image: str | None  # None, as is `dockerfile`: an image of ours
    dockerfile: Path | None  # if relative, a file of the subject; None: `image` decides
    cpus: str  # processors that containers run on, such as "2-3"; empty: all
    memory: int | None  # bytes that a container may have; None: three quarters of the machine's
    processes: int  # processes and threads that a container may have
    network: str  # while a subject is fetched and built
    environment: tuple[str, ...]  # names of variables that containers get


@dataclass(frozen=True, slots=True, kw_only=True)
class SshSpec:
    """A machine that is reached over ssh."""

    target: str  # what ssh is called with
    folder: Path | None  # one on both machines; None: of our choice
    path: tuple[str, ...]  # folders of programs on the other machine
    cpus: str  # processors that jobs run on, such as "2-3"; empty: all
    environment: tuple[str, ...]  # names of variables that jobs get
    patience_seconds: float  # how long a lost connection is retried


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
    """A cluster that is made for an audit."""

    cluster: str  # dotted name of its class
    options: Mapping[str, Any] = field(repr=False)  # arguments of that class
    workers: int | None  # number of machines beside the scheduler's; None: the options say it
    listed_by: tuple[str, ...]  # command that prints our machines
    removed_by: tuple[str, ...]  # command that ends them
    environment: tuple[str, ...]  # names of variables that both commands get
    hourly: float | None  # price of a machine for an hour; None: unknown
    most_seconds: float  # after which the cluster is over
