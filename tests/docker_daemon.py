"""A Docker daemon for tests that leaves the machine's network alone, and an image for it."""

import io
import os
import re
import shutil
import socket as sockets
import subprocess
import tarfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from docker import APIClient

IMAGE = "bench-audit-test/tools:1"
PROGRAMS = (
    "sh", "cat", "env", "false", "head", "id", "ln", "ls", "mkdir", "nproc", "rm", "sleep", "true",
    "touch", "uname", "chmod", "seq", "python3", "git",
)  # fmt: skip
FOLDERS = ("dev", "etc", "home", "proc", "run", "sbin", "sys", "tmp", "usr/local/bin", "var")
LINKS = {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}
TREES = (
    "/usr/lib/python3.11", "/usr/lib/python3", "/usr/share/python-wheels", "/usr/lib/git-core",
    "/etc/ssl", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
)  # fmt: skip
DAEMON = (
    "dockerd", "--bridge=none", "--iptables=false", "--ip-forward=false", "--ip-masq=false",
)  # fmt: skip


@contextmanager
def daemon(folder):
    """Give the socket of a daemon of our own; below a folder it keeps all that it writes."""
    folder.mkdir(parents=True)
    socket = folder / "socket"
    words = (
        *DAEMON, "--data-root", folder / "data", "--exec-root", folder / "exec",
        "--pidfile", folder / "pid", "-H", f"unix://{socket}",
    )  # fmt: skip
    with (folder / "log").open("wb") as log, subprocess.Popen(words, stdout=log, stderr=log) as run:
        try:
            _answers(socket, run, folder / "log")
            yield f"unix://{socket}"
        finally:
            run.terminate()
            run.wait(60)
            for mounted in (folder / "exec" / "netns").glob("*"):
                subprocess.run(("umount", mounted), check=True)
    shutil.rmtree(folder, ignore_errors=True)


def _answers(socket, run, log):
    until = time.monotonic() + 60
    while time.monotonic() < until and run.poll() is None:
        with suppress(OSError), sockets.socket(sockets.AF_UNIX) as one:
            one.connect(str(socket))
            return
        time.sleep(0.05)
    raise AssertionError(f"dockerd does not answer:\n{log.read_text()[-2000:]}")


@contextmanager
def client(where):
    """Give a connection."""
    api = APIClient(base_url=where)
    try:
        yield api
    finally:
        api.close()


def import_tools(where, go=False):
    """Make the image of this machine's own programs: a shell, Python, git, Go."""
    with client(where) as api:
        said = api.import_image_from_data(_archive(go), repository="imported")
        (number,) = re.findall(r"sha256:[0-9a-f]{64}", said)
        variables = "ENV PATH=/usr/local/go/bin:/usr/bin LANG=C.UTF-8\nENV IMAGE_SAYS=hello\n"
        text = f"FROM imported\n{variables}".encode()
        assert [*api.build(fileobj=io.BytesIO(text), tag=IMAGE, decode=True, rm=True)]
        return number


def _archive(go):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in FOLDERS:
            _folder(archive, name)
        for name, target in LINKS.items():
            _link(archive, name, target)
        for path in sorted(_files()):
            archive.add(path, str(path).lstrip("/"), recursive=False)
        for folder in (*TREES, *(("/usr/local/go",) if go else ())):
            if Path(folder).exists():
                archive.add(folder, folder.lstrip("/"))
        for path in ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/os-release"):
            archive.add(Path(path).resolve(), path.lstrip("/"))
    return packed.getvalue()


def _folder(archive, name):
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    archive.addfile(entry)


def _link(archive, name, target):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    archive.addfile(entry)


def _files():
    """Return the programs, what they are links to, and the libraries that they need."""
    found = set()
    for name in PROGRAMS:
        path = Path("/usr/bin", name)
        while path.is_symlink():
            found.add(path)
            path = Path(os.path.normpath(path.parent / path.readlink()))
        found.add(path)
    modules = [*Path("/usr/lib/python3.11/lib-dynload").glob("*.so")]
    for path in [one for one in found if not one.is_symlink()] + modules:
        said = subprocess.run(("ldd", path), capture_output=True, text=True, check=False).stdout
        for library in re.findall(r"(/\S+) \(0x", said):
            real = Path(library).resolve()
            merged = Path("/usr" + library) if library.startswith("/lib") else Path(library)
            found |= {real, merged}
    return found
