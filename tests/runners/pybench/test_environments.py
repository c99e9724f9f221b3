"""Environments made by uv and by pip: the same suite, and what is said where one cannot be made."""

import re
import shutil
import subprocess
from pathlib import Path

import pluggy
import pytest
from python_making import RING, UV, environment_with, list_suite, plain, prepared, suited

from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing, UsageError
from auditor.core.jobs import CompletedProcess
from auditor.core.outcome import Measured
from auditor.core.request import DistributionSpec, Installer, PythonSpec
from runners.hosts.local import LocalHost
from runners.pybench import environment, versions
from runners.pybench.environment import Environments
from runners.pybench.frontends import FRONTENDS
from runners.pybench.installers import (
    PIP,
    InstallerChoice,
    choose_installer,
    make_install_error,
    uv_version,
)
from runners.pybench.project import prepare_project
from runners.subjects.place import place_subject

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
BOTH_INSTALLERS = pytest.mark.parametrize("installer", ["uv", "pip"])


@pytest.fixture(scope="module")
def with_uv(variables, tmp_path_factory):
    """Return variables with a uv on PATH, and nothing of this machine that pip is told."""
    return environment_with(variables, tmp_path_factory.mktemp("with-uv") / "bin", uv=UV)


@pytest.fixture
def make_project(python_home, with_uv, variables):
    def make(folder, installer="pip", **python_options):
        installer_variables = with_uv if installer == "uv" else variables
        return prepared(
            folder,
            python_home,
            installer_variables,
            installer=Installer(installer),
            **python_options,
        )

    return make


def write(folder, pyproject=PROJECT, module="trouble"):
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text(pyproject)
    (folder / f"{module}.py").write_text("def f(): pass\n")
    (folder / "test_it.py").write_text("def test_it(benchmark): benchmark(int)\n")
    return folder


def test_uv_and_pip_make_environments_of_the_same_suite(python_home, with_uv, variables, tmp_path):
    suites = {}
    for name, installer_variables in (("uv", with_uv), ("pip", variables)):
        (tmp_path / name).mkdir()
        python_options = {"installer": Installer(name)}
        suites[name] = suited(
            RING, python_home, installer_variables, tmp_path / name, **python_options
        )

    by_uv, by_pip = suites["uv"], suites["pip"]
    interpreter = dict(by_uv.project.options)["python"]
    by_users = suited(RING, python_home, variables, tmp_path / "pip", interpreter=interpreter)
    assert by_uv.suite.benchmarks == by_pip.suite.benchmarks
    assert len(by_uv.suite.benchmarks) == 15
    for suite in (by_uv, by_pip):
        outcome = suite.run("test_small[1]", plain(operations=50))
        assert isinstance(outcome, Measured), outcome
    uv, pip = dict(by_uv.project.versions), dict(by_pip.project.versions)
    uv_version = subprocess.run(
        (UV, "--version"), capture_output=True, text=True, check=True
    ).stdout
    assert uv.pop("uv") == uv_version.split()[1]
    assert pip.pop("pip")[0].isdigit()
    assert uv == pip
    assert not {"uv", "pip"} & dict(by_users.project.versions).keys()
    assert by_uv.project.digest != by_pip.project.digest


@BOTH_INSTALLERS
def test_extras_groups_and_requirements_are_installed(installer, make_project, tmp_path):
    more = '[project.optional-dependencies]\nx = ["iniconfig"]\n[dependency-groups]\ng = ["six"]\n'
    folder = write(tmp_path / "project", PROJECT + more)
    python_options = {"extras": ("x",), "groups": ("g",), "requirements": ("idna==3.10",)}

    project = make_project(folder, installer, **python_options)

    python = dict(project.options)["python"]
    completed = subprocess.run(
        (python, "-c", "import iniconfig, six, idna, trouble; print(idna.__version__)"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (completed.stdout, completed.stderr) == ("3.10\n", "")
    assert list_suite(project, tmp_path).benchmarks[0].id == "test_it.py::test_it"


def bench_with_pyperf(folder):
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "trouble.py").write_text("def f(): pass\n")
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "it.py").write_text(
        "import pyperf\nimport trouble\n"
        "if __name__ == '__main__': pyperf.Runner().bench_func('f', trouble.f)\n"
    )
    return folder


@pytest.mark.parametrize("has_tests", [True, False])
def test_pytest_is_installed_for_unit_tests_that_another_program_runs(
    has_tests, python_home, with_uv, tmp_path
):
    folder = bench_with_pyperf(tmp_path / "project")
    if has_tests:
        (folder / "test_trouble.py").write_text("import unittest\n")

    project = prepared(folder, python_home, with_uv, installer=Installer.UV)

    python = dict(project.options)["python"]
    imported = subprocess.run((python, "-c", "import pytest"), capture_output=True, check=False)
    assert (imported.returncode == 0) is has_tests
    assert ("installed to run the unit tests: pytest" in project.requirements) is has_tests


def test_a_pytest_that_cannot_be_installed_is_told_and_ends_nothing(
    python_home, with_uv, tmp_path, monkeypatch
):
    folder = bench_with_pyperf(tmp_path / "project")
    # Environments are kept, so no other test may have this one.
    (folder / "test_trouble.py").write_text("import unittest  # not installed\n")
    install = Environments.install_packages

    def refuse_pytest(*arguments):
        if arguments[-1] == "pytest":
            raise BuildFailed("no index")
        install(*arguments)

    monkeypatch.setattr(Environments, "install_packages", refuse_pytest)

    project = prepared(folder, python_home, with_uv, installer=Installer.UV)

    assert "pytest could not be installed, so unit tests are not counted" in project.requirements


def test_an_option_of_pip_and_its_value_are_two_words(tmp_path):
    calls = []

    class Recorder:
        def run_process(self, invocation):
            calls.append(invocation.argv)
            return CompletedProcess(exit_code=0)

    spec = PythonSpec(requirements=("-r needs.txt", "--requirement=/a b/c.txt", "six ; a"))
    Environments(Recorder(), {}, spec).install_project(Path("python"), PIP, tmp_path, "pytest")

    assert calls[-1][-5:] == ("-r", "needs.txt", "--requirement=/a b/c.txt", "six ; a", "pytest")


@pytest.mark.parametrize(
    ("installer_name", "version", "pip", "tool"),
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
def test_uv_is_taken_unless_pip_is_told_what_uv_would_not_know(installer_name, version, pip, tool):
    assert choose_installer(Installer(installer_name), version, pip) == tool


@pytest.mark.parametrize(
    ("message", "code", "version"),
    [
        (b"uv 0.8.15 (8473ecba1 2025-09-03)\n", 0, "0.8.15"),
        (b"uv 0.6.14\n", 0, ""),
        (b"uv 0.8.15\n", 127, ""),
        (b"something else\n", 0, ""),
    ],
)
def test_a_uv_that_is_too_old_or_none_is_left_alone(message, code, version):
    assert uv_version(CompletedProcess(exit_code=code, stdout=message)) == version


def test_what_pip_is_told_is_asked_of_pip_itself(with_uv, tmp_path):
    pip_conf = tmp_path / "pip.conf"
    pip_conf.write_text("[install]\nindex-url = https://example.org/simple\n")

    def tool(**more):
        environments = Environments(LocalHost(), {**dict(with_uv), **more}, PythonSpec())
        return environments.select_installer(
            environments.choose_interpreter(tmp_path), tmp_path
        ).installer

    assert tool() is Installer.UV
    assert tool(PIP_CONFIG_FILE=str(pip_conf)) is Installer.PIP
    assert tool(PIP_EXTRA_INDEX_URL="https://example.org/simple") is Installer.PIP
    assert tool(PATH="/nowhere:/usr/bin:/bin") in Installer


@BOTH_INSTALLERS
@pytest.mark.parametrize(
    ("python_options", "message"),
    [
        ({"interpreter": "/no/python"}, (ToolMissing, "/no/python was not found")),
        ({"interpreter": "/bin/cat"}, (UsageError, "/bin/cat is not a Python interpreter")),
        ({"requirements": ("no-such-thing-at-all",)}, (ResolveFailed, "no-such-thing-at-all")),
        ({"requirements": ("pytest==0.0.99",)}, (ResolveFailed, "pytest==0.0.99")),
        ({"requirements": ("six<1.16", "six>1.16")}, (BuildFailed, "six")),
        ({"groups": ("bench",)}, (BuildFailed, "dependency.group")),
    ],
)
def test_an_environment_that_cannot_be_made_is_said(
    installer, python_options, message, make_project, tmp_path
):
    error, reason = message

    with pytest.raises(error, match=reason):
        make_project(write(tmp_path / "project"), installer, **python_options)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"setup.py": "raise RuntimeError('not today')\n"}, "RuntimeError: not today"),
        ({"pyproject.toml": PROJECT.replace("py-modules", "packages")}, "'trouble' does not exist"),
        ({"pyproject.toml": "[project\n"}, "unclosed table|Invalid|pars"),
    ],
)
def test_a_project_that_uv_cannot_build_is_said_in_one_line(files, reason, make_project, tmp_path):
    folder = write(tmp_path / "project")
    for name, text in files.items():
        (folder / name).write_text(text)

    with pytest.raises(BuildFailed, match=reason) as caught:
        make_project(folder, "uv")

    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("the environment: uv pip install: ")


def framed(*lines):
    """Return what pip writes where the build of the project writes these lines."""
    frame = "Getting requirements to build editable did not run successfully."
    return "\n".join(
        (
            "  error: subprocess-exited-with-error",
            f"  \u00d7 {frame}",
            "  ╰─> [9 lines of output]",
            *(f"      {line}" for line in lines),
            "      [end of output]",
            "  note: This error originates from a subprocess, and is likely not one of pip.",
            "error: subprocess-exited-with-error",
            f"\u00d7 {frame}",
            "╰─> See above for output.",
            "hint: See above for details.",
        )
    )


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            ["error: Multiple top-level packages discovered in a flat-layout: ['app', 'core']."],
            "error: Multiple top-level packages discovered in a flat-layout: ['app', 'core'].; "
            "name the packages in pyproject.toml, as packages of [tool.setuptools]",
        ),
        (
            ["fatal: not a git repository", "Traceback (most recent call last):",
             "subprocess.CalledProcessError: Command '['git']' returned 128."],
            "fatal: not a git repository; the copy has no .git: let its build have a version "
            "without git",
        ),
        (["something is wrong"], "something is wrong; install what its build needs"),
    ],
)  # fmt: skip
def test_of_a_failed_build_its_own_lines_are_told(lines, reason, tmp_path):
    answer = CompletedProcess(exit_code=1, stderr=framed(*lines).encode())

    error = make_install_error(PIP, answer, "pip install", tmp_path)

    assert str(error) == f"the environment: pip install cannot build the project: {reason}"


def test_uv_tells_the_error_of_a_build_and_not_its_last_line(tmp_path):
    text = "error: The build backend returned an error\n  cause: Call failed\n\n  [stderr]\n"
    text += "  error: Unknown option: speed\n\n  To find more, look for it on the docs.\n"
    answer = CompletedProcess(exit_code=1, stderr=text.encode())

    error = make_install_error(InstallerChoice(Installer.UV), answer, "uv pip install", tmp_path)

    assert str(error).endswith(": Call failed: error: Unknown option: speed")


@pytest.mark.parametrize(
    ("files", "message", "reason"),
    [
        (
            {"pyproject.toml": "[project\n"},
            "ERROR: Exception:\nTraceback (most recent call last):\nTOMLDecodeError: x",
            r"pyproject.toml cannot be parsed: .*line 1.*; repair it",
        ),
        (
            {"setup.cfg": "[metadata]\n"},
            "ERROR: file:///x does not appear to be a Python project: neither 'setup.py' nor",
            "there is no pyproject.toml and no setup.py; add a pyproject.toml with build-system",
        ),
        (
            {},
            "ERROR: Exception:\nTraceback (most recent):\nOSError: full",
            "OSError: full",
        ),
    ],
)
def test_what_is_wrong_with_the_projects_file_is_told(files, message, reason, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    answer = CompletedProcess(exit_code=2, stderr=message.encode())

    error = make_install_error(PIP, answer, "pip install", tmp_path)

    assert re.search(reason, str(error))
    assert "Exception:" not in str(error)


def test_a_uv_that_is_asked_for_and_missing_is_said(variables, python_home, tmp_path):
    changed_variables = {**dict(variables), "PATH": "/usr/bin:/bin"}

    with pytest.raises(ToolMissing, match=r"uv 0\.7 or newer was not found on PATH"):
        prepared(
            write(tmp_path / "p"), python_home, changed_variables.items(), installer=Installer.UV
        )


def test_a_machine_without_python_is_told_so(variables, python_home, tmp_path):
    (tmp_path / "bin").mkdir()
    changed_variables = {**dict(variables), "PATH": str(tmp_path / "bin")}

    with pytest.raises(ToolMissing, match=r"python3 was not found; install Python 3.9 or newer"):
        prepared(write(tmp_path / "p"), python_home, changed_variables.items())


def version(project, name="dated"):
    python = dict(project.options)["python"]
    code = f"from importlib.metadata import version; print(version({name!r}))"
    completed = subprocess.run((python, "-c", code), capture_output=True, text=True, check=True)
    return completed.stdout.strip()


@BOTH_INSTALLERS
def test_a_version_that_comes_from_a_repository_is_made_up_where_it_is_not_known(
    installer, make_project, tmp_path
):
    project = make_project(write(tmp_path / "project", DATED, "dated"), installer)

    assert list_suite(project, tmp_path).benchmarks[0].id == "test_it.py::test_it"
    assert version(project) == "9999.0"


def test_a_version_is_that_of_the_last_tag_and_stays_it_until_the_next_one(make_project, tmp_path):
    folder = write(tmp_path / "project", DATED, "dated")
    for call in ("init -q", "add -A", "commit -qm one", "tag v1.4", "commit -qm 2 --allow-empty"):
        subprocess.run(("git", *SOMEBODY, *call.split()), cwd=folder, check=True)

    project = make_project(folder, "uv")
    (folder / "dated.py").write_text("def f(): return 1\n")

    assert version(project) == "1.4"
    assert version(make_project(folder, "uv")) == "1.4"


def test_a_version_that_is_made_up_is_a_release_where_the_suites_tools_need_the_project(
    make_project, tmp_path
):
    """Pytest has capped pluggy's version since 5.0, so one of 9999 would bring an older pytest."""
    text = DATED.replace('"dated"', '"pluggy"')
    folder = write(tmp_path / "project", text, "pluggy")
    shutil.copytree(Path(pluggy.__file__).parent, folder / "pluggy")
    (folder / "pyproject.toml").write_text(text.replace("py-modules", "packages"))

    project = make_project(folder)

    assert version(project, "pluggy").startswith("1.")
    assert int(version(project, "pytest").split(".")[0]) >= 8


def test_an_interpreter_that_the_project_needs_is_taken_from_the_path(variables, tmp_path):
    folder = write(tmp_path / "p", PROJECT.replace('"1"', '"1"\nrequires-python = ">=3.24"'))
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    changed_variables = {**dict(variables), "PATH": f"{bin_}:{dict(variables)['PATH']}"}
    environments = Environments(LocalHost(), changed_variables, PythonSpec())
    with pytest.raises(ToolMissing) as caught:
        environments.choose_interpreter(folder)

    newer = bin_ / "python3.24"
    newer.write_text(f"#!/bin/sh\nprintf 'cpython\\t3.24.1\\t{newer}\\n'\n")
    newer.chmod(0o755)

    assert str(caught.value).startswith("the project needs Python >=3.24; installed: 3.")
    assert "; install one that fits as python3.N on PATH, or name one" in str(caught.value)
    interpreter = environments.choose_interpreter(folder)
    assert (interpreter.path, interpreter.version) == (newer, "3.24.1")
    assert interpreter.notes == (f"the project needs Python >=3.24: {newer} is taken",)


@pytest.mark.parametrize(
    ("files", "required"),
    [
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.12"\n'}, ">=3.12"),
        ({"setup.cfg": "[options]\npython_requires = >=3.8\n"}, ">=3.8"),
        ({"setup.py": "from setuptools import setup\nsetup(python_requires='>=3.7')\n"}, ">=3.7"),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.12'\n"}, ">=3.12,<4"),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '~3.9.1'\n"}, ">=3.9.1,<3.10"),
        (
            {"pyproject.toml": "[tool.poetry.dependencies]\npython = '~3.9,!=3.9.2'\n"},
            ">=3.9,<3.10,!=3.9.2",
        ),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '~2.7 || ^3.6'\n"}, ""),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '*'\n"}, ""),
        ({"pyproject.toml": "[project\n", "setup.py": "(((\n"}, ""),
        ({"setup.py": "setup(python_requires=needed)\n"}, ""),
    ],
)
def test_the_python_that_a_project_needs_is_read(files, required, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert environment.required_python(tmp_path) == required


@pytest.mark.parametrize(
    ("installed_version", "required", "is_fit"),
    [
        ("3.11.7", ">=3.12,!=3.14.1", False),
        ("3.13.0rc1", ">=3.12", True),
        ("pypy 3.10.14", ">=3.9,<4", True),
        ("3.11.7", "about 3", True),
        ("3.11.7", "", True),
    ],
)
def test_a_version_of_python_is_held_against_what_is_needed(installed_version, required, is_fit):
    assert environment.satisfies_requirement(installed_version, required) == is_fit


@BOTH_INSTALLERS
def test_a_build_may_import_what_lies_in_the_tree(installer, make_project, tmp_path):
    folder = write(tmp_path / "project")
    (folder / "pyproject.toml").write_text(PROJECT.replace('"setuptools"', '"setuptools", "wheel"'))
    (folder / "made_of.py").write_text("name = 'trouble'\n")
    (folder / "setup.py").write_text(
        "import subprocess, sys\nfrom setuptools import setup\n"
        "subprocess.run((sys.executable, 'look.py'), check=True)\nsetup()\n"
    )
    (folder / "look.py").write_text("import made_of\n")

    assert (
        list_suite(make_project(folder, installer), tmp_path).benchmarks[0].id
        == "test_it.py::test_it"
    )


def test_a_build_that_lacks_a_header_or_a_submodule_says_which_and_is_tried_once(
    make_project, tmp_path
):
    groups = '[dependency-groups]\ntest = ["six"]\nbenchmark = ["idna"]\n'
    folder = write(tmp_path / "project", PROJECT + groups)
    (folder / "setup.py").write_text(
        "from setuptools import Extension, setup\n"
        f"with open({str(tmp_path / 'tries')!r}, 'a') as file: file.write('x')\n"
        "setup(ext_modules=[Extension('made', ['made.c'])])\n"
    )
    (folder / "made.c").write_text("#include <no_such_header.h>\n")
    with pytest.raises(BuildFailed) as caught:
        make_project(folder)
    tries = (tmp_path / "tries").stat().st_size

    (folder / ".gitmodules").write_text('[submodule "x"]\n\tpath = vendor/x\n\turl = ../x\n')
    with pytest.raises(
        BuildFailed, match=r"no_such.*; submodules are not checked out \(vendor/x\)"
    ):
        make_project(folder)

    assert str(caught.value).startswith("the environment: pip install cannot build the project: ")
    assert "no_such_header.h" in str(caught.value)
    assert str(caught.value).endswith("; install what its build needs")
    assert (tmp_path / "tries").stat().st_size == 2 * tries <= 8


def test_a_source_distribution_has_its_own_version(python_home, variables, tmp_path):
    """Pytest itself needs pluggy, and one that is not too new."""
    common = {"home": python_home, "host": LocalHost(), "environment": variables}
    placed = place_subject(DistributionSpec("pluggy", "1.7.0"), **common)

    project = prepare_project(placed, python=PythonSpec(), frontend=FRONTENDS["pytest"], **common)

    assert len(list_suite(project, tmp_path).benchmarks) == 27
    assert version(project, "pluggy") == "1.7.0"


@pytest.mark.parametrize(
    ("tag", "expected"),
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
def test_a_version_is_read_out_of_a_tag(tag, expected):
    assert versions.parse_tag_version(tag) == expected


@pytest.mark.parametrize("accepted", ["3.24", "tools"])
def test_a_version_that_pyenv_has_is_taken_activated_or_not_where_the_project_needs_it(
    accepted, variables, tmp_path
):
    folder = write(tmp_path / "p", PROJECT.replace('"1"', '"1"\nrequires-python = ">=3.24"'))
    shim = tmp_path / "bin" / "python3.24"
    shim.parent.mkdir()
    shim.write_text(
        f'#!/bin/sh\n[ "$PYENV_VERSION" = {accepted} ] || exit 127\n'
        "printf 'cpython\\t3.24.1\\t/versions/3.24.1/bin/python3.24\\n'\n"
    )
    shim.chmod(0o755)
    path = f"{shim.parent}:{dict(variables)['PATH']}"
    activated = {**dict(variables), "PATH": path, "PYENV_VERSION": "tools"}
    environments = Environments(LocalHost(), activated, PythonSpec())

    assert environments.choose_interpreter(folder).version == "3.24.1"
