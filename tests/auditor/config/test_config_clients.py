"""The clients of a library in a configuration."""

import json

import pytest

from auditor.config import load_config
from auditor.core.errors import UsageError
from auditor.core.popularity import Ranking
from auditor.core.request import DistributionSpec, FolderSpec


@pytest.fixture
def configured(tmp_path):
    for name in ("lib", "app"):
        (tmp_path / name).mkdir()

    def read(**keys):
        path = tmp_path / "c.json"
        path.write_text(json.dumps({"subject": "lib", **keys}))
        return load_config("c.json", {}, tmp_path)

    return read


def test_clients_are_subjects_with_more(configured, tmp_path):
    clients = ["pypi:app@1.0", {"path": "app", "tests": ["a"], "python": {"extras": ["test"]}}]

    result = configured(clients=clients, trace={"rank": "share", "timeout": "2m", "top": 5})

    distribution, folder = result.trace.clients
    assert (distribution.name, distribution.subject) == (
        "pypi:app@1.0",
        DistributionSpec("app", "1.0"),
    )
    assert (folder.subject, folder.tests) == (FolderSpec(tmp_path / "app"), ("a",))
    assert folder.python.extras == ("test",)
    assert (result.trace.ranking, result.trace.seconds, result.trace.top) == (Ranking.SHARE, 120, 5)


def test_the_configuration_that_is_kept_means_the_same_from_everywhere(configured, tmp_path):
    result = configured(clients=["app", {"git": "app@HEAD", "tests": ["a"]}])

    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "d.json").write_text(result.text)
    reloaded = load_config("d.json", {}, tmp_path / "elsewhere")

    assert reloaded.trace == result.trace
    assert reloaded.text == result.text


@pytest.mark.parametrize(
    ("clients", "message"),
    [
        (["app", {"path": "app", "tests": ["b"]}], "is named twice at clients"),
        ([{"path": "app", "git": "app@HEAD"}], "clients[0] needs exactly one of"),
        (["nowhere"], "no such folder"),
        ([{"path": "app", "tests": ["--cov"]}], "clients[0].tests[0] must be a test"),
        ([{"path": "app", "test": ["a"]}], "did you mean 'tests'?"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(configured, clients, message):
    with pytest.raises(UsageError) as raised:
        configured(clients=clients)

    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
