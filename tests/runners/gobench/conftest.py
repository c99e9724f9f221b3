"""Go subjects, made ready once."""

import os
import shutil
from pathlib import Path

import pytest
from gobench_making import lab

from auditor.core.jobs import Invocation
from runners.home import HomeFolder
from runners.hosts.local import LocalHost

RING = Path(__file__).parents[2] / "subjects" / "go-ring"


@pytest.fixture(scope="session")
def go_home(warm, tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    return HomeFolder(warm.home(tmp_path_factory.mktemp("go-home")))


@pytest.fixture(scope="session")
def ring(go_home, tmp_path_factory):
    tree = tmp_path_factory.mktemp("ring") / "go-ring"
    shutil.copytree(RING, tree)
    return lab(tree, go_home, os.environ)


@pytest.fixture(scope="session")
def uuid(go_home, tmp_path_factory):
    """The real module, fetched into a folder that stands for the user's module cache."""
    module_cache = tmp_path_factory.mktemp("theirs")
    environment = {**os.environ, "GOMODCACHE": str(module_cache), "GOFLAGS": "-modcacherw"}
    answer = LocalHost().run_process(
        Invocation(
            argv=("go", "mod", "download", "github.com/google/uuid@v1.6.0"),
            cwd=module_cache,
            environment=tuple(sorted(environment.items())),
            timeout_seconds=120,
        )
    )
    if answer.exit_code != 0:
        pytest.skip(f"github.com/google/uuid cannot be downloaded: {answer.format_tail(2)}")
    tree = tmp_path_factory.mktemp("uuid") / "uuid"
    shutil.copytree(module_cache / "github.com/google/uuid@v1.6.0", tree)
    return lab(tree, go_home, environment)
