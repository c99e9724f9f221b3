"""Hosts of each kind with a folder that their processes may write."""

import atexit
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from docker_daemon import IMAGE
from ssh_daemon import NAME

from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.daemon import DockerDaemon
from runners.hosts.docker import ContainerLimits, DockerHost
from runners.hosts.machine_facts import read_machine_facts
from runners.hosts.ssh.opening import RemoteMachine, connect_host

MEMORY = 256 << 20


@dataclass(frozen=True)
class Place:
    """A host, and a folder that its processes may write: as we see it, and as they do."""

    host: object
    folder: Path
    process_folder: Path


_OPEN = {}


def connected(address):
    """Return the connection of ours to a daemon that all tests share."""
    if address not in _OPEN:
        _OPEN[address] = DockerDaemon({"DOCKER_HOST": address}, read_machine_facts().name)
        atexit.register(_OPEN[address].__exit__)
    return _OPEN[address]


def docker_host(address, folder, *, image=IMAGE, memory=MEMORY, processes=64, cpus=""):
    """Return a host of containers whose files are below a folder."""
    daemon = connected(address)
    home = HomeFolder(folder / "home", mode=0o755)
    home.make_subjects_folder()
    return DockerHost(
        daemon=daemon,
        image=daemon.fetch_image(image),
        limits=ContainerLimits(memory=memory, processes=processes, cpus=cpus),
        home=home,
        private_home=HomeFolder(folder / "own"),
        network="host",
    )


def docker_place(address, folder, **limits):
    """Return a host of containers for what is measured."""
    host = docker_host(address, folder, **limits)
    work = folder / "home" / "work"
    work.mkdir()
    return Place(host.make_measuring_host((work,)), work, work)


@contextmanager
def small_disk(folder):
    """Give a folder that is a disk of 16 MiB."""
    folder.mkdir()
    subprocess.run(("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder), check=True)
    try:
        yield folder
    finally:
        subprocess.run(("umount", folder), check=True)


def remote_machine(daemon, name, **more):
    """Return what opens the machine of a daemon with a folder of its own."""
    more = {"processors": "", "patience_seconds": 30.0, **more}
    return RemoteMachine(target=NAME, folder=daemon.folder / "here" / name, **more)


@contextmanager
def ssh_place(daemon, name, **more):
    """Give a host that is reached over ssh for what is measured."""
    machine = remote_machine(daemon, name, **more)
    with connect_host(machine, daemon.environment, SystemClock()) as (host, _):
        work = machine.tree_folder / "work"
        work.mkdir(exist_ok=True)
        remote_folder = daemon.folder / "there" / work.relative_to(daemon.folder / "here")
        yield Place(host.make_measuring_host((work,)), work, remote_folder)
