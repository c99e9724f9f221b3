"""What a configuration's host is like once it is open: which variables and processors are whose."""

import json
import os
import sys

import pytest
from fake_docker import listening

from auditor.config import Places, load_config
from auditor.core.errors import MachineError, UsageError
from auditor.core.jobs import Invocation
from auditor.hosts import open_host
from runners.hosts.clock import SystemClock

NEEDED = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/me",
    "LC_TIME": "C",
    "XDG_CACHE_HOME": "/cache",
    "https_proxy": "http://proxy:3128",
    "SSL_CERT_FILE": "/etc/ssl/own.pem",
    "JAVA_HOME": "/opt/jdk",
    "JAVA_HOME_17_X64": "/opt/jdk17",
    "JDK17_HOME": "/opt/jdk17",
    "MAVEN_OPTS": "-Xmx1g",
    "GRADLE_USER_HOME": "/gradle",
    "GOPROXY": "https://proxy.example.org",
    "GOAMD64": "v3",
    "CGO_CFLAGS": "-O2",
    "CC": "clang",
    "PKG_CONFIG_PATH": "/opt/lib/pkgconfig",
    "LD_LIBRARY_PATH": "/opt/lib",
    "PIP_INDEX_URL": "https://index.example.org",
    "UV_DEFAULT_INDEX": "https://index.example.org",
    "GIT_SSH_COMMAND": "ssh -4",
}
SECRET = {
    "GITHUB_TOKEN": "ghs_1",
    "AWS_SECRET_ACCESS_KEY": "wJalr",
    "GOOGLE_APPLICATION_CREDENTIALS": "/key.json",
    "GO_REGISTRY_TOKEN": "1",
    "ACTIONS_RUNTIME_TOKEN": "eyJ0",
    "ORG_GRADLE_PROJECT_signingKey": "2",
    "MVNW_PASSWORD": "3",
    "UV_PUBLISH_TOKEN": "pypi-4",
    "SSH_AUTH_SOCK": "/run/agent",
    "GIT_CONFIG_VALUE_0": "AUTHORIZATION: basic 5",
    "BENCH_AUDIT_STORE": "/store",
}


def opened(folder, environment, **keys):
    """Return the context of the host of a configuration file with these keys."""
    path = folder / "bench.json"
    path.write_text(json.dumps({"subject": {"path": "."}, "harness": "go", **keys}))
    home = folder / "home"
    places = Places(output=folder / "out", store=folder / "store.sqlite", home=home)
    return open_host(load_config("bench.json", {}, folder), places, environment, SystemClock())


def test_processes_here_get_what_tools_need_and_no_secret(tmp_path):
    with opened(tmp_path, NEEDED | SECRET) as host:
        assert host.environment == NEEDED


def test_a_variable_that_is_named_is_handed_over(tmp_path):
    section = {"environment": ["GITHUB_TOKEN"]}

    with opened(tmp_path, {**os.environ, **SECRET}, local=section) as host:
        variables = tuple(host.environment.items())
        invocation = Invocation(
            argv=("env",), cwd=tmp_path, environment=variables, timeout_seconds=60.0
        )
        output = host.host.run_process(invocation).stdout

    assert b"\nGITHUB_TOKEN=ghs_1\n" in b"\n" + output
    assert b"wJalr" not in output


def test_one_that_is_named_and_not_set_is_one_line(tmp_path):
    with (
        pytest.raises(UsageError, match=r"GITHUB_TOKEN at local.environment is not set"),
        opened(tmp_path, NEEDED, local={"environment": ["GITHUB_TOKEN"]}),
    ):
        raise AssertionError


def test_local_limits_hold_for_what_is_built(tmp_path):
    with opened(tmp_path, {}, local={"memory": "64m"}) as host:
        words = (sys.executable, "-c", "x = bytearray(200 << 20); import time; time.sleep(60)")
        invocation = Invocation(argv=words, cwd=tmp_path, environment=(), timeout_seconds=60.0)
        with pytest.raises(MachineError, match="needs more than 64 MiB of memory"):
            host.host.run_process(invocation)


def test_local_limits_are_refused_where_they_cannot_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    with (
        pytest.raises(UsageError, match=r"local\.memory and local\.processes need"),
        opened(tmp_path, {}, local={"processes": 64}),
    ):
        raise AssertionError


@pytest.mark.parametrize("container_cpus", ["0", "0,4000"])
def test_we_keep_off_the_processors_of_containers_and_come_back(tmp_path, container_cpus):
    """A daemon may have processors that we have not."""
    before = os.sched_getaffinity(0)
    docker = {"image": "some:1", "cpus": container_cpus}

    with listening(tmp_path) as (address, _):
        with opened(tmp_path, {"DOCKER_HOST": address}, host="docker", docker=docker):
            assert os.sched_getaffinity(0) == (before - {0} or before)
        assert os.sched_getaffinity(0) == before
