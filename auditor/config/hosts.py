"""Where a suite runs, as a configuration asks for it."""

import math
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from auditor.config import quantities, reading
from auditor.config.explaining import explain_error
from auditor.config.quantities import parse_size
from auditor.config.sections import (
    VARIABLE,
    DockerSection,
    Duration,
    LocalSection,
    Name,
    Section,
    SshSection,
)
from auditor.config.settings import Settings
from auditor.core.errors import UsageError
from auditor.core.hosts import DaskSpec, DockerSpec, LocalSpec, RentedSpec, SshSpec

_ID, _MACHINES = "{id}", "{machines}"
_DASK_CLASSES = ("dask.distributed.", "distributed.")
"""Classes of Dask itself rent nothing: they use machines that are there."""


class _RentalSection(Section, frozen=True, kw_only=True):
    """The content of a file that describes a rented cluster."""

    cluster: Annotated[str, Meta(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")]
    """Dotted name of the class of the cluster."""
    options: dict[str, Any] = msgspec.field(default_factory=dict)  # arguments of that class
    workers: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Number of machines; null: the options say it."""
    listed_by: tuple[Name, ...] = ()  # command that prints our machines
    removed_by: tuple[Name, ...] = ()  # command that ends them
    environment: tuple[Annotated[Name, Meta(pattern=VARIABLE)], ...] = ()
    """Variables that the commands and the class get."""
    hourly: Annotated[float, Meta(gt=0)] | None = None
    """Price of a machine for an hour; null: unknown."""
    most_time: Duration | None = None  # time after which the cluster is over; null: no limit
    most_money: Annotated[float, Meta(gt=0)] | None = None
    """Cost after which the cluster is over; null: no limit."""


OF_SUBJECT = "subject:"
"""What a Dockerfile's name begins with that is in the subject's tree."""


def local_spec(section: LocalSection) -> LocalSpec:
    """Return how this machine is used; raises ValueError."""
    return LocalSpec(
        cpus=section.cpus or "",
        environment=section.environment,
        memory=_parse_memory(section.memory, "local.memory"),
        processes=section.processes,
    )


def docker_spec(host: str, section: DockerSection, folder: Path) -> DockerSpec:
    """Return what containers are like, paths relative to `folder`; raises ValueError.

    An image behind "docker:" in `host` is taken in the place of the one in the section.
    """
    kind, _, image = host.partition(":")
    if kind == "docker" and image:
        section = msgspec.structs.replace(section, image=image, dockerfile=None)
    if section.image and section.dockerfile:
        raise ValueError("docker sets both image and dockerfile; keep one")
    return DockerSpec(
        image=section.image,
        dockerfile=_resolve_dockerfile(section.dockerfile, folder),
        cpus=section.cpus or "",
        memory=_parse_memory(section.memory, "docker.memory"),
        processes=section.processes,
        network=section.network,
        environment=section.environment,
    )


def _parse_memory(text: str | None, key: str) -> int | None:
    try:
        return None if text is None else parse_size(text)
    except ValueError as error:
        raise ValueError(f"{error} at {key}") from error


def _resolve_dockerfile(text: str | None, folder: Path) -> Path | None:
    """Return a path that is relative where it is one of the subject; raises ValueError."""
    if text is None:
        return None
    if not text.startswith(OF_SUBJECT):
        return (folder / Path(text).expanduser()).absolute()
    inside = Path(text.removeprefix(OF_SUBJECT))
    if inside == Path() or inside.is_absolute() or ".." in inside.parts:
        raise ValueError(
            f"docker.dockerfile is {text!r}, which is not a file of the subject; write "
            f"{OF_SUBJECT}Dockerfile, say"
        )
    return inside


def ssh_spec(host: str, section: SshSection) -> SshSpec:
    """Return the machine behind "ssh:TARGET", and how it is used; raises ValueError."""
    try:
        patience = quantities.parse_duration(section.patience)
    except ValueError as error:
        raise ValueError(f"{error} at ssh.patience") from error
    return SshSpec(
        target=host.partition(":")[2],
        folder=Path(section.folder) if section.folder else None,
        path=section.path,
        cpus=section.cpus or "",
        environment=section.environment,
        patience_seconds=patience,
    )


def dask_spec(settings: Settings, folder: Path) -> DaskSpec | None:
    """Return the cluster that trials are dispatched to, None for none; raises ValueError.

    Paths are relative to `folder`.
    """
    section = settings.dask
    try:
        patience = quantities.parse_duration(section.patience)
    except ValueError as error:
        raise ValueError(f"{error} at dask.patience") from error
    if settings.dispatch != "dask":
        return None
    if (section.scheduler is None) is (section.rent is None):
        raise ValueError(
            'the dispatch "dask" needs either dask.scheduler (an address) or dask.rent (a file)'
        )
    machine_keys = {
        "host": settings.host != "local",
        "local.cpus": settings.local.cpus is not None,
        "warmup.model": settings.warmup.model is not None,
    }
    if not_there := [key for key, is_set in machine_keys.items() if is_set]:
        raise ValueError(
            f'{not_there[0]} configures this machine, but the dispatch "dask" measures on '
            "workers; remove one"
        )
    rent = section.rent and (folder / Path(section.rent).expanduser()).absolute()
    return DaskSpec(
        scheduler=section.scheduler,
        rent=rent or None,
        patience_seconds=patience,
        crowded=section.crowded,
    )


def read_rental_file(path: Path) -> RentedSpec:
    """Read a file; raises UsageError that names it."""
    document = reading.read_document(path, path.name)
    try:
        return _build_spec(msgspec.convert(document, _RentalSection))
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{path.name}: {explain_error(str(error), document, {'$': _RentalSection})}"
        ) from error
    except ValueError as error:
        raise UsageError(f"{path.name}: {error}") from error


def _build_spec(section: _RentalSection) -> RentedSpec:
    """Return what is asked for; raises ValueError."""
    if not section.cluster.startswith(_DASK_CLASSES) and not (
        section.listed_by and section.removed_by
    ):
        raise ValueError(
            "set listed_by and removed_by: without them the machines of a killed audit stay rented"
        )
    if section.listed_by and not any(_ID in text for text in section.listed_by):
        raise ValueError(f"listed_by must contain {_ID}, or it lists machines of others")
    if section.removed_by and _MACHINES not in section.removed_by:
        raise ValueError(
            f"removed_by must contain {_MACHINES}, which stands for the listed machines"
        )
    most = math.inf
    if section.most_time is not None:
        try:
            most = quantities.parse_duration(section.most_time)
        except ValueError as error:
            raise ValueError(f"{error} at most_time") from error
    if section.most_money is not None:
        if section.hourly is None or section.workers is None:
            raise ValueError("most_money needs `hourly` (price) and `workers` (number)")
        # The scheduler's machine costs as much.
        most = min(most, section.most_money / section.hourly / (section.workers + 1) * 3600)
    return RentedSpec(
        cluster=section.cluster,
        options=section.options,
        workers=section.workers,
        listed_by=section.listed_by,
        removed_by=section.removed_by,
        environment=section.environment,
        hourly=section.hourly,
        most_seconds=most,
    )
