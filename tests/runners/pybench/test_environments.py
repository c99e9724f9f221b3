"""Environments made by uv and by pip: the same suite, and what is said where one cannot be made."""

import subprocess

import pytest
from python_making import RING, UV, environment_with, listed, plain, prepared, suited

from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing, UsageError
from auditor.core.jobs import Completed
from auditor.core.outcome import Measured
from auditor.core.request import DistributionSpec, Installer, PythonSpec
from runners.hosts.local import LocalHost
from runners.pybench import versions
from runners.pybench.environment import Environments
from runners.pybench.frontends import FRONTENDS
from runners.pybench.installers import PIP, InstallerChoice, choose_installer, uv_version
from runners.pybench.project import prepare
from runners.subjects.place import place

pytestmark = pytest.mark.subject

PROJECT = """[project]
name = "trouble"
version = "1"
[build-system]
requires = ["setuptools"]
[tool.setuptools]
py-modules = ["trouble"]
"""
DATED = """[project]
name = "dated"
dynamic = ["version"]
[tool.setuptools_scm]
[build-system]
requires = ["setuptools", "setuptools-scm"]
[tool.setuptools]
py-modules = ["dated"]
"""
SOMEBODY = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
BOTH = pytest.mark.parametrize("installer", ["uv", "pip"])


@pytest.fixture(scope="module")
def with_uv(variables, tmp_path_factory):
    """Return variables with a uv on PATH, and nothing of this machine that pip is told."""
    return environment_with(variables, tmp_path_factory.mktemp("with-uv") / "bin", uv=UV)


@pytest.fixture
def made(python_home, with_uv, variables):
    def make(folder, installer="pip", **asked):
        given = with_uv if installer == "uv" else variables
        return prepared(folder, python_home, given, installer=Installer(installer), **asked)

    return make


def write(folder, pyproject=PROJECT, module="trouble"):
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text(pyproject)
    (folder / f"{module}.py").write_text("def f(): pass\n")
    (folder / "test_it.py").write_text("def test_it(benchmark): benchmark(int)\n")
    return folder


def test_uv_and_pip_make_environments_of_the_same_suite(python_home, with_uv, variables, tmp_path):
    suites = {}
    for name, given in (("uv", with_uv), ("pip", variables)):
        (tmp_path / name).mkdir()
        asked = {"installer": Installer(name)}
        suites[name] = suited(RING, python_home, given, tmp_path / name, **asked)

    by_uv, by_pip = suites["uv"], suites["pip"]
    own = dict(by_uv.project.options)["python"]
    by_users = suited(RING, python_home, variables, tmp_path / "pip", interpreter=own)
    assert by_uv.suite.benchmarks == by_pip.suite.benchmarks
    assert len(by_uv.suite.benchmarks) == 15
    for each in (by_uv, by_pip):
        outcome = each.run("test_small[1]", plain(operations=50))
        assert isinstance(outcome, Measured), outcome
    uv, pip = dict(by_uv.project.versions), dict(by_pip.project.versions)
    own = subprocess.run((UV, "--version"), capture_output=True, text=True, check=True).stdout
    assert uv.pop("uv") == own.split()[1]
    assert pip.pop("pip")[0].isdigit()
    assert uv == pip
    assert not {"uv", "pip"} & dict(by_users.project.versions).keys()
    assert by_uv.project.digest != by_pip.project.digest


@BOTH
def test_extras_groups_and_requirements_are_installed(installer, made, tmp_path):
    more = '[project.optional-dependencies]\nx = ["iniconfig"]\n[dependency-groups]\ng = ["six"]\n'
    folder = write(tmp_path / "project", PROJECT + more)
    asked = {"extras": ("x",), "groups": ("g",), "requirements": ("idna==3.10",)}

    project = made(folder, installer, **asked)

    python = dict(project.options)["python"]
    completed = subprocess.run(
        (python, "-c", "import iniconfig, six, idna, trouble; print(idna.__version__)"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (completed.stdout, completed.stderr) == ("3.10\n", "")
    assert listed(project, tmp_path).benchmarks[0].id == "test_it.py::test_it"


@pytest.mark.parametrize(
    ("asked", "version", "pip", "tool"),
    [
        ("auto", "1.0", {}, InstallerChoice(Installer.UV, "1.0")),
        ("auto", "", {}, PIP),
        ("pip", "", {}, PIP),
        ("auto", "1.0", {"timeout": "9"}, InstallerChoice(Installer.UV, "1.0")),
        ("auto", "1.0", {"index-url": "https://example.org"}, PIP),
        ("auto", "1.0", {"find-links": "/wheels"}, PIP),
        ("auto", "1.0", {"constraint": "c.txt"}, PIP),
        ("uv", "1.0", {"index-url": "https://example.org"}, InstallerChoice(Installer.UV, "1.0")),
        (
            "uv",
            "1.0",
            {"cert": "/a"},
            InstallerChoice(Installer.UV, "1.0", (("SSL_CERT_FILE", "/a"),)),
        ),
    ],
)
def test_uv_is_taken_unless_pip_is_told_what_uv_would_not_know(asked, version, pip, tool):
    assert choose_installer(Installer(asked), version, pip) == tool


@pytest.mark.parametrize(
    ("said", "code", "version"),
    [
        (b"uv 0.8.15 (8473ecba1 2025-09-03)\n", 0, "0.8.15"),
        (b"uv 0.6.14\n", 0, ""),
        (b"uv 0.8.15\n", 127, ""),
        (b"something else\n", 0, ""),
    ],
)
def test_a_uv_that_is_too_old_or_none_is_left_alone(said, code, version):
    assert uv_version(Completed(exit_code=code, stdout=said)) == version


def test_what_pip_is_told_is_asked_of_pip_itself(with_uv, tmp_path):
    told = tmp_path / "pip.conf"
    told.write_text("[install]\nindex-url = https://example.org/simple\n")

    def tool(**more):
        environments = Environments(LocalHost(), {**dict(with_uv), **more}, PythonSpec())
        return environments.tool(environments.base(tmp_path), tmp_path).installer

    assert tool() is Installer.UV
    assert tool(PIP_CONFIG_FILE=str(told)) is Installer.PIP
    assert tool(PIP_EXTRA_INDEX_URL="https://example.org/simple") is Installer.PIP
    assert tool(PATH="/nowhere:/usr/bin:/bin") in Installer


@BOTH
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"interpreter": "/no/python"}, (ToolMissing, "/no/python was not found")),
        ({"interpreter": "/bin/cat"}, (UsageError, "/bin/cat is not a Python interpreter")),
        ({"requirements": ("no-such-thing-at-all",)}, (ResolveFailed, "no-such-thing-at-all")),
        ({"requirements": ("pytest==0.0.99",)}, (ResolveFailed, "pytest==0.0.99")),
        ({"requirements": ("six<1.16", "six>1.16")}, (BuildFailed, "six")),
        ({"groups": ("bench",)}, (BuildFailed, "dependency.group")),
    ],
)
def test_an_environment_that_cannot_be_made_is_said(installer, asked, said, made, tmp_path):
    error, why = said

    with pytest.raises(error, match=why):
        made(write(tmp_path / "project"), installer, **asked)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"setup.py": "raise RuntimeError('not today')\n"}, "RuntimeError: not today"),
        ({"pyproject.toml": PROJECT.replace("py-modules", "packages")}, "'trouble' does not exist"),
        ({"pyproject.toml": "[project\n"}, "unclosed table|Invalid|pars"),
    ],
)
def test_a_project_that_uv_cannot_build_is_said_in_one_line(files, why, made, tmp_path):
    folder = write(tmp_path / "project")
    for name, text in files.items():
        (folder / name).write_text(text)

    with pytest.raises(BuildFailed, match=why) as caught:
        made(folder, "uv")

    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("the environment: uv pip install: ")


def test_a_uv_that_is_asked_for_and_missing_is_said(variables, python_home, tmp_path):
    given = {**dict(variables), "PATH": "/usr/bin:/bin"}

    with pytest.raises(ToolMissing, match=r"uv 0\.7 or newer was not found on PATH"):
        prepared(write(tmp_path / "p"), python_home, given.items(), installer=Installer.UV)


def test_a_machine_without_python_is_told_so(variables, python_home, tmp_path):
    (tmp_path / "bin").mkdir()
    given = {**dict(variables), "PATH": str(tmp_path / "bin")}

    with pytest.raises(ToolMissing, match=r"python3 was not found; install Python 3.9 or newer"):
        prepared(write(tmp_path / "p"), python_home, given.items())


def version(project, name="dated"):
    python = dict(project.options)["python"]
    code = f"from importlib.metadata import version; print(version({name!r}))"
    completed = subprocess.run((python, "-c", code), capture_output=True, text=True, check=True)
    return completed.stdout.strip()


@BOTH
def test_a_version_that_comes_from_a_repository_is_made_up_where_it_is_not_known(
    installer, made, tmp_path
):
    project = made(write(tmp_path / "project", DATED, "dated"), installer)

    assert listed(project, tmp_path).benchmarks[0].id == "test_it.py::test_it"
    assert version(project) == "9999.0"


def test_a_version_is_that_of_the_last_tag_and_stays_it_until_the_next_one(made, tmp_path):
    folder = write(tmp_path / "project", DATED, "dated")
    for call in ("init -q", "add -A", "commit -qm one", "tag v1.4", "commit -qm 2 --allow-empty"):
        subprocess.run(("git", *SOMEBODY, *call.split()), cwd=folder, check=True)

    project = made(folder, "uv")
    (folder / "dated.py").write_text("def f(): return 1\n")

    assert version(project) == "1.4"
    assert version(made(folder, "uv")) == "1.4"


def test_a_source_distribution_has_its_own_version(python_home, variables, tmp_path):
    """Pytest itself needs pluggy, and one that is not too new."""
    common = {"home": python_home, "host": LocalHost(), "environment": variables}
    placed = place(DistributionSpec("pluggy", "1.7.0"), **common)

    project = prepare(placed, python=PythonSpec(), frontend=FRONTENDS["pytest"], **common)

    assert len(listed(project, tmp_path).benchmarks) == 27
    assert version(project, "pluggy") == "1.7.0"


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ("v1.2.3", "1.2.3"),
        ("1.2", "1.2"),
        ("V2.0rc1", "2.0rc1"),
        ("lib-name-3.4.0", "3.4.0"),
        ("release/0.9.post1", "0.9.post1"),
        ("1.0.0-rc.1", "1.0.0-rc.1"),
        ("release_1_2_3", ""),
        ("v5", ""),
        ("1.2-final", ""),
        ("main", ""),
        ("", ""),
    ],
)
def test_a_version_is_read_out_of_a_tag(tag, found):
    assert versions.of_tag(tag) == found
