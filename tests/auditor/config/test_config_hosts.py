"""Where a suite runs, as a configuration says it."""

import json
from pathlib import Path

import pytest

from auditor.config import load_config
from auditor.core.errors import UsageError
from auditor.core.hosts import DaskSpec, DockerSpec, LocalSpec, SshSpec


def loaded(folder, **keys):
    """Return what a configuration file with these keys asks for."""
    path = folder / "bench.json"
    path.write_text(json.dumps({"subject": ".", **keys}))
    return load_config("bench.json", {}, folder)


def test_a_suite_runs_here_unless_something_else_is_said(tmp_path):
    result = loaded(tmp_path)

    assert result.host == "local"
    assert result.docker == DockerSpec(
        image=None,
        dockerfile=None,
        cpus="",
        memory=None,
        processes=4096,
        network="bridge",
        environment=(),
    )


def test_how_this_machine_is_used_can_be_said(tmp_path):
    local = {"cpus": "2-3", "environment": ["REPOSITORY_PASSWORD"]}

    assert loaded(tmp_path).local == LocalSpec(cpus="", environment=())
    assert loaded(tmp_path, local=local).local == LocalSpec(
        cpus="2-3", environment=("REPOSITORY_PASSWORD",)
    )


def test_what_containers_are_like_can_be_said(tmp_path):
    docker = {"dockerfile": "bench/Dockerfile", "cpus": "0,2-3", "memory": "1.5g", "processes": 99}

    spec = loaded(tmp_path, host="docker", docker={**docker, "environment": ["GOPROXY"]}).docker

    assert spec.dockerfile == tmp_path / "bench" / "Dockerfile"
    assert (spec.cpus, spec.memory, spec.processes) == ("0,2-3", 3 << 29, 99)
    assert spec.environment == ("GOPROXY",)


def test_a_dockerfile_of_the_subject_has_no_place_yet(tmp_path):
    docker = {"dockerfile": "subject:bench/Dockerfile"}

    spec = loaded(tmp_path, host="docker", docker=docker).docker

    assert spec.dockerfile == Path("bench/Dockerfile")


def test_another_machine_can_be_said(tmp_path):
    ssh = {"folder": "/srv/bench", "path": ["/opt/go/bin"], "cpus": "2-3", "patience": "1m"}

    result = loaded(tmp_path, host="ssh:me@there", ssh={**ssh, "environment": ["GOPROXY"]})

    assert result.host == "ssh"
    assert result.ssh == SshSpec(
        target="me@there",
        folder=Path("/srv/bench"),
        path=("/opt/go/bin",),
        cpus="2-3",
        environment=("GOPROXY",),
        patience_seconds=60.0,
    )


def test_a_cluster_can_be_said(tmp_path):
    dask = {"scheduler": "tcp://10.0.0.1:8786", "patience": "1m", "crowded": True}

    assert loaded(tmp_path).dispatch is None
    assert loaded(tmp_path, dask=dask).dispatch is None
    assert loaded(tmp_path, dispatch="dask", dask=dask).dispatch == DaskSpec(
        scheduler="tcp://10.0.0.1:8786", patience_seconds=60.0, crowded=True
    )


def test_the_command_line_wins(tmp_path):
    (tmp_path / "bench.json").write_text('{"host": "local"}')

    assert load_config("bench.json", {"host": "docker"}, tmp_path).host == "docker"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"host": "moon"}, '"moon" at host must be "local", "docker", "docker:IMAGE" or "ssh:"'),
        (
            {"host": "ssh:-oProxyCommand=touch"},
            'must be "local", "docker", "docker:IMAGE" or "ssh:"',
        ),
        (
            {"host": "ssh:a b"},
            'must be "local", "docker", "docker:IMAGE" or "ssh:"',
        ),
        ({"local": {"cpus": "two"}}, "at local.cpus must be numbers of processors"),
        ({"local": {"environment": ["A=b"]}}, "local.environment[0] must be the name of a"),
        ({"dispatch": "dask"}, "needs either dask.scheduler (an address) or dask.rent"),
        (
            {"host": "docker", "dispatch": "dask", "dask": {"scheduler": "tcp://10.0.0.1:8786"}},
            "host configures this machine, but the dispatch",
        ),
        (
            {
                "local": {"cpus": "1"},
                "dispatch": "dask",
                "dask": {"scheduler": "tcp://10.0.0.1:8786"},
            },
            "local.cpus configures this machine",
        ),
        ({"dispatch": "moon"}, '"moon" at dispatch must be "serial" or "dask"'),
        ({"dask": {"scheduler": "here"}}, '"here" at dask.scheduler must be an address'),
        ({"dask": {"patience": "long"}}, "'long' is not a duration"),
        ({"ssh": {"folder": "here"}}, '"here" at ssh.folder must be an absolute path'),
        ({"ssh": {"path": ["a:b"]}}, "ssh.path[0] must be an absolute path"),
        ({"ssh": {"patience": "long"}}, "'long' is not a duration"),
        ({"ssh": {"cpus": "0;true"}}, 'at ssh.cpus must be numbers of processors, such as "2-3"'),
        ({"docker": {"memory": "4"}}, "'4' is not a size; write a number and a unit"),
        ({"docker": {"memory": "1k"}}, "is less than the minimum, 6m at docker.memory"),
        ({"local": {"memory": "1k"}}, "is less than the minimum, 6m at local.memory"),
        ({"local": {"processes": 2}}, "processes"),
        ({"docker": {"cpus": "two"}}, 'numbers of processors, such as "2-3"'),
        ({"docker": {"image": "a", "dockerfile": "b"}}, "docker sets both image and dockerfile"),
        (
            {"docker": {"dockerfile": "subject:"}},
            "not a file of the subject; write subject:Dockerfile",
        ),
        ({"docker": {"dockerfile": "subject:../D"}}, "not a file of the subject"),
        ({"docker": {"dockerfile": "subject:/D"}}, "not a file of the subject"),
        ({"docker": {"environment": ["A=b"]}}, "the name of a variable"),
        ({"docker": {"mounts": ["/"]}}, "mounts"),
        ({"docker": {"processes": 2}}, "processes"),
    ],
)
def test_what_makes_no_sense_is_one_line(tmp_path, keys, message):
    with pytest.raises(UsageError) as raised:
        loaded(tmp_path, **keys)

    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
