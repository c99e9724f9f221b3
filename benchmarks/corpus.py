"""The public corpus of JMH series (Traini et al.; labels of Beseda et al.), wherever it lies.

Any folder in the layout of the shared set will do; without one, its archive is unpacked.
"""

import argparse
import csv
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

ARCHIVE = Path(__file__).parents[2] / "shared/datasets/jmh-steady-state.zip"
VARIABLE = "BENCH_AUDIT_DATA"


@dataclass(frozen=True)
class Corpus:
    """A folder of series and what others have found in them."""

    folder: Path

    @property
    def names(self) -> list[str]:
        """Return the files of series, in order."""
        return sorted(path.name for path in (self.folder / "timeseries").glob("*.json"))

    def path(self, name: str) -> Path:
        """Return the file of a benchmark's series."""
        return self.folder / "timeseries" / name

    def series(self, name: str) -> list[np.ndarray]:
        """Return the forks of a benchmark, seconds per operation."""
        return [np.array(fork) for fork in self.json("timeseries", name)]

    def json(self, *names: str) -> Any:
        """Return what a file of the folder has."""
        return json.loads(self.folder.joinpath(*names).read_bytes())

    def starts(self, name: str) -> list[int]:
        """Return the published last warm-up iteration of each fork (CP-SSD), -1 for none."""
        return list(self.json("classification", name)["steady_state_starts"])

    @cached_property
    def indices(self) -> dict[str, int]:
        """Return the published index of each fork (KB-KSSD), as NAME_FORK; -1 for none."""
        return dict(self.json("judges", "kbkssd_index_by_fork.json"))

    @cached_property
    def judged(self) -> list[dict[str, str]]:
        """Return the rows of the judges' table."""
        return self.rows("judges", "judgements.csv")

    def rows(self, *names: str) -> list[dict[str, str]]:
        """Return the rows of a table."""
        with self.folder.joinpath(*names).open() as file:
            return list(csv.DictReader(file))


def add_option(parser: argparse.ArgumentParser) -> None:
    """Let the command line name the folder."""
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get(VARIABLE),
        help=f"the corpus (default: {VARIABLE}, else the shared archive, unpacked for this time)",
    )


@contextmanager
def opened(folder: Path | str | None) -> Iterator[Corpus]:
    """Yield the corpus in a folder, None: that of the archive."""
    if folder is not None:
        yield Corpus(Path(folder))
        return
    with tempfile.TemporaryDirectory(prefix="bench-audit-corpus-") as scratch:
        with zipfile.ZipFile(ARCHIVE) as archive:
            archive.extractall(scratch)
        yield Corpus(next(Path(scratch).glob("*/timeseries")).parent)
