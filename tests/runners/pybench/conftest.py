"""A Python project with its environment, made once."""

import os
from pathlib import Path

import pytest
from python_making import RING, Suited, environment, suited

from runners.home import HomeFolder


@pytest.fixture(scope="session")
def python_home(tmp_path_factory):
    return HomeFolder(tmp_path_factory.mktemp("python-home"))


@pytest.fixture(scope="session")
def variables(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="session")
def ring(python_home, variables, tmp_path_factory) -> Suited:
    return suited(RING, python_home, variables, tmp_path_factory.mktemp("ring"))


@pytest.fixture(scope="session")
def interpreter(ring) -> str:
    """Return an interpreter with pytest and pytest-benchmark."""
    path = dict(ring.project.options)["python"]
    assert Path(path).is_file()
    assert os.access(path, os.X_OK)
    return path
