"""Small real processes, and how to tell whether they are gone."""

import os
import subprocess
import time

from auditor.core.jobs import Invocation


def job(*argv, cwd, timeout=60.0, **more):
    return Invocation(
        argv=argv,
        cwd=cwd,
        environment=(("PATH", "/usr/bin:/bin"),),
        timeout_seconds=timeout,
        **more,
    )


def shell(text, **more):
    return job("sh", "-c", text, **more)


def alive(pid):
    """Tell whether a process runs; one that ended and was not yet collected does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    ps_result = subprocess.run(
        ("ps", "-o", "stat=", "-p", str(pid)), capture_output=True, check=False
    )
    return not ps_result.stdout.strip().startswith(b"Z") and bool(ps_result.stdout.strip())


def processes_with_parent(parent):
    """Return the children of a process, also those that have ended and were not yet collected."""
    words = ("ps", "-o", "pid=", "--ppid", str(parent))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as ps:
        return {*map(int, ps.communicate()[0].split())} - {ps.pid}


def wait_until_gone(pid, within=30.0):
    deadline = time.monotonic() + within
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def number_in(path, within=10.0):
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if path.is_file() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.02)
    raise AssertionError(f"nothing was written to {path}")
