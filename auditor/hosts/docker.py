"""The host of containers that a configuration means."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.config import Config, Places
from auditor.core.errors import MachineError, UsageError
from auditor.core.ports import Clock
from auditor.core.request import FolderSpec, GitSpec
from auditor.hosts.opened import OpenHost, chosen_variables
from auditor.languages.model import LanguageSupport
from auditor.languages.registry import LANGUAGES
from runners.disk import convert_write_errors
from runners.home import HomeFolder, read_machine_name
from runners.hosts.local import stay_off_processors
from runners.hosts.machine_facts import read_machine_facts
from runners.subjects.folder import place_folder
from runners.subjects.revision import place_revision

if TYPE_CHECKING:
    from runners.hosts.daemon import DockerDaemon, Image


_CUSTOM_IMAGE = "bench-audit/own"

_SHARE = 0.75
_MEMORY = 4 << 30
"""The limit where nobody knows how much memory there is."""


@contextmanager
def open_docker_host(
    config: Config, places: Places, environment: Mapping[str, str], clock: Clock
) -> Iterator[OpenHost]:
    """Open a host whose containers have folders of their own, one for each image.

    What strangers' code has written there is never used outside of one.
    """
    from runners.hosts.daemon import DockerDaemon  # noqa: PLC0415 the SDK takes a while to import
    from runners.hosts.docker import ContainerLimits, DockerHost  # noqa: PLC0415 as above

    spec, facts = config.docker, read_machine_facts()
    extra_variables = chosen_variables(spec.environment, environment, "docker.environment")
    _require_image_choice(config)
    with DockerDaemon(environment, facts.name) as daemon, _keep_note(HomeFolder(places.home)):
        daemon.remove_orphans()
        for path in _list_stale_notes(HomeFolder(places.home)):
            path.unlink(missing_ok=True)
        image = _prepare_image(daemon, config, HomeFolder(places.home))
        # Containers of root's run as another account; the folder above is root's alone.
        place = places.home / "docker" / image.digest.removeprefix("sha256:")[:12]
        home = HomeFolder(place, mode=0o755)
        home.make_subjects_folder()
        if os.getuid() == 0:
            # Another account owns what is below, so nobody else of this machine may go there.
            home.root.parent.chmod(0o700)
        memory = spec.memory or _choose_memory_limit(dict(facts.facts))
        host = DockerHost(
            daemon=daemon,
            image=image,
            limits=ContainerLimits(memory=memory, processes=spec.processes, cpus=spec.cpus),
            home=home,
            private_home=HomeFolder(home.root.parent),
            network=spec.network,
            clock=clock,
        )
        with stay_off_processors(spec.cpus) if spec.cpus else nullcontext():
            yield OpenHost(
                host=host,
                home=home,
                environment={**_PLAIN, **image.variables, **extra_variables},
                lock=HomeFolder(places.home).machine_lock,
                clock=clock,
                several=False,  # what one may write is looked at while no other one runs
            )


def remove_stale_containers(home: HomeFolder, environment: Mapping[str, str]) -> None:
    """Remove containers of auditors that were killed: they would run beside what is measured.

    Nobody is asked where none was killed. A daemon that does not answer runs nothing.
    """
    paths = _list_stale_notes(home)
    if not paths:
        return
    from runners.hosts.daemon import DockerDaemon  # noqa: PLC0415 the SDK takes a while to import

    with suppress(MachineError), DockerDaemon(environment, read_machine_facts().name) as daemon:
        daemon.remove_orphans()
        for path in paths:
            path.unlink(missing_ok=True)


_NOTES = "docker/auditor-{node}-{process}"
"""Each says that this process of a machine may have containers; others may share the folder."""


def _list_stale_notes(home: HomeFolder) -> list[Path]:
    """Return the notes of auditors of this machine that are gone."""
    paths = home.root.glob(_NOTES.format(node=read_machine_name(), process="*"))
    return [path for path in paths if not _is_process_alive(path)]


@contextmanager
def _keep_note(home: HomeFolder) -> Iterator[None]:
    note = home.root / _NOTES.format(node=read_machine_name(), process=os.getpid())
    with convert_write_errors(note):
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def _is_process_alive(note: Path) -> bool:
    number = note.name.rpartition("-")[2]
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        pass
    return True


_PLAIN = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",  # noqa: S108 the container's own
}


def _choose_memory_limit(facts: Mapping[str, str]) -> int:
    number, _, unit = facts.get("memory", "").partition(" ")
    return int(int(number) * _SHARE) << 20 if unit == "MiB" else _MEMORY


def _require_image_choice(config: Config) -> None:
    """Raise UsageError where only a look at the subject would tell which image is meant."""
    if not (config.docker.image or config.docker.dockerfile):
        _choose_language(config)


def _prepare_image(daemon: "DockerDaemon", config: Config, home: HomeFolder) -> "Image":
    """Return the image, made where it is not there; a subject that has it is placed in `home`.

    Raises UsageError, and what a daemon raises that cannot make it.
    """
    spec = config.docker
    if spec.image:
        return daemon.fetch_image(spec.image)
    if spec.dockerfile and spec.dockerfile.is_absolute():
        return daemon.build_image(spec.dockerfile, _CUSTOM_IMAGE)
    if spec.dockerfile:
        return daemon.build_image(_copy_subject_file(config, spec.dockerfile, home), _CUSTOM_IMAGE)
    name = _choose_language(config).image
    with as_file(files("runners.hosts") / "images" / f"{name}.Dockerfile") as path:
        return daemon.build_image(path, f"bench-audit/{name}")


def _copy_subject_file(config: Config, inside: Path, home: HomeFolder) -> Path:
    """Return a file of the subject, in a copy: of the revision, and not of what lies around it."""
    match config.subject:
        case FolderSpec():
            placed = place_folder(config.subject, home)
        case GitSpec():
            placed = place_revision(config.subject, home)
        case _:
            raise UsageError(
                "docker.dockerfile needs a subject that is a folder or a git revision; name a "
                "Dockerfile outside the subject, or docker.image"
            )
    path = placed.tree / inside
    if not path.is_file() or not path.resolve().is_relative_to(placed.root.resolve()):
        raise UsageError(
            f"{placed.name} has no file {inside}, which docker.dockerfile names; files that git "
            "ignores are not copied"
        )
    return path


def _choose_language(config: Config) -> LanguageSupport:
    """Return the language whose image is meant; raises UsageError where only a look would tell."""
    if config.harness is not None:
        language = LANGUAGES.of_harness(config.harness)
    elif isinstance(config.subject, FolderSpec):
        language = LANGUAGES.of_suite(config.subject.path)
    else:
        language = LANGUAGES.of_subject(config.subject)
    if language is not None:
        return language
    raise UsageError(
        "the Docker image cannot be chosen before the subject is fetched; set docker.image, "
        "docker.dockerfile or the harness"
    )
