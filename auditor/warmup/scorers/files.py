"""Files of models that tell when a benchmark is warm: those that come with this package, and yours.

A file is numpy's archive of arrays (.npz) with three more: `format`, `kind`, which is the method,
and `digest`, SHA-256 of all others. Nothing of it is executed.
"""

import hashlib
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

import numpy as np

from auditor.core.errors import UsageError
from auditor.core.stop_rules import TRAINED, Criterion
from auditor.warmup.detector import WINDOW
from auditor.warmup.run_so_far import RunSoFar, build_feature_vector
from auditor.warmup.scorers.boosted import BoostedTrees
from auditor.warmup.scorers.convolutional import ConvolutionalNetwork
from auditor.warmup.scorers.rocket import Rocket

Arrays = Mapping[str, Any]
Scoring = BoostedTrees | ConvolutionalNetwork | Rocket

FORMATS: Mapping[Criterion, int] = {
    Criterion.LEARNED: 2,
    Criterion.FCN: 1,
    Criterion.OSCNN: 1,
    Criterion.ROCKET: 1,
}
"""Of a file, by what is in it; another one is refused."""
_LARGEST = 64 * 2**20
_KINDS: Mapping[Criterion, Callable[[Arrays], Scoring]] = {
    Criterion.LEARNED: BoostedTrees,
    Criterion.FCN: ConvolutionalNetwork,
    Criterion.OSCNN: ConvolutionalNetwork,
    Criterion.ROCKET: Rocket,
}
_HEADER_KEYS = ("format", "kind", "digest")
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    EOFError,
    OSError,
    KeyError,
    NotImplementedError,
    MemoryError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
)
"""What an archive may raise that anybody can have written: a header states sizes that are lies."""


class ModelUnusable(UsageError):
    """A file of a model is damaged, of another version or of something else."""

    slug = "model-unusable"


@dataclass(frozen=True, slots=True)
class ScorerModel:
    """A model, and the score from which on a rule takes a run for warm.

    That of the study's models is how likely the last window is stable; that of ours is what the
    last looks have for their mean (`scored`).
    """

    method: Criterion
    scoring: Scoring
    threshold: float
    digest: str


@cache
def load_shipped_model(method: Criterion) -> ScorerModel:
    """Return the model of a method that comes with this package; raises ModelUnusable."""
    place = resources.files("auditor.warmup.scorers") / f"{method}.npz"
    if not place.is_file():
        raise ModelUnusable(
            f"bench-audit includes no model of {method}; train one (python "
            f"benchmarks/stop_models.py {method}) and name its file"
        )
    with place.open("rb") as file:
        return _read_model(method, file, place.name)


def read_model_file(method: Criterion, path: Path) -> ScorerModel:
    """Return the model of a method that a file has; raises ModelUnusable."""
    try:
        with path.open("rb") as file:
            return _read_model(method, file, str(path))
    except OSError as error:
        raise ModelUnusable(f"cannot read the model {path}: {error.strerror}") from error
    except ValueError as error:  # a name that none can be
        raise ModelUnusable(f"cannot read the model {str(path)!r}: {error}") from error


def write_model_file(path: Path, method: Criterion, scoring: Scoring, threshold: float) -> None:
    """Write a model to a file, with its digest."""
    arrays: dict[str, Any] = {**scoring.arrays, "threshold": np.float64(threshold)}
    head = {"format": np.int64(FORMATS[method]), "kind": np.array(str(method))}
    contents = {**arrays, **head, "digest": np.array(compute_digest(arrays))}
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **contents)


def compute_digest(arrays: Arrays) -> str:
    """Return SHA-256 of arrays, of their names, types, shapes and bytes."""
    hasher = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        hasher.update(f"{name} {array.dtype.str} {np.shape(arrays[name])}\n".encode())
        hasher.update(array.tobytes())
    return hasher.hexdigest()


def _read_model(method: Criterion, file: IO[bytes], name: str) -> ScorerModel:
    arrays = _read_arrays(file, name)
    head = {key: arrays.pop(key, None) for key in _HEADER_KEYS}
    if (
        any(value is None or np.shape(value) for value in head.values())
        or "threshold" not in arrays
    ):
        raise ModelUnusable(f"{name} is not a model file of bench-audit; train the model again")
    if (kind := str(head["kind"])) != method:
        raise ModelUnusable(f"the model {name} is for {kind}, not for {method}; name another file")
    if (file_format := str(head["format"])) != (reads := str(FORMATS[method])):
        raise ModelUnusable(
            f"the model {name} has format {file_format}, this version reads {reads}; train it again"
        )
    if (stated := str(head["digest"])) != compute_digest(arrays):
        raise ModelUnusable(
            f"the model {name} is damaged: its digest does not match; copy it again"
        )
    try:
        threshold = float(arrays.pop("threshold"))
        _refuse_odd_numbers(arrays)
        model = ScorerModel(method, _KINDS[method](arrays), threshold, stated)
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
            _try_model(model)
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise ModelUnusable(
            f"the model {name} does not fit this version ({error}); train it again"
        ) from error
    return model


def _refuse_odd_numbers(arrays: Arrays) -> None:
    """Raise ValueError for what is no number in an array of numbers."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds what is not a number")


def _read_arrays(file: IO[bytes], name: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(info.file_size for info in archive.infolist())
        if size > _LARGEST:
            raise ModelUnusable(
                f"the model {name} has {size} bytes, more than {_LARGEST}; name another file"
            )
        file.seek(0)
        with np.load(file, allow_pickle=False) as npz:
            return {key: npz[key] for key in npz.files}
    except _UNREADABLE as error:
        raise ModelUnusable(
            f"the model {name} is damaged: it is not an archive of numbers ({error}); copy it again"
        ) from error


def _try_model(model: ScorerModel) -> None:
    """Show a model one run of the right shape; raises what its arrays raise."""
    if isinstance(model.scoring, BoostedTrees):
        run = RunSoFar()
        for _ in range(WINDOW):
            run.add_iteration(1.0, 1.0)
        feature_values = run.compute_features()
        scores = [
            model.scoring.score_window(
                build_feature_vector(feature_values, model.scoring.stable.names)
            ),
            model.scoring.score_readiness(feature_values),
        ]
        model.scoring.last_warmup(run, feature_values)
    else:
        scores = model.scoring.score_windows(np.zeros((1, WINDOW), dtype=np.float32)).tolist()
    if not all(0 <= score <= 1 for score in (*scores, model.threshold)):
        raise ValueError("its score or its threshold lies beyond 0 and 1")


def choose_model(method: Criterion, path: Path | None) -> ScorerModel | None:
    """Return the model that a method needs, the user's if there is one; None: it needs none."""
    if method not in TRAINED:
        if path is not None:
            raise ModelUnusable(f"{method} needs no model; remove warmup.model")
        return None
    return load_shipped_model(method) if path is None else read_model_file(method, path)
