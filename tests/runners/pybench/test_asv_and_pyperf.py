"""Real suites of asv and of pyperf: what is listed, run, slowed and counted."""

from statistics import median

import pytest
from python_making import against_probe, plain, prepared, suited, write_project
from watchers import Patient, Watched, assert_told_apart, blocks

from auditor.core.errors import NoBenchmarks
from auditor.core.mutant import InjectionKind, VariantKind
from auditor.core.outcome import Counted, Crashed, Measured, Skipped, Unreadable
from auditor.core.schedule import ArmName
from auditor.core.values import TIME
from runners.pybench.frontends import framework_of

pytestmark = pytest.mark.subject

LIBRARY = """
def slow(x):
    for n in range(100):
        x = (x * 31 + n) % 1000003
    return x

class C:
    def m(self, x):
        return slow(x) + 1
"""
CONFIGURATION = """{
    // the folder has another name than asv's own
    "version": 1,
    "benchmark_dir": "speed"
}
"""
ASV = """
from lib import C, slow

def time_slow():
    slow(3)

class Suite:
    params = ([1, 20], ["a", "b"])
    param_names = ["n", "kind"]

    def setup_cache(self):
        return {"k": 5}

    def setup(self, cache, n, kind):
        if n == 20 and kind == "b":
            raise NotImplementedError("not these")
        self.c = C()
        slow(1)

    def time_m(self, cache, n, kind):
        self.c.m(cache["k"] + n)

    def track_size(self, cache, n, kind):
        return 1

def timeraw_import():
    return "import lib"

def time_fails():
    1 / 0
"""
BROKEN = """
import pyperf
import absent
pyperf.Runner()
"""
ASKS = """
import pyperf
runner = pyperf.Runner()
runner.argparser.add_argument("size")
runner.parse_args()
"""
PYPERF = """
import time
import pyperf
from lib import C, slow

def timed(loops, x):
    began = time.perf_counter()
    for _ in range(loops):
        slow(x)
    return time.perf_counter() - began

runner = pyperf.Runner()
runner.bench_func("slow | 3", slow, 3)
runner.bench_time_func("timed", timed, 3)
runner.timeit("m", "c.m(3)", setup="from lib import C; c = C()")
runner.bench_command("a command", ["true"])
if __name__ == "__main__":
    print("the end")
"""
CHANGING = """
import os
import sys
import pyperf
from lib import slow

listing = "BENCH_AUDIT_LIST" in os.environ
runner = pyperf.Runner()
if listing:
    runner.bench_func("vanishes", slow, 3)
    runner.bench_func("leaves", slow, 3)
elif os.environ["BENCH_AUDIT_BENCHMARK"].endswith("leaves"):
    sys.exit(7)
"""


@pytest.fixture(scope="module")
def asv(python_home, variables, tmp_path_factory):
    files = {
        "asv.conf.json": CONFIGURATION,
        "speed/__init__.py": "",
        "speed/bench.py": ASV,
        "speed/broken.py": "import absent\n",
    }
    folder = write_project(tmp_path_factory.mktemp("asv"), files, LIBRARY)
    return suited(folder, python_home, variables, tmp_path_factory.mktemp("asv-scratch"))


@pytest.fixture(scope="module")
def pyperf(python_home, variables, tmp_path_factory):
    files = {
        "bench/asks.py": ASKS,
        "bench/bench_lib.py": PYPERF,
        "bench/broken.py": BROKEN,
        "bench/changing.py": CHANGING,
    }
    folder = write_project(tmp_path_factory.mktemp("pyperf"), files, LIBRARY)
    return suited(folder, python_home, variables, tmp_path_factory.mktemp("pyperf-scratch"))


def ratio(outcome):
    assert isinstance(outcome, Measured), outcome
    slowed, probe = (outcome.find_series(TIME, arm) for arm in (ArmName.SLOWED, ArmName.PROBE))
    return median(slowed.values) / median(probe.values)


def test_times_of_asv_are_listed_with_their_parameters_and_the_rest_is_said(asv):
    assert sorted(benchmark.id for benchmark in asv.suite.benchmarks) == [
        "bench.Suite.time_m(1, 'a')",
        "bench.Suite.time_m(1, 'b')",
        "bench.Suite.time_m(20, 'a')",
        "bench.Suite.time_m(20, 'b')",
        "bench.time_fails",
        "bench.time_slow",
    ]
    unusable = dict(asv.suite.unusable)
    assert unusable["broken"].startswith("ModuleNotFoundError: No module named 'absent'; if")
    assert unusable["bench.timeraw_import"].startswith("each sample is a process of its own")
    assert len(unusable) == 2
    assert asv.project.harness == "asv"


@pytest.mark.timed
@pytest.mark.parametrize("benchmark", ["time_slow", "Suite.time_m(20, 'a')"])
def test_a_function_is_slowed_in_asv(benchmark, asv):
    schedule = against_probe(InjectionKind.WORK, 8000, operations=50)

    assert ratio(asv.run(benchmark, schedule, asv.delayed("lib.slow"))) > 1.7


def test_set_up_is_done_anew_for_each_call_and_is_none_of_it(asv):
    outcome = asv.run(
        "Suite.time_m(1, 'b')",
        plain(operations=20),
        asv.variant(VariantKind.COUNTING, "lib.C.m", "lib.slow"),
    )

    assert isinstance(outcome, Counted), outcome
    assert outcome.windows[1].calls == (("lib.C.m", 60), ("lib.slow", 60))
    assert dict(outcome.outside)["lib.slow"] > 60


def test_what_asv_skips_or_fails_is_no_measurement(asv):
    assert isinstance(asv.run("Suite.time_m(20, 'b')", plain()), Skipped)
    failed = asv.run("time_fails", plain())
    assert isinstance(failed, Crashed)
    assert "ZeroDivisionError" in failed.tail


def test_scripts_of_pyperf_are_listed_and_commands_are_said(pyperf):
    assert [benchmark.id for benchmark in pyperf.suite.benchmarks] == [
        "bench/bench_lib.py::slow | 3",
        "bench/bench_lib.py::timed",
        "bench/bench_lib.py::m",
        "bench/changing.py::vanishes",
        "bench/changing.py::leaves",
    ]
    unusable = dict(pyperf.suite.unusable)
    assert unusable["bench/bench_lib.py::a command"].startswith("it times a command")
    assert unusable["bench/broken.py"].startswith(
        "ModuleNotFoundError: No module named 'absent'; if"
    )
    assert unusable["bench/asks.py"] == (
        "it ends with 2: the following arguments are required: size; give its own arguments "
        "defaults"
    )


@pytest.mark.timed
@pytest.mark.parametrize("benchmark", ["slow | 3", "timed", "m"])
def test_a_function_is_slowed_in_pyperf(benchmark, pyperf):
    schedule = against_probe(InjectionKind.WORK, 8000)

    assert ratio(pyperf.run(benchmark, schedule, pyperf.delayed("lib.slow"))) > 1.7


def test_a_script_that_ends_without_its_benchmark_is_no_crash_unless_it_says_so(pyperf):
    vanished = pyperf.run("vanishes", plain())
    left = pyperf.run("leaves", plain())

    assert isinstance(vanished, Unreadable)
    assert vanished.reason == "it does not run the benchmark"
    assert left == Crashed(7, "it ends with 7")


@pytest.mark.timed
def test_blocks_of_both_last_as_long_as_asked(asv, pyperf):
    for suite, name in ((asv, "time_slow"), (pyperf, "timed")):
        outcome = suite.run(name, plain(blocks=3, seconds=0.02))

        assert isinstance(outcome, Measured), outcome
        (operations,) = set(outcome.find_series("operations", ArmName.PLAIN).values)
        assert 0.005 < median(outcome.find_series(TIME, ArmName.PLAIN).values) * operations < 0.1


@pytest.mark.timed
def test_both_end_once_they_have_shown_enough(asv, pyperf):
    for suite, name in ((asv, "time_slow"), (pyperf, "timed")):
        watcher = Patient(8)
        place = Watched(suite.project, suite.harness, suite.folder / "watched")

        outcome = place.run(suite.benchmark(name), watcher, blocks(seconds=0.03))

        assert_told_apart(outcome, watcher)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ('{"version": 1, "benchmark_dir": "speed"}', "asv"),
        ('{"benchmark_dir": "speed"}', "asv"),
        ('{\n  // "benchmark_dir": "speed",\n  // "a": 1, "benchmark_dir": "speed"\n}', "pytest"),
    ],
)
def test_asvs_configuration_may_be_one_line_and_have_comments(configuration, expected, tmp_path):
    # Without the key the folder is called benchmarks, which is not there.
    files = {"asv.conf.json": configuration, "speed/b.py": "def time_it(): pass\n"}

    assert framework_of(write_project(tmp_path / "project", files, LIBRARY)) == expected


def test_a_folder_of_asv_outside_of_the_project_is_none(python_home, variables, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    files = {"asv.conf.json": '{\n"benchmark_dir": "../elsewhere"\n}'}

    with pytest.raises(NoBenchmarks):
        prepared(write_project(tmp_path / "project", files, LIBRARY), python_home, variables)
