import json
import os
import shutil

import pytest
from fake_host import FakeHost
from subject_trees import everything, make, names

from auditor.core.errors import ResolveFailed, UsageError
from auditor.core.jobs import CompletedProcess
from auditor.core.request import GoModuleSpec
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.subjects.place import place_subject

UUID = GoModuleSpec("github.com/google/uuid", "v1.6.0")
PASSED_ON = ("PATH", "GOPROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy")


def environment(home, **more):
    passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    return tuple(sorted({**passed, "HOME": str(home), **more}.items()))


def answering(download):
    def answer(job):
        if job.argv[1] == "env":
            settings = {"GOPROXY": "https://proxy.example", "GOMODCACHE": "/m", "GOENV": "/e"}
            return CompletedProcess(exit_code=0, stdout=json.dumps(settings).encode())
        return CompletedProcess(exit_code=1, stdout=json.dumps({"Error": download}).encode())

    return FakeHost(answer)


def test_a_version_that_does_not_exist_is_the_users_affair(tmp_path):
    host = answering("m@v9: invalid version: unknown revision v9")

    with pytest.raises(UsageError, match="go:m@v9 is not a published module version"):
        place_subject(GoModuleSpec("m", "v9"), home=HomeFolder(tmp_path), host=host, environment=())


def test_a_proxy_that_is_not_reached_is_the_networks_affair(tmp_path):
    host = answering("m@v1.0.0: Get https://proxy.example: dial tcp: lookup x: no such host")

    with pytest.raises(ResolveFailed, match=r"cannot get go:m@v1\.0\.0: .*check the network"):
        place_subject(
            GoModuleSpec("m", "v1.0.0"), home=HomeFolder(tmp_path), host=host, environment=()
        )


@pytest.mark.subject
@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_a_published_module_is_placed_and_nothing_of_the_users_is_written_to(tmp_path):
    user_folder = make(tmp_path / "user", go__pkg__keep="x", _dot_config__go__env="GOFLAGS=-v\n")
    before = everything(user_folder)
    home = HomeFolder(tmp_path / "home")

    subject = place_subject(UUID, home=home, host=LocalHost(), environment=environment(user_folder))

    assert (subject.name, subject.revision) == ("github.com/google/uuid", "v1.6.0")
    assert {"go.mod", "uuid.go", "uuid_test.go"} <= names(subject.tree)
    assert os.access(subject.tree / "uuid.go", os.W_OK)
    assert everything(user_folder) == before

    # What the user has already downloaded needs no network, and stays as it is.
    user_cache = home.make_cache_folder("go-modules")
    before = everything(user_cache)
    offline = environment(user_folder, GOMODCACHE=str(user_cache), GOPROXY="https://127.0.0.1:9")
    offline_subject = place_subject(
        UUID, home=HomeFolder(tmp_path / "two"), host=LocalHost(), environment=offline
    )

    assert offline_subject.digest_of_tree == subject.digest_of_tree
    assert everything(user_cache) == before


@pytest.mark.subject
@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_a_module_without_a_network_is_one_line(tmp_path):
    offline = environment(tmp_path, GOPROXY="https://127.0.0.1:9", GONOSUMDB="*", GOSUMDB="off")

    with pytest.raises(ResolveFailed, match="check the network") as failure:
        place_subject(
            UUID, home=HomeFolder(tmp_path / "home"), host=LocalHost(), environment=offline
        )

    assert "\n" not in str(failure.value)
