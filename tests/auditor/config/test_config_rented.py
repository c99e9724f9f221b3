"""Files that say which machines are rented for an audit."""

import json
import math
import re
from pathlib import Path

import pytest

from auditor.config.hosts import read_rental_file
from auditor.core.errors import UsageError

CLOUD = {
    "cluster": "cloud.Cluster",
    "options": {"tags": {"audit": "{id}"}},
    "workers": 3,
    "listed_by": ["list", "--tag={id}"],
    "removed_by": ["remove", "{machines}"],
}


def read(tmp_path, **changed):
    path = tmp_path / "rented.json"
    path.write_text(json.dumps({**CLOUD, **changed}))
    return read_rental_file(path)


def test_what_is_written_is_what_is_rented(tmp_path):
    result = read(tmp_path, environment=["TOKEN"], hourly=0.5)

    assert result.cluster == "cloud.Cluster"
    assert result.options == {"tags": {"audit": "{id}"}}
    assert (result.workers, result.hourly, result.most_seconds) == (3, 0.5, math.inf)
    assert result.listed_by == ("list", "--tag={id}")
    assert result.removed_by == ("remove", "{machines}")
    assert result.environment == ("TOKEN",)


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        ({"most_time": "90m"}, 5400.0),
        ({"most_money": 2.0}, 3600.0),  # three workers and the scheduler's machine
        ({"most_money": 2.0, "most_time": "90m"}, 3600.0),
        ({"most_money": 4.0, "most_time": "90m"}, 5400.0),
    ],
)
def test_the_lower_ceiling_counts(tmp_path, limits, seconds):
    assert read(tmp_path, hourly=0.5, **limits).most_seconds == seconds


def test_machines_that_are_there_need_no_commands(tmp_path):
    changed = {"cluster": "dask.distributed.SSHCluster", "listed_by": [], "removed_by": []}

    assert read(tmp_path, **changed).listed_by == ()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"listed_by": []}, "stay rented"),
        ({"removed_by": []}, "stay rented"),
        ({"listed_by": ["ls"]}, "listed_by must contain {id}"),
        ({"removed_by": ["rm", "x{machines}"]}, "removed_by must contain {machines}"),
        ({"most_money": 3}, "needs `hourly` (price)"),
        ({"most_money": 3, "hourly": 1, "workers": None}, "and `workers` (number)"),
        ({"most_time": "long"}, "'long' is not a duration"),
        ({"workers": 0}, "0 at workers must be a whole number of at least 1"),
        ({"hourly": 0}, "0 at hourly must be a number above 0"),
        ({"moon": 1}, "unknown key 'moon'; the keys are: "),
        ({"cluster": "Cluster"}, "at cluster"),
        ({"environment": ["A=B"]}, "at environment[0]"),
    ],
)
def test_what_is_wrong_is_said_with_its_file(tmp_path, changed, message):
    with pytest.raises(UsageError) as error:
        read(tmp_path, **changed)
    assert str(error.value).startswith("rented.json: ")
    assert message in str(error.value)


def examples():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "cluster.md").read_text()
    blocks = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return {
        document["cluster"]: document
        for block in blocks
        if "cluster" in (document := json.loads(block))
    }


@pytest.mark.parametrize("name", examples())
def test_examples_can_be_used_as_they_are(tmp_path, name):
    path = tmp_path / "rented.json"
    path.write_text(json.dumps(examples()[name]))

    spec = read_rental_file(path)

    worker = spec.options.get("worker_options", {}).get("resources")
    job = spec.options.get("worker_extra_args")
    assert worker == {"machine": 1} or job == ["--resources", "machine=1"]
    assert name.startswith("dask.distributed.") or 0 < spec.most_seconds < 5 * 3600


def test_there_are_examples_of_three_clouds_a_queue_and_machines_of_ones_own():
    assert len(examples()) == 5
