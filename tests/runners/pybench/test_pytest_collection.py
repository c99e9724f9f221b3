"""What is a benchmark, as pytest says when it collects: fixtures, markers, names, skips."""

from functools import partial

import pytest
from python_making import list_suite, prepared

from auditor.core.errors import NoBenchmarks, SourceUnreadable
from runners.pybench.frontends import FRONTENDS
from runners.pybench.local_modules import explain_local_module
from runners.pybench.project import find_copy_top
from runners.pybench.reading import add_remedy

PROJECT = """[project]
name = "shop"
version = "1.0"
[tool.setuptools]
py-modules = ["shop"]
"""
USES = "def test_total(benchmark):\n    benchmark(sum, [1])\n"
OVERRIDE = "import pytest\n@pytest.fixture\ndef benchmark({}):\n    return lambda f, *a: f(*a)\n"
RIVAL = {  # a plugin that takes the options of pytest-benchmark for itself, as pytest-speed does
    "rival.py": "def pytest_addoption(parser): parser.addoption('--benchmark-columns')",
    "rival-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n",
    "rival-1.0.dist-info/entry_points.txt": "[pytest11]\nspeed = rival\n",
}
WRAPPER = "import pytest\n@pytest.fixture\ndef timed(benchmark):\n    return benchmark\n"


@pytest.fixture
def suite(ring, python_home, variables, tmp_path):
    def discover_suite(files, **python):
        folder = tmp_path / "project"
        for name, text in ({"pyproject.toml": PROJECT, "shop.py": ""} | files).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        interpreter = dict(ring.project.options)["python"]
        python["interpreter"] = interpreter
        return list_suite(prepared(folder, python_home, variables, **python), tmp_path)

    return discover_suite


@pytest.mark.subject
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tests/conftest.py": WRAPPER, "tests/test_it.py": "def test_a(timed): timed(sum, [1])"},
         ["tests/test_it.py::test_a"]),
        ({"tests/conftest.py": WRAPPER + "@pytest.fixture\ndef far(timed): return timed\n",
          "tests/test_it.py": "def test_a(far): far(sum, [1])\ndef test_b(): pass"},
         ["tests/test_it.py::test_a"]),
        ({"test_it.py": "def test_a(request):\n"
          "    request.getfixturevalue('benchmark')(sum, [1])\ndef test_b(request): pass"},
         ["test_it.py::test_a"]),
        ({"pytest.ini": "[pytest]\npython_files = perf_*.py\npython_functions = case_*\n"
          "python_classes = Perf*\naddopts = --benchmark-disable -k nothing\n",
          "perf/perf_it.py": "class PerfA:\n    def case_a(self, benchmark): benchmark(sum, [1])\n"
          "def case_b(benchmark): benchmark(sum, [1])"},
         ["perf/perf_it.py::PerfA::case_a", "perf/perf_it.py::case_b"]),
        ({"bench/pytest.ini": "[pytest]\npython_functions = perf_*\n",
          "bench/speed.py": "def perf_a(benchmark): benchmark(sum, [1])", "test_it.py": USES},
         ["bench/speed.py::perf_a", "test_it.py::test_total"]),
        ({"test_it.py": USES} | RIVAL, ["test_it.py::test_total"]),
        ({"bench_it.py": USES, "tests/test_bad.py": "import no_such_module_at_all"},
         ["bench_it.py::test_total"]),
        ({"base.py": "class Base:\n    def test_a(self, benchmark): benchmark(sum, [1])",
          "test_it.py": "from base import Base\nclass TestIt(Base): pass"},
         ["test_it.py::TestIt::test_a"]),
        ({"test_it.py": "import pytest\n@pytest.mark.codspeed_benchmark\ndef test_a(): sum([1])"},
         ["test_it.py::test_a"]),
        ({"test_it.py": "import pytest, sys\nif '--codspeed' not in sys.argv:\n"
          "    pytest.skip('run with --codspeed', allow_module_level=True)\n" + USES},
         ["test_it.py::test_total"]),
        ({"conftest.py": "def pytest_ignore_collect(collection_path, config):\n"
          "    return None if config.getoption('--codspeed') else True\n", "test_it.py": USES},
         ["test_it.py::test_total"]),
        ({"test_it.py": "import pytest\n@pytest.mark.skipif('1 < 2', reason='no')\n"
          "def test_a(benchmark): pass\n" + USES},
         ["test_it.py::test_a", "test_it.py::test_total"]),
        ({"own/conftest.py": OVERRIDE.format(""), "own/test_own.py": USES, "test_it.py": USES},
         ["test_it.py::test_total"]),
        ({"conftest.py": OVERRIDE.format("benchmark"), "test_it.py": USES},
         ["test_it.py::test_total"]),
        ({"own/conftest.py": OVERRIDE.format(""), "own/test_own.py": "def test_a(request):\n"
          "    request.getfixturevalue('benchmark')(sum, [1])", "test_it.py": USES},
         ["test_it.py::test_total"]),
        ({"test_it.py": "import pytest\n@pytest.mark.parametrize('benchmark', 'ab')\n"
          "def test_a(benchmark): pass\n" + USES},
         ["test_it.py::test_total"]),
    ],
)  # fmt: skip
def test_pytest_says_what_is_a_benchmark(files, expected, suite):
    assert sorted(benchmark.id for benchmark in suite(files).benchmarks) == expected


@pytest.mark.subject
@pytest.mark.parametrize(
    ("text", "unusable"),
    [
        ("import pytest\npytest.importorskip('pytest_codspeed')\n" + USES,
         ("test_it.py", "could not import 'pytest_codspeed'")),
        ("import no_such_module\n" + USES, ("test_it.py", "No module named 'no_such_module'")),
        ("import pytest\npytestmark = pytest.mark.skip(reason='not here')\n" + USES,
         ("test_it.py::test_total", "skipped: not here")),
        ("import pytest, sys\n@pytest.mark.skipif(sys.version_info > (3,), reason='old')\n" + USES,
         ("test_it.py::test_total", "skipped: old")),
        ("import pytest\n@pytest.fixture\ndef data(): return pytest.importorskip('no_such')\n"
         "def test_total(benchmark, data): benchmark(sum, [1])\n",
         ("test_it.py::test_total", "could not import 'no_such'; if a package has it, add "
          '"python": {"requirements": ["no-such"]}')),
    ],
)  # fmt: skip
def test_a_suite_of_which_nothing_can_run_is_said_before_it_is_planned(text, unusable, suite):
    result = suite({"test_it.py": text})

    assert result.benchmarks == ()
    ((name, reason),) = result.unusable
    assert name == unusable[0]
    assert unusable[1] in reason


@pytest.mark.subject
def test_a_suite_that_cannot_be_listed_is_named_beside_one_that_can(suite):
    result = suite(
        {
            "bench/pytest.ini": "[pytest]\nrequired_plugins = no-such-plugin\n",
            "bench/test_speed.py": USES,
            "tests/test_it.py": USES,
        }
    )

    assert [benchmark.id for benchmark in result.benchmarks] == ["tests/test_it.py::test_total"]
    ((name, reason),) = result.unusable
    assert name == "bench"
    assert "no-such-plugin" in reason
    assert "\n" not in reason


@pytest.mark.subject
def test_an_option_of_a_conftest_is_set_by_addopts_or_by_the_configuration(suite):
    conftest = (
        "import pytest\ndef pytest_addoption(parser):\n"
        "    parser.addoption('-B', '--backend', required=True)\n"
        "    parser.addoption('--slow', action='store_true')\n"
        "def pytest_collection_modifyitems(config, items):\n"
        "    if not config.getoption('--slow'):\n"
        "        for item in items: item.add_marker(pytest.mark.skip('need --slow option'))\n"
    )
    files = {
        "pytest.ini": "[pytest]\naddopts = -x --backend numpy\n",
        "bench/conftest.py": conftest,
        "bench/test_it.py": USES,
    }

    ((_, reason),) = suite(files).unusable
    listing = suite(files, pytest_options=("--slow",))

    assert reason.endswith(
        'need --slow option; if it is an option of pytest, add "python": '
        '{"pytest_options": ["--slow"]}'
    )
    assert listing.unusable == ()
    assert [benchmark.id for benchmark in listing.benchmarks] == ["bench/test_it.py::test_total"]
    with pytest.raises(SourceUnreadable, match=r'"pytest_options": ."--backend=VALUE".'):
        suite({"tests/conftest.py": conftest, "tests/test_it.py": USES, "pytest.ini": "[pytest]\n"})


@pytest.mark.subject
def test_a_project_that_only_declares_the_plugin_is_asked(suite):
    with pytest.raises(NoBenchmarks, match="has no benchmarks"):
        suite({"tox.ini": "[testenv]\ndeps = pytest-benchmark\n", "test_it.py": "def test_a(): 0"})


def test_a_session_of_nox_is_no_suite(tmp_path):
    text = "def bench(session, benchmark): session.run(benchmark)\n"
    (tmp_path / "noxfile.py").write_text(text)

    assert FRONTENDS["pytest"].suite(tmp_path) == []
    (tmp_path / "bench.py").write_text(text)
    assert FRONTENDS["pytest"].suite(tmp_path) == ["bench.py"]


@pytest.mark.parametrize(
    ("reason", "requirement"),
    [
        ("ModuleNotFoundError: No module named 'yaml'", "PyYAML"),
        ("skipped: could not import 'pytest_codspeed': No module named 'x'", "pytest-codspeed"),
        ("No module named 'orjson.inner'", "orjson"),
    ],
)
def test_what_is_missing_is_named_with_the_line_to_add(reason, requirement):
    advice = add_remedy(reason, lambda _: "")

    assert advice.startswith(reason)
    assert advice.endswith(
        f'add "python": {{"requirements": ["{requirement}"]}} to a configuration, and name that: '
        "bench-audit abs bench-audit.json"
    )
    assert add_remedy("something else", lambda _: "") == "something else"


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("mine._made", "lacks the file of this module"),
        ("space.inner.made", "lacks the file of this module"),
        ("space.other", ""),
        ("tests", "the project has it (tests) and does not install it"),
        ("member", "of another project of this tree; audit that: bench-audit abs packages/member"),
        ("member.made", "bench-audit abs packages/member"),
        ("yaml", ""),
    ],
)
def test_no_package_is_proposed_for_a_module_of_the_tree(module, expected, tmp_path):
    for name in (
        "src/mine/__init__.py",
        "src/space/inner/__init__.py",
        "tests/helper.py",
        "packages/member/setup.py",
        "packages/member/src/member/__init__.py",
        "node_modules/x/setup.py",
        "node_modules/x/yaml.py",
        "vendor/x/setup.py",
        "vendor/x/yaml.py",
        "env311/pyvenv.cfg",
        "env311/x/setup.py",
        "env311/x/yaml.py",
        "a/b/c/d/setup.py",
        "a/b/c/d/yaml.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    explanation = explain_local_module(module, tmp_path)
    advice = add_remedy(f"No module named '{module}'", partial(explain_local_module, tree=tmp_path))

    assert expected in explanation
    assert bool(explanation) == bool(expected)
    assert ('"requirements"' in advice) == (not expected)


@pytest.mark.parametrize(
    ("module", "place"), [("member", "../member"), ("core.made", "../.."), ("yaml", "")]
)
def test_no_package_is_proposed_for_a_module_of_a_project_beside_it(module, place, tmp_path):
    for name in (
        "made",
        "tree/pyproject.toml",
        "tree/core/__init__.py",
        "tree/packages/mine/setup.py",
        "tree/packages/mine/mine.py",
        "tree/packages/member/setup.py",
        "tree/packages/member/src/member/__init__.py",
        "outside/setup.py",
        "outside/yaml.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    tree = tmp_path / "tree" / "packages" / "mine"

    explanation = explain_local_module(module, tree, find_copy_top(tree))

    assert bool(explanation) == bool(place)
    assert f"({place}); add that to the dependencies" in explanation or not place


@pytest.mark.subject
def test_a_module_that_the_root_conftest_lacks_is_named_with_the_line_to_add(suite):
    with pytest.raises(SourceUnreadable, match=r'add "python": {"requirements": \["no-such"\]}'):
        suite({"conftest.py": "import no_such\n", "test_it.py": USES})


@pytest.mark.parametrize(
    ("files", "number"),
    [
        ({"conftest.py": WRAPPER, "test_a.py": "def test_a(timed): 0\ndef test_b(other): 0"}, 1),
        ({"pytest.ini": "[pytest]\npython_functions = perf_*\n",
          "a.py": "def perf_a(benchmark): 0\ndef helper(benchmark): 0"}, 1),
        ({"test_a.py": "@pytest.mark.benchmark\ndef test_a(): 0\n\n\ndef test_b(): 0"}, 1),
    ],
)  # fmt: skip
def test_the_sources_are_counted_as_pytest_would_collect(files, number, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert FRONTENDS["pytest"].count(tmp_path) == number


def test_a_tree_outside_a_copy_is_its_own_top(tmp_path):
    assert find_copy_top(tmp_path) == tmp_path
