"""Where a suite runs, as a configuration asks for it."""

from pathlib import Path

import msgspec

from auditor.config import quantities
from auditor.config.quantities import size
from auditor.config.sections import DockerSection, LocalSection, SshSection
from auditor.config.settings import Settings
from auditor.core.hosts import DaskSpec, DockerSpec, LocalSpec, SshSpec

OF_SUBJECT = "subject:"
"""What a Dockerfile's name begins with that is in the subject's tree."""


def local_spec(written: LocalSection) -> LocalSpec:
    """Return how this machine is used; raises ValueError."""
    return LocalSpec(
        cpus=written.cpus or "",
        environment=written.environment,
        memory=_memory(written.memory, "local.memory"),
        processes=written.processes,
    )


def docker_spec(host: str, written: DockerSection, folder: Path) -> DockerSpec:
    """Return what containers are like, paths relative to `folder`; raises ValueError.

    An image behind "docker:" in `host` is taken in the place of the one in the section.
    """
    kind, _, image = host.partition(":")
    if kind == "docker" and image:
        written = msgspec.structs.replace(written, image=image, dockerfile=None)
    if written.image and written.dockerfile:
        raise ValueError("docker sets both image and dockerfile; keep one")
    return DockerSpec(
        image=written.image,
        dockerfile=_dockerfile(written.dockerfile, folder),
        cpus=written.cpus or "",
        memory=_memory(written.memory, "docker.memory"),
        processes=written.processes,
        network=written.network,
        environment=written.environment,
    )


def _memory(written: str | None, key: str) -> int | None:
    try:
        return None if written is None else size(written)
    except ValueError as error:
        raise ValueError(f"{error} at {key}") from error


def _dockerfile(written: str | None, folder: Path) -> Path | None:
    """Return a path that is relative where it is one of the subject; raises ValueError."""
    if written is None:
        return None
    if not written.startswith(OF_SUBJECT):
        return (folder / Path(written).expanduser()).absolute()
    inside = Path(written.removeprefix(OF_SUBJECT))
    if inside == Path() or inside.is_absolute() or ".." in inside.parts:
        raise ValueError(
            f"docker.dockerfile is {written!r}, which is not a file of the subject; write "
            f"{OF_SUBJECT}Dockerfile, say"
        )
    return inside


def ssh_spec(host: str, written: SshSection) -> SshSpec:
    """Return the machine behind "ssh:TARGET", and how it is used; raises ValueError."""
    try:
        patience = quantities.seconds(written.patience)
    except ValueError as error:
        raise ValueError(f"{error} at ssh.patience") from error
    return SshSpec(
        target=host.partition(":")[2],
        folder=Path(written.folder) if written.folder else None,
        path=written.path,
        cpus=written.cpus or "",
        environment=written.environment,
        patience_seconds=patience,
    )


def dask_spec(settings: Settings, folder: Path) -> DaskSpec | None:
    """Return the cluster that trials are dispatched to, None for none; raises ValueError.

    Paths are relative to `folder`.
    """
    written = settings.dask
    try:
        patience = quantities.seconds(written.patience)
    except ValueError as error:
        raise ValueError(f"{error} at dask.patience") from error
    if settings.dispatch != "dask":
        return None
    if (written.scheduler is None) is (written.rent is None):
        raise ValueError(
            'the dispatch "dask" needs either dask.scheduler (an address) or dask.rent (a file)'
        )
    ours = {
        "host": settings.host != "local",
        "local.cpus": settings.local.cpus is not None,
        "warmup.model": settings.warmup.model is not None,
    }
    if not_there := [key for key, is_set in ours.items() if is_set]:
        raise ValueError(
            f'{not_there[0]} configures this machine, but the dispatch "dask" measures on '
            "workers; remove one"
        )
    rent = written.rent and (folder / Path(written.rent).expanduser()).absolute()
    return DaskSpec(
        scheduler=written.scheduler,
        rent=rent or None,
        patience_seconds=patience,
        crowded=written.crowded,
    )
