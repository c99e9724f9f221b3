"""What the tests of a Python project need, and which of its options for pytest are kept."""

import pytest

from auditor.core.request import PythonSpec
from runners.pybench.pytest_options import kept
from runners.pybench.testing import with_test_needs


def written(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_toml", ".toml").replace("_cfg", ".cfg")
        path = path.with_name(path.name.replace("_txt", ".txt").replace("_ini", ".ini"))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "extras", "groups", "requirements"),
    [
        ({}, (), (), 0),
        ({"pyproject_toml": "[project.optional-dependencies]\ndev = []\nTests = []"},
         ("Tests",), (), 0),
        ({"pyproject_toml": "[dependency-groups]\ndocs = []\ndev = []"}, (), ("dev",), 0),
        ({"setup_cfg": "[options.extras_require]\ntest = x\n"}, ("test",), (), 0),
        ({"requirements__dev_txt": "x", "requirements-test_txt": "x"}, (), (), 1),
        ({"pyproject_toml": "[project"}, (), (), 0),
        ({"pyproject_toml": "a = " + "[" * 3000}, (), (), 0),
    ],
)  # fmt: skip
def test_the_first_of_each_kind_with_a_usual_name(files, extras, groups, requirements, tmp_path):
    found = with_test_needs(PythonSpec(), written(tmp_path, **files))

    assert (found.extras, found.groups) == (extras, groups)
    assert len(found.requirements) == requirements
    assert all(one.endswith("requirements-test.txt") for one in found.requirements)


def test_what_is_asked_for_is_all(tmp_path):
    folder = written(tmp_path, pyproject_toml="[project.optional-dependencies]\ntest = []")

    assert with_test_needs(PythonSpec(groups=("ci",)), folder) == PythonSpec(groups=("ci",))


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
    found = kept(written(tmp_path, **files), frozenset({"cov", "xdist", "randomly"}))

    assert found == options
