"""What the tests of a Python project need, and which of its options for pytest are kept."""

import importlib
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from auditor.core.request import PythonSpec
from runners import pybench
from runners.pybench.frontends import FRONTENDS
from runners.pybench.needs import find_suite_needs, imported_plugins
from runners.pybench.pytest_options import list_project_options


def write_project(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_conf_json", ".conf.json")
        for ending in ("toml", "cfg", "txt", "ini", "py"):
            path = path.with_name(re.sub(f"_{ending}$", f".{ending}", path.name))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "extras", "groups", "requirements"),
    [
        ({}, (), (), []),
        ({"pyproject_toml": "[project.optional-dependencies]\ndev = []\nTests = ['pytest']"},
         ("Tests",), (), []),
        ({"pyproject_toml": "[dependency-groups]\ndocs = []\ndev = []"}, (), ("dev",), []),
        ({"pyproject_toml": "[dependency-groups]\nbench = ['x']\ntest = ['y']\ndev = ['pytest']"},
         (), ("bench", "test", "dev"), []),
        ({"pyproject_toml": "[dependency-groups]\nbenchmark-extra = ['pytest']\nlint-test = []"},
         (), ("benchmark-extra",), []),
        ({"setup_cfg": "[options.extras_require]\ntest = x\n"}, ("test",), (), []),
        ({"requirements__dev_txt": "x", "requirements-test_txt": "pytest"}, (), (),
         ["requirements-test.txt"]),
        ({"requirements__codspeed_txt": "x", "requirements__test_txt": "pytest"}, (), (),
         ["requirements/codspeed.txt", "requirements/test.txt"]),
        ({"tox_ini": "[testenv]\ndeps =\n  pytest\n  py39: old\n  -r{toxinidir}/needs_txt\n"
          "extras = fast\n[testenv:bench]\ndeps = pyperf\n[testenv:lint]\ndeps = ruff\n"},
         ("fast",), (), ["pyperf", "pytest"]),
        ({"noxfile_py": "@nox.session\ndef tests(session):\n"
          "    session.install('.[fast]', 'pytest', '-c', '{no}')\n"}, ("fast",), (), ["pytest"]),
        ({"asv_conf_json": '{\n// what\n"matrix": {"req": {"numpy": ["1.26"], "six": []},},}'},
         (), (), ["numpy==1.26", "six"]),
        ({"asv_conf_json": '{"repo": "https://x", // the "clone"\n"matrix": {"six": ["2,]"], },}'},
         (), (), ["six==2,]"]),
        ({"asv_conf_json": '{"repo": "."}', "pyproject_toml": "[dependency-groups]\ndev = ['x']"},
         (), ("dev",), []),
        ({"requirements_txt": "x", "pyproject_toml": "[tool.ruff]"}, (), (), ["requirements.txt"]),
        ({"requirements_txt": "x", "requirements-test_txt": "y"}, (), (),
         ["requirements-test.txt", "requirements.txt"]),
        ({"requirements_txt": "x", "setup_py": "setup(install_requires=needs)"}, (), (), []),
        ({"requirements_txt": "x", "pyproject_toml": "[project]\ndynamic = ['dependencies']"},
         (), (), []),
        ({"requirements_txt": "x", "pyproject_toml": "[tool.poetry.dependencies]\nsix = '^1'"},
         (), (), []),
        ({"Pipfile": "[packages]\nsix = '*'\nours = {path = '.'}\n[dev-packages]\n"
          "idna = '>=3'\nrich = {version = '*', extras = ['a'], markers = 'os_name == \"nt\"'}"},
         (), (), ["six", "idna>=3", 'rich[a] ; os_name == "nt"']),
        ({"pyproject_toml": "[tool.poetry.group.test.dependencies]\npytest = '^8'\n"},
         (), (), ["pytest"]),
        ({"pyproject_toml": "[tool.pdm.dev-dependencies]\ntest = ['pytest', '--index-url=x']\n"},
         (), (), ["pytest"]),
        ({"pyproject_toml": "[project"}, (), (), []),
        ({"pyproject_toml": "a = " + "[" * 3000}, (), (), []),
        ({"tox_ini": "[testenv"}, (), (), []),
        ({"noxfile_py": "def ("}, (), (), []),
        ({"asv_conf_json": "[" * 100000}, (), (), []),
    ],
)  # fmt: skip
def test_what_a_project_declares_for_its_tests_and_benchmarks(
    files, extras, groups, requirements, tmp_path
):
    most, *_ = find_suite_needs(PythonSpec(), write_project(tmp_path, **files))

    spec = most.spec
    named = [
        requirement.removeprefix(f"--requirement={tmp_path}/") for requirement in spec.requirements
    ]
    assert (spec.extras, spec.groups, named) == (extras, groups, requirements)


def test_groups_that_are_asked_for_are_all(tmp_path):
    folder = write_project(tmp_path, pyproject_toml="[project.optional-dependencies]\ntest = []")

    (only,) = find_suite_needs(PythonSpec(groups=("ci",), requirements=("six",)), folder)

    assert only.spec == PythonSpec(groups=("ci",), requirements=("six",))


def test_requirements_add_to_what_is_declared(tmp_path):
    folder = write_project(tmp_path, pyproject_toml="[project.optional-dependencies]\ntest = []")

    tried = find_suite_needs(PythonSpec(requirements=("six",)), folder)

    assert [(needs.spec.extras, needs.spec.requirements) for needs in tried] == [
        (("test",), ("six",)),
        ((), ("six",)),
    ]


def test_less_is_tried_where_all_cannot_be_had(tmp_path):
    text = "[dependency-groups]\nbench = ['x']\ntest = ['pytest']"

    tried = find_suite_needs(PythonSpec(), write_project(tmp_path, pyproject_toml=text))

    assert [needs.spec.groups for needs in tried] == [("bench", "test"), ("bench",), ("test",), ()]
    assert tried[0].names == ("group bench", "group test")


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import pytest_codspeed\ndef test_a(benchmark): 0", ("pytest_codspeed",)),
        ("pytest.importorskip('pytest_benchmark')", ("pytest_benchmark",)),
        ("@pytest.mark.asyncio\nasync def test_a(benchmark): 0", ("pytest_asyncio",)),
        ("# a bench of pyperf", ()),
    ],
)
def test_plugins_that_a_suite_imports(text, modules, tmp_path):
    assert imported_plugins(write_project(tmp_path, test_a_py=text)) == modules


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"pytest_ini": "[pytest]\naddopts = -p own.plugin --cov=x -n 4 -m 'not slow' -Werror"},
         ("-p", "own.plugin", "-m", "not slow", "-W", "error")),
        ({"pyproject_toml": '[tool.pytest.ini_options]\naddopts = ["--pyargs", "--ignore=a"]'},
         ("--pyargs", "--ignore=a")),
        ({"setup_cfg": "[tool:pytest]\naddopts = -p no:cov -p xdist -p pytest_randomly -p kept"},
         ("-p", "kept")),
        ({"pytest_ini": "[pytest]\n", "tox_ini": "[pytest]\naddopts = --pyargs"}, ()),
        ({"pyproject_toml": "[tool.pytest.ini_options]\naddopts = 5"}, ()),
        ({"pyproject_toml": "a = " + "[" * 3000}, ()),
        ({"tox_ini": "[pytest]\naddopts = -m 'open"}, ()),
        ({}, ()),
    ],
)  # fmt: skip
def test_options_that_decide_which_tests_run_are_kept(files, options, tmp_path):
    texts = list_project_options(
        write_project(tmp_path, **files), frozenset({"cov", "xdist", "randomly"})
    )

    assert texts == options


def test_a_plugin_that_the_project_leaves_out_of_its_unit_tests_is_there_for_benchmarks(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:benchmark -p kept\n")
    (tmp_path / "test_it.py").write_text("def test_a(benchmark): benchmark(sum, [1])\n")

    words = FRONTENDS["pytest"].call(["test_it.py"], tmp_path)

    assert "no:benchmark" not in words
    assert "kept" in words


def test_a_fixture_that_is_missing_is_the_reason_and_not_the_place_of_the_test(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(pybench.__file__).parent / "guest"))
    guest = importlib.import_module("zz_bench_audit_pytest")
    lookup = SimpleNamespace(errorstring="fixture 'timed' not found\navailable fixtures: a")

    assert guest.failure_reason(SimpleNamespace(longrepr=lookup)) == "fixture 'timed' not found"
