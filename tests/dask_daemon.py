"""A scheduler and workers of Dask as processes of their own, for tests."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


class DaskCluster:
    """A scheduler, and workers that come and go."""

    def __init__(self, folder, *paths):
        self.folder = folder
        self.workers = []
        self._file = folder / "scheduler.json"
        places = os.pathsep.join(map(str, (ROOT, *paths)))
        # What pip is told decides what installs; audits in tests are not told what we are.
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("PIP_")
        }
        self._environment = {**environment, "PYTHONPATH": places}
        self._scheduler = self._start(
            "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", self._file
        )
        until = time.monotonic() + 60
        while not (self._file.exists() and self._file.read_text()):  # it is made, then filled
            assert time.monotonic() < until
            time.sleep(0.05)

    @property
    def address(self):
        return json.loads(self._file.read_text())["address"]

    def add(self, *, resources=("--resources", "machine=1"), **environment):
        """Start a worker; it comes when it comes."""
        number = len(self.workers)
        words = ("--scheduler-file", self._file, "--nworkers", "1", "--nthreads", "1")
        more = ("--no-nanny", "--no-dashboard", "--local-directory", self.folder / f"w{number}")
        self.workers.append(self._start("worker", *words, *more, *resources, **environment))
        return self.workers[-1]

    def _start(self, kind, *words, **environment):
        with (self.folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                (sys.executable, "-m", "dask", kind, *map(str, words)),
                cwd=self.folder,
                env={**self._environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def lose_scheduler(self):
        self._scheduler.kill()
        self._scheduler.wait()

    def end(self):
        for worker in (*self.workers, self._scheduler):
            worker.kill()
            worker.wait()


@contextmanager
def dask_cluster(folder, *paths):
    """Give one that is gone afterwards."""
    cluster = DaskCluster(folder, *paths)
    try:
        yield cluster
    finally:
        cluster.end()
