"""The real program, with caches that are filled once."""

import shutil

import pytest
from real_program import Program, tiny


@pytest.fixture(scope="session")
def shared_cache(warm, tmp_path_factory):
    cache = tmp_path_factory.mktemp("program-cache")
    warm.home(cache / "bench-audit")
    return cache


@pytest.fixture
def program(tmp_path, shared_cache):
    return Program.below(tmp_path, shared_cache)


@pytest.fixture
def module(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    return tiny(tmp_path / "tiny")
