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
JAVA_IMAGE = "bench-audit-test/java:1"
GO_IMAGE = "golang:1"
"""As a registry calls the one that our own Dockerfile begins with."""
PROGRAMS = (
    "sh", "cat", "env", "false", "head", "id", "ln", "ls", "mkdir", "nproc", "rm", "sleep", "true",
    "touch", "uname", "chmod", "seq", "python3", "git",
)  # fmt: skip
MAVENS = ("bash", "basename", "dirname", "expr", "mvn", "sed", "tr")
"""What Maven's script needs beside them."""
FOLDERS = ("dev", "etc", "home", "proc", "run", "sbin", "sys", "tmp", "usr/local/bin", "var")
LINKS = {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}
TREES = (
    "/usr/lib/python3.11", "/usr/lib/python3", "/usr/share/python-wheels", "/usr/lib/git-core",
    "/etc/ssl", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
)  # fmt: skip
MAVEN_TREES = ("/usr/share/maven", "/etc/maven")
"""Its libraries are links to jars elsewhere."""
GO_TREES = ("VERSION", "bin", "go.env", "pkg")
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
        with suppress(OSError), sockets.socket(sockets.AF_UNIX) as connection:
            connection.connect(str(socket))
            return
        time.sleep(0.05)
    raise AssertionError(f"dockerd does not answer:\n{log.read_text()[-2000:]}")


@contextmanager
def client(address):
    """Give a connection."""
    api = APIClient(base_url=address)
    try:
        yield api
    finally:
        api.close()


def import_tools(address):
    """Make the image of this machine's own programs: a shell, Python, git."""
    variables = {"PATH": "/usr/bin", "LANG": "C.UTF-8", "IMAGE_SAYS": "hello"}
    _image(address, IMAGE, _files(PROGRAMS), TREES, variables)


def import_java(address):
    """Make an image with this machine's JDK and Maven, as `JAVA_IMAGE`."""
    (home,) = {Path(shutil.which(program)).resolve().parents[1] for program in ("java", "javac")}
    linked = {path.resolve() for path in Path("/usr/share/maven").rglob("*.jar")}
    jars = {jar for path in linked for jar in path.parent.iterdir() if jar.resolve() in linked}
    files = _files((*PROGRAMS, *MAVENS)) | jars | _libraries(home.rglob("*.so"))
    settings = {path.resolve().parent for path in (home / "conf").rglob("*") if path.is_symlink()}
    trees = (*TREES, *MAVEN_TREES, home, *settings)
    variables = {"PATH": f"{home}/bin:/usr/bin", "LANG": "C.UTF-8", "JAVA_HOME": home}
    _image(address, JAVA_IMAGE, files, trees, variables)


def import_go(address):
    """Make an image with this machine's Go, and without a C compiler, as `GO_IMAGE`."""
    home = Path(shutil.which("go")).resolve().parents[1]
    trees = (*TREES, *(home / go_tree for go_tree in GO_TREES))
    library = {
        path
        for top in (home / "src").iterdir()
        if top.name != "cmd"  # what is in `bin` and `pkg`, as sources
        for path in (top, *top.rglob("*"))
        if path.is_file() and "testdata" not in path.parts and not path.match("*_test.go")
    }
    variables = {"PATH": f"{home}/bin:/usr/bin", "LANG": "C.UTF-8"}
    _image(address, GO_IMAGE, _files(PROGRAMS) | library, trees, variables)


def _image(address, tag, files, trees, variables):
    with client(address) as api:
        name = tag.partition(":")[0]
        api.import_image_from_data(_archive(files, trees), repository=f"{name}-imported")
        message = " ".join(f"{key}={value}" for key, value in variables.items())
        text = f"FROM {name}-imported\nENV {message}\n".encode()
        assert [*api.build(fileobj=io.BytesIO(text), tag=tag, decode=True, rm=True)]


def _archive(files, trees):
    packed, archived_names = io.BytesIO(), set()

    def once(entry):
        is_archived = entry.name in archived_names
        archived_names.add(entry.name)
        return None if is_archived else entry  # of a folder what is below it was seen, too

    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in FOLDERS:
            _folder(archive, name)
        for name, target in LINKS.items():
            _link(archive, name, target)
        for path in sorted(files):
            archive.add(path, str(path).lstrip("/"), recursive=False, filter=once)
        for folder in trees:
            if Path(folder).exists():
                archive.add(folder, str(folder).lstrip("/"), filter=once)
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


def _files(programs):
    """Return the programs, what they are links to, and the libraries that they need."""
    paths = set()
    for name in programs:
        path = Path("/usr/bin", name)
        while path.is_symlink():
            paths.add(path)
            path = Path(os.path.normpath(path.parent / path.readlink()))
        paths.add(path)
    real = [file for file in paths if not file.is_symlink()]
    modules = Path("/usr/lib/python3.11/lib-dynload").glob("*.so")
    return paths | _libraries([*real, *modules])


def _libraries(programs):
    """Return the system's libraries that these need."""
    paths = set()
    for path in programs:
        output = subprocess.run(("ldd", path), capture_output=True, text=True, check=False).stdout
        for library in re.findall(r"(/\S+) \(0x", output):
            merged = Path("/usr" + library) if library.startswith("/lib") else Path(library)
            paths |= {Path(library).resolve(), merged}
    return paths
