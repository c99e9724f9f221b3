"""Files of models: those of the package, and what is no such file."""

import json
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
from scipy.special import expit

from auditor.core.errors import Exit
from auditor.core.stop_rules import TRAINED, Criterion
from auditor.warmup.forest import Forest
from auditor.warmup.run_so_far import RunSoFar
from auditor.warmup.scorers import files
from auditor.warmup.scorers.boosted import BoostedTrees, FeatureTrees
from auditor.warmup.scorers.files import (
    ModelUnusable,
    choose_model,
    load_shipped_model,
    read_model_file,
    write_model_file,
)

SHIPPED = sorted(TRAINED)
CARDS = json.loads(files.resources.files(files.__package__).joinpath("models.json").read_text())


def split(name: str, threshold: float) -> FeatureTrees:
    """Return one tree: up to a value of a feature its leaf is -3, else 3."""
    forest = Forest(
        roots=np.array([0], np.int32),
        features=np.array([0, 0, 0], np.int16),
        thresholds=np.array([threshold, 0, 0], np.float32),
        left=np.array([1, 1, 2], np.int32),
        right=np.array([2, 1, 2], np.int32),
    )
    return FeatureTrees(np.array([name]), forest, np.array([0.0, -3.0, 3.0]))


def trees() -> BoostedTrees:
    """Return a model: up to 150 iterations a run is not warm; places behind 210 are worth most."""
    return BoostedTrees.from_parts(
        split("iterations", 150), split("iterations", 170), split("place", 210)
    )


@pytest.fixture
def model_path(tmp_path):
    path = tmp_path / "mine.npz"
    write_model_file(path, Criterion.LEARNED, trees(), 0.6)
    return path


def rewritten(path, **changes):
    """Change arrays of a file, None: without it; the digest stays what it was."""
    with np.load(path) as result:
        arrays = {**{name: result[name] for name in result.files}, **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def signed(path, **changes):
    """Change arrays of a file, and its digest with them."""
    rewritten(path, **changes)
    with np.load(path) as result:
        arrays = {name: result[name] for name in result.files}
    model_arrays = {
        name: array for name, array in arrays.items() if name not in ("format", "kind", "digest")
    }
    return rewritten(path, digest=np.array(files.compute_digest(model_arrays)))


def refused(path, method=Criterion.LEARNED):
    with pytest.raises(ModelUnusable) as error:
        read_model_file(method, path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    assert error.value.exit_code is Exit.USAGE
    return str(error.value)


def test_what_is_written_is_read_again(model_path):
    model = read_model_file(Criterion.LEARNED, model_path)

    assert model.threshold == 0.6
    assert [
        model.scoring.score_window(np.array([iterations])) > 0.5 for iterations in (149, 150, 151)
    ] == [
        0,
        0,
        1,
    ]
    assert choose_model(Criterion.LEARNED, model_path).digest == model.digest
    ready = [
        model.scoring.score_readiness({"iterations": iterations}) for iterations in (149, 160, 171)
    ]
    assert np.allclose(ready, [expit(-3), 0.5, expit(3)])


@pytest.mark.parametrize(("length", "last"), [(400, 299), (300, 0)])
def test_of_the_places_of_a_run_the_one_that_is_worth_most_is_told(model_path, length, last):
    run = RunSoFar()
    for _ in range(length):
        run.add_iteration(1.0, 0.1)

    # Of a run in which nothing changes only the beginnings and what lies before the last window.
    assert (
        read_model_file(Criterion.LEARNED, model_path).scoring.last_warmup(
            run, run.compute_features()
        )
        == last
    )


@pytest.mark.parametrize("group", ["stable", "near"])
def test_numbers_that_add_up_to_none_are_refused(model_path, group):
    """Sixteen leaves: infinity less infinity, as numpy adds them up."""
    leaves, huge = np.arange(16, dtype=np.int32), 1.7e308
    changes = {
        "roots": leaves,
        "features": np.zeros(16, np.int16),
        "thresholds": np.zeros(16, np.float32),
        "left": leaves,
        "right": leaves,
        "values": np.tile([huge, -huge, 0, 0, 0, 0, 0, 0], 2),
    }
    signed(model_path, **{f"{group}_{name}": array for name, array in changes.items()})

    assert "lies beyond 0 and 1" in refused(model_path)


@pytest.mark.parametrize("method", SHIPPED)
def test_a_model_of_the_package_is_the_one_that_its_card_describes(method):
    model = load_shipped_model(method)

    assert model.digest == CARDS[method]["digest"]
    assert CARDS[method]["threshold"] == pytest.approx(model.threshold, abs=1e-4)
    assert CARDS[method]["seen"].startswith("471 benchmarks of 24 systems")


def test_models_of_the_package_are_small_together():
    sizes = [
        files.resources.files(files.__package__).joinpath(f"{criterion}.npz").stat().st_size
        for criterion in SHIPPED
    ]

    assert sum(sizes) <= 5 * 2**20


def test_ours_is_of_the_features_that_a_run_has():
    run = RunSoFar()
    for _ in range(100):
        run.add_iteration(1.0, 1.0)

    assert load_shipped_model(Criterion.LEARNED).scoring.stable.names == [*run.compute_features()]


@pytest.mark.timed
def test_all_are_read_sooner_than_numpy_is_imported_in_a_new_process():
    package = files.resources.files(files.__package__)
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numpy, scipy.stats"], check=True)
    imported = time.perf_counter() - started

    for method in SHIPPED:
        started = time.perf_counter()
        read_model_file(Criterion(method), package / f"{method}.npz")
        assert time.perf_counter() - started < imported


def test_a_file_that_is_not_there(tmp_path):
    assert "No such file" in refused(tmp_path / "none.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 something else", b"\x93NUMPY" + bytes(100)])
def test_a_file_of_something_else(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)

    assert "damaged" in refused(path)


def test_a_file_that_was_cut_off(model_path):
    model_path.write_bytes(model_path.read_bytes()[:-200])

    assert "damaged" in refused(model_path)


def test_a_number_that_was_changed(model_path):
    rewritten(model_path, stable_values=np.array([0.0, -3.0, 4.0]))

    assert "its digest does not match" in refused(model_path)


def test_objects_are_not_unpacked(model_path):
    np.savez(model_path, names=np.array([{}], dtype=object))

    assert "damaged" in refused(model_path)


def test_a_header_that_states_more_than_there_is(model_path):
    with zipfile.ZipFile(model_path) as archive:
        members = {text: archive.read(text) for text in archive.namelist()}
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }"
    lie = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + head.ljust(117) + b"\n"
    with zipfile.ZipFile(model_path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, lie if name == "near_values.npy" else content)

    assert "damaged" in refused(model_path)


def test_little_that_unpacks_to_much(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("values.npy", bytes(65 * 2**20))

    assert path.stat().st_size < 2**20
    assert "bytes, more than" in refused(path)


def test_another_format(model_path):
    rewritten(model_path, format=np.int64(1))

    assert "has format 1, this version reads 2" in refused(model_path)


def test_another_method(model_path):
    assert "is for learned, not for fcn" in refused(model_path, Criterion.FCN)


def test_an_archive_of_other_numbers(model_path):
    rewritten(model_path, kind=None)

    assert "is not a model file of bench-audit" in refused(model_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"stable_left": np.array([0, 1, 2], np.int32)},
        {"stable_left": np.array([9, 1, 2], np.int32)},
        {"stable_right": np.array([2, 1, 0], np.int32)},
        {"stable_features": np.array([1, 0, 0], np.int16)},
        {"stable_roots": np.array([3], np.int32)},
        {"stable_values": np.array([0.0, 1.0])},
        {"near_values": np.array([0.0, np.nan, np.nan])},
        {"stable_names": np.array(["something that no run has"])},
        {"near_names": np.array(["something that no run has"])},
        {"begun_names": np.array(["something that no place has"])},
        {"begun_left": None},
        {"stable_left": None},
        {"threshold": np.float64(1.5)},
        {"threshold": np.array([0.5, 0.5])},
        {"threshold": np.array("half")},
        {"stable_roots": np.array([], np.int32)},
        {"stable_roots": np.array([[0]], np.int32)},
    ],
)
def test_the_wrong_shape_is_refused_before_anything_runs(model_path, changes):
    assert "does not fit" in refused(signed(model_path, **changes))


def test_networks_of_the_wrong_shape(tmp_path):
    model = load_shipped_model(Criterion.FCN)
    path = tmp_path / "fcn.npz"
    write_model_file(path, Criterion.FCN, model.scoring, 0.5)
    signed(path, head=np.zeros(3, np.float32))

    assert "does not fit" in refused(path, Criterion.FCN)


def test_what_is_no_number_would_never_be_warm_and_is_refused(tmp_path):
    model = load_shipped_model(Criterion.ROCKET)
    path = tmp_path / "rocket.npz"
    write_model_file(path, Criterion.ROCKET, model.scoring, 0.5)
    signed(path, coefficients=np.full_like(model.scoring.arrays["coefficients"], np.nan))

    assert "coefficients holds what is not a number" in refused(path, Criterion.ROCKET)


def test_a_method_without_a_model_wants_none(model_path):
    assert choose_model(Criterion.RCIW, None) is None
    with pytest.raises(ModelUnusable, match="rciw needs no model"):
        choose_model(Criterion.RCIW, model_path)
