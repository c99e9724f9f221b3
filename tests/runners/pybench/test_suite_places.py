"""Where the sources show suites, and what is said of a project that seems to have none."""

import pytest
from subject_trees import make

from runners.pybench import pytest_options
from runners.pybench.frontends import FRONTENDS, explain_lack, framework_of
from runners.pybench.reading import check_listing

USES = "def {}_total(benchmark): benchmark(sum, [1])\n"


def test_a_virtual_environment_of_any_name_is_not_searched(tmp_path):
    make(tmp_path, test_it_dot_py=USES.format("test"))
    make(tmp_path, env311__pyvenv_dot_cfg="home = /usr", env311__test_it_dot_py=USES.format("test"))

    assert FRONTENDS["pytest"].suite(tmp_path) == ["test_it.py"]


@pytest.mark.parametrize("name", ["ci__asv__asv_dot_conf_dot_json", "asv_dot_conf_dot_jsonc"])
def test_a_configuration_of_asv_is_found_in_any_folder(name, tmp_path):
    folder = make(tmp_path, **{name: '{"version": 1, "benchmark_dir": "speed"}'})
    place = "ci/asv/speed" if "ci" in name else "speed"
    make(tmp_path / place, a_dot_py="def time_it(): pass\n")

    assert framework_of(folder) == "asv"
    assert FRONTENDS["asv"].suite(folder) == [place]


def test_a_configuration_of_asv_without_its_folder_is_named(tmp_path):
    make(tmp_path, ci__asv_dot_conf_dot_json='{"benchmark_dir": "perf"}')

    lack = explain_lack("shop", tmp_path, FRONTENDS["pytest"])

    assert lack.endswith("; ci/asv.conf.json names the folder perf, which is not there")


@pytest.mark.parametrize(
    "line", ["import sys, pyperf", "import pyperf", "from pyperf import Runner"]
)
def test_any_import_of_pyperf_is_found(line, tmp_path):
    make(tmp_path, a_dot_py=f"{line}\nrunner = pyperf.Runner()\n", b_dot_py="import a\nRunner()\n")

    assert FRONTENDS["pyperf"].suite(tmp_path) == ["a.py"]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("README", "", 'python_functions = ["test", "bench"] to the settings of pytest in pypro'),
        ("pytest.ini", "[pytest]\n", "python_functions = test bench to [pytest] in pytest.ini"),
        ("tox.ini", "[pytest]\npython_functions = spec*", "= spec bench to [pytest] in tox.ini"),
    ],
)
def test_functions_that_pytest_does_not_collect_are_named_with_the_setting(
    name, text, line, tmp_path
):
    make(tmp_path, **{name: text, "speed__a.py": USES.format("bench")})

    lack = explain_lack("shop", tmp_path, FRONTENDS["pytest"])

    assert "with the fixture or marker: speed/a.py; pytest does not collect bench_total" in lack
    assert line in lack


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_it.py", "@pytest.fixture(autouse=True)\ndef use(benchmark): 0\ndef test_a(): 0"),
        ("conftest.py", "def hook(items): items[0].add_marker(pytest.mark.benchmark)\n"),
    ],
)
def test_a_suite_that_only_hooks_and_fixtures_show_is_not_counted_as_none(name, text, tmp_path):
    make(tmp_path, **{name: text})

    assert FRONTENDS["pytest"].count(tmp_path) == 1


def test_a_listed_file_is_no_failure_and_the_first_process_decides_what_is_skipped():
    entries = [
        {"benchmark": "perf/test_a.py::test_a", "skipped": ""},
        {"unusable": "perf/test_a.py", "why": "import file mismatch"},
        {"unusable": "perf/test_b.py", "why": "no"},
        {"benchmark": "perf/test_a.py::test_a", "skipped": "need --slow"},
    ]

    benchmarks, unusable = check_listing(entries, lambda _: "")

    assert [benchmark.id for benchmark in benchmarks] == ["perf/test_a.py::test_a"]
    assert unusable == (("perf/test_b.py", "no"),)


DECLARING = "def pytest_addoption(parser):\n    parser.addoption('--slow')\n"


def test_an_option_is_only_for_processes_that_load_its_conftest(tmp_path):
    make(tmp_path, perf__conftest_dot_py=DECLARING, perf__a_dot_py="")

    assert pytest_options.drop_unknown_options("-ra --slow=1", tmp_path, ["perf/a.py"]) == (
        "-ra --slow=1"
    )
    assert pytest_options.drop_unknown_options("-ra --slow=1", tmp_path, []) == "-ra"
    make(tmp_path, pytest_dot_ini="[pytest]\ntestpaths = perf\n")
    assert pytest_options.drop_unknown_options("--slow=1", tmp_path, []) == "--slow=1"
