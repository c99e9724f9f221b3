"""The host of containers that a configuration means."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from auditor.config import Config, Places
from auditor.core.errors import MachineError
from auditor.core.ports import Clock
from auditor.hosts.images import prepare_image, require_image_choice
from auditor.hosts.opened import OpenHost, chosen_variables
from runners.disk import convert_write_errors
from runners.home import HomeFolder, read_machine_name
from runners.hosts.machine_facts import read_machine_facts
from runners.hosts.processors import stay_off_processors

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
    require_image_choice(config)
    with DockerDaemon(environment, facts.name) as daemon, _keep_note(HomeFolder(places.home)):
        daemon.remove_orphans()
        for path in _list_stale_notes(HomeFolder(places.home)):
            path.unlink(missing_ok=True)
        image = prepare_image(daemon, config, HomeFolder(places.home))
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
            own=HomeFolder(home.root.parent),
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
