"""Where a suite runs, as a configuration asks for it."""

from pathlib import Path

import msgspec

from auditor.config import quantities
from auditor.config.quantities import parse_size
from auditor.config.sections import DockerSection, LocalSection, SshSection
from auditor.config.settings import Settings
from auditor.core.hosts import DaskSpec, DockerSpec, LocalSpec, SshSpec

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
