"""What workers do with trials in tests: they write down when they began and ended."""

import os
import time
from dataclasses import replace
from pathlib import Path

from distributed import get_worker

from auditor.core.errors import BuildFailed, WorkerUnusable
from auditor.core.jobs import HostFacts
from auditor.core.outcome import Skipped
from auditor.core.plan import Run

SECONDS = 0.1
DEADLY = "deadly"
"""The benchmark that ends its workers, after a while."""


def note(folder, word, trial):
    with Path(folder, f"{os.getpid()}").open("a") as file:
        file.write(f"{word} {trial.benchmark.name} {trial.repetition} {time.monotonic()}\n")


def ran(folder, trial, makers, seconds=SECONDS):
    note(folder, "begun", trial)
    time.sleep(seconds)
    note(folder, "ended", trial)
    host = HostFacts(str(os.getpid()))
    return Run(trial=trial, host=host, outcome=Skipped(""), started="", seconds=seconds)


def telling(folder, trial, makers):
    run = ran(folder, trial, makers)
    return replace(run, outcome=Skipped(" ".join(makers)), revision=get_worker().address)


def lasting(folder, trial, makers):
    return ran(folder, trial, makers, 10 * SECONDS)


def slow(folder, trial, makers):
    return ran(folder, trial, makers, 60.0)


def deadly(folder, trial, makers):
    note(folder, "begun", trial)
    os._exit(1)


def deadly_for_one(folder, trial, makers):
    if trial.benchmark.name != DEADLY:
        return ran(folder, trial, makers)
    note(folder, "begun", trial)
    time.sleep(5 * SECONDS)  # what ended before it has been fetched
    os._exit(1)


def unusable_for_one(folder, trial, makers):
    """Fail where the first who does this is."""
    first = Path(folder).parent / "first"
    try:
        with first.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        pass
    if first.read_text() in ("", str(os.getpid())):
        raise WorkerUnusable("this machine has no Go")
    return ran(folder, trial, makers)


def unusable(folder, trial, makers):
    raise WorkerUnusable("this machine has no Go")


def broken(folder, trial, makers):
    note(folder, "begun", trial)
    raise BuildFailed("it does not build")


def faulty(folder, trial, makers):
    note(folder, "begun", trial)
    raise ZeroDivisionError("oh")


def stop():
    with Path(os.environ["STOPPED"]).open("a") as file:
        file.write("stopped\n")
