"""A daemon of ssh for tests, on the loopback, that sees a folder of its own where ours is."""

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

SERVER = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/client.pub
PidFile none
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
AcceptEnv LANG
"""
CLIENT = """
Host bench-machine stranger
    HostName 127.0.0.1
    Port {port}
    IdentityFile {folder}/client
    IdentitiesOnly yes
Host bench-machine
    UserKnownHostsFile {folder}/known
Host stranger
    UserKnownHostsFile {folder}/unknown
"""
NAME = "bench-machine"
SHARED = "exec /usr/sbin/sshd -D -e -f {folder}/server"
SMALL = "small"
"""A folder there that is on a disk of 8 MiB."""
SEPARATE_FILES = (
    "mount --bind {folder}/there {folder}/here && "
    "mount -t tmpfs -o size=8m tmpfs {folder}/here/" + SMALL + " && " + SHARED
)


class SshDaemon:
    """Its folders: what is in `here` is in `there` for it, unless they share their files."""

    def __init__(self, folder, *, shared=False):
        self.folder = folder
        self._words = (SHARED if shared else SEPARATE_FILES).format(folder=folder)
        self._process = None
        self._orphans = []
        for name in ("here", "there", "bin", f"there/{SMALL}"):
            (folder / name).mkdir()
        for name in ("host", "client"):
            call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
        with socket.socket() as port_socket:
            port_socket.bind(("127.0.0.1", 0))
            self.port = port_socket.getsockname()[1]
        for name, text in (("server", SERVER), ("config", CLIENT)):
            (folder / name).write_text(text.format(folder=folder, port=self.port))
        key = (folder / "host.pub").read_text()
        (folder / "known").write_text(f"[127.0.0.1]:{self.port} {key}")
        program = folder / "bin" / "ssh"
        program.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {folder}/config "$@"\n')
        program.chmod(0o755)

    @property
    def environment(self):
        """What finds an ssh that knows this machine."""
        return {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def start(self):
        """Begin to listen."""
        Path("/run/sshd").mkdir(exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            words = ("unshare", "-m", "--propagation", "private", "sh", "-c", self._words)
            self._process = subprocess.Popen(words, stdout=log, stderr=log)
        until = time.monotonic() + 30
        while time.monotonic() < until and self._process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text()[-2000:])

    def stop(self):
        """Listen no more; connections that there are stay."""
        self._orphans += children(self._process.pid)
        self._process.terminate()
        self._process.wait()

    def cut(self):
        """End all connections at once, without a word."""
        for orphan in (*self._orphans, *children(self._process.pid)):
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)


def children(number):
    """Return the processes that a process has begun."""
    process_table = subprocess.run(
        ("ps", "-eo", "pid,ppid"), capture_output=True, text=True, check=True
    )
    pairs = [tuple(map(int, line.split())) for line in process_table.stdout.splitlines()[1:]]
    return [child for child, parent in pairs if parent == number]


def call(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


@contextmanager
def daemon(folder, *, shared=False):
    """Give one that listens."""
    ssh_daemon = SshDaemon(folder, shared=shared)
    ssh_daemon.start()
    try:
        yield ssh_daemon
    finally:
        ssh_daemon.cut()
        ssh_daemon.stop()
