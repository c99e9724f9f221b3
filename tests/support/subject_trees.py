"""Makers of folders and repositories for these tests, and a digest of all that is in one."""

import hashlib
import os
import subprocess
from pathlib import Path


def make(folder, **files):
    """Write files; `__` in a name stands for a slash, `_dot_` for a dot."""
    for name, text in files.items():
        path = folder / name.replace("_dot_", ".").replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def git(folder, *words):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    answer = subprocess.run(
        ("git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *words),
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    return answer.stdout.decode().strip()


def committed(folder, **files):
    """Make a repository with one commit."""
    make(folder, **files)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def everything(folder):
    """Digest all paths, kinds, modes, times of change and contents below a folder."""
    sha = hashlib.sha256()
    for path in sorted(Path(folder).rglob("*")):
        status = path.lstat()
        sha.update(f"{path.relative_to(folder)} {status.st_mode} {status.st_mtime_ns}\n".encode())
        if path.is_symlink():
            sha.update(str(path.readlink()).encode())
        elif path.is_file():
            sha.update(path.read_bytes())
    return sha.hexdigest()


def names(tree):
    """List what is not a folder."""
    paths = (path for path in tree.rglob("*") if path.is_symlink() or not path.is_dir())
    return {path.relative_to(tree).as_posix() for path in paths}
