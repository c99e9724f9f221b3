"""A library and its suite, compiled with the real JMH."""

import os
import shutil

import pytest
from jmh_making import Suited, environment, jmh_jars, suited
from warm import Warm

from runners.home import HomeFolder


@pytest.fixture(scope="session")
def jmh_home(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> HomeFolder:
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    return HomeFolder(warm.home(tmp_path_factory.mktemp("jmh-home")))


@pytest.fixture(scope="session")
def jmh(jmh_home: HomeFolder, tmp_path_factory: pytest.TempPathFactory) -> Suited:
    jars = jmh_jars(jmh_home)["1.37"]
    return suited(jmh_home, jars, tmp_path_factory.mktemp("suite"), environment(os.environ))


@pytest.fixture(scope="session")
def old_jmh(jmh_home: HomeFolder, tmp_path_factory: pytest.TempPathFactory) -> Suited:
    jars = jmh_jars(jmh_home)["1.21"]
    return suited(jmh_home, jars, tmp_path_factory.mktemp("suite"), environment(os.environ))


@pytest.fixture(params=["jmh", "old_jmh"])
def any_jmh(request: pytest.FixtureRequest) -> Suited:
    fixture: Suited = request.getfixturevalue(request.param)
    return fixture
