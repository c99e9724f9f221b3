"""Several benchmarks in one process that forks for each: its answers are those of many."""

import json
import time
from pathlib import Path
from unittest.mock import ANY

import pytest
from python_making import plain, suited, write_project

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import PLAIN, Variant, VariantKind
from auditor.core.outcome import Counted, Measured, Profiled, Skipped
from auditor.core.plan import Purpose
from runners.shared_process import BenchmarkProcess, split_answer
from runners.trial import LEAST_POOR_TRIALS

LIBRARY = """
def slow(x):
    for n in range(100):
        x = (x * 31 + n) % 1000003
    return x

def twice(x):
    return slow(slow(x))
"""
SUITE = """
import os
import tempfile
import time
import pytest
from lib import slow, twice

IMPORTED_IN = os.getpid()
FOLDER = tempfile.TemporaryDirectory()

def test_slow(benchmark):
    benchmark(slow, 3)

def test_twice(benchmark):
    benchmark(twice, 3)

def test_skips_itself(benchmark):
    pytest.skip("not here")

def test_fails(benchmark):
    assert False, "as it should"

def test_hangs(benchmark):
    time.sleep(600)

def test_leaves_a_process(benchmark):
    os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
    benchmark(slow, 3)

def test_calls_nothing(benchmark):
    pass

def test_uses_a_folder_of_the_import(benchmark):
    assert os.path.isdir(FOLDER.name)
    benchmark(slow, 3)

def test_runs_in_a_fork(benchmark):
    assert os.getpid() != IMPORTED_IN
    benchmark(slow, 3)
"""
MORE = """
from lib import slow

def test_of_another_folder(benchmark):
    benchmark(slow, 3)
"""
ASV = """
from lib import slow, twice

class Suite:
    params = [1, 2]

    def time_slow(self, n):
        slow(n)

def time_twice():
    twice(3)

def time_fails():
    1 / 0
"""
PYPERF = """
import pyperf
from lib import slow, twice

runner = pyperf.Runner()
runner.bench_func("slow", slow, 3)
runner.bench_func("other", slow, 4)
runner.bench_func("twice", twice, 3)
"""

pytestmark = pytest.mark.subject


def make_suite(files, home, variables, factory):
    folder = write_project(factory.mktemp("shared"), files, LIBRARY)
    return suited(folder, home, variables, factory.mktemp("scratch"))


@pytest.fixture(scope="module")
def suite(python_home, variables, tmp_path_factory):
    files = {"bench/test_bench.py": SUITE, "more/test_more.py": MORE}
    return make_suite(files, python_home, variables, tmp_path_factory)


def run_together(suite, names, folder, variant=PLAIN, **more):
    """Return what runs of trials in one process end with, by the last part of their names."""
    purposes = {VariantKind.PROFILED: Purpose.PROFILE, VariantKind.COUNTING: Purpose.REACH}
    purpose = purposes.get(variant.kind, Purpose.SUITE)
    schedule, seconds = more.get("schedule", plain()), more.get("seconds", 60)
    trials = [
        suite.make_trial(name, schedule, variant, seconds=seconds, purpose=purpose)
        for name in names
    ]
    runner = suite.make_runner(folder)
    assert len({runner.find_sharing_key(trial) for trial in trials}) == 1
    runs = runner.run_together(trials)
    return {
        next(name for name in names if run.trial.benchmark.name.endswith(name)): run.outcome
        for run in runs
    }


def test_each_benchmark_is_measured_in_a_fork_of_its_own(suite, tmp_path):
    ended = run_together(
        suite, ["test_slow", "test_twice", "test_skips_itself", "test_runs_in_a_fork"], tmp_path
    )

    assert ended["test_skips_itself"] == Skipped("Skipped: not here")
    times = {name: outcome for name, outcome in ended.items() if isinstance(outcome, Measured)}
    assert list(times) == ["test_slow", "test_twice", "test_runs_in_a_fork"]


def test_counts_are_those_of_processes_alone(suite, tmp_path):
    variant = suite.variant(VariantKind.COUNTING, "slow", "twice")
    schedule = plain(operations=20)
    ended = run_together(suite, ["test_slow", "test_twice"], tmp_path, variant, schedule=schedule)

    for name, outcome in ended.items():
        assert isinstance(outcome, Counted)
        alone = suite.run(name, schedule, variant, purpose=Purpose.REACH)
        assert outcome.windows == alone.windows
    assert len(ended) == 2


def test_profiles_are_of_the_fork(suite, tmp_path):
    variant = Variant(VariantKind.PROFILED)
    # Long enough for a busy machine that gives the sampler no processor for half a second.
    schedule = plain(blocks=6, seconds=0.3)
    ended = run_together(suite, ["test_slow", "test_twice"], tmp_path, variant, schedule=schedule)

    for outcome in ended.values():
        assert isinstance(outcome, Profiled)
        assert {frame.function for frame in outcome.frames} & {"slow", "lib.slow"}
    assert len(ended) == 2


def test_what_fails_is_left_out_and_the_next_one_runs(suite, tmp_path):
    ended = run_together(suite, ["test_slow", "test_fails", "test_twice"], tmp_path)

    assert list(ended) == ["test_slow", "test_twice"]


def test_what_the_import_made_is_there_for_each_fork(suite, tmp_path):
    ended = run_together(suite, ["test_slow", "test_uses_a_folder_of_the_import"], tmp_path)

    assert list(ended) == ["test_slow", "test_uses_a_folder_of_the_import"]


def test_what_measures_nothing_is_left_out_though_its_fork_ends_well(suite, tmp_path):
    ended = run_together(suite, ["test_slow", "test_calls_nothing", "test_twice"], tmp_path)

    assert list(ended) == ["test_slow", "test_twice"]


def test_what_hangs_is_ended_and_what_follows_is_left_out(suite, tmp_path):
    ended = run_together(suite, ["test_slow", "test_hangs", "test_twice"], tmp_path, seconds=2)

    assert list(ended) == ["test_slow"]


def test_nothing_runs_beside_a_process_that_a_benchmark_left(suite, tmp_path):
    ended = run_together(suite, ["test_leaves_a_process", "test_slow", "test_twice"], tmp_path)

    assert list(ended) == ["test_leaves_a_process"]


@pytest.mark.parametrize(
    "import_code",
    [
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
        "FILE = open(__file__)",
        "import socket\nSOCKET = socket.socket()",
    ],
    ids=["thread", "file", "socket"],
)
def test_a_process_with_what_forks_cannot_share_does_not_fork(
    python_home, variables, tmp_path_factory, tmp_path, import_code
):
    files = {"bench/test_bench.py": SUITE, "bench/conftest.py": import_code}
    suite = make_suite(files, python_home, variables, tmp_path_factory)

    assert run_together(suite, ["test_slow", "test_twice"], tmp_path) == {}


def test_the_end_of_a_session_is_told_to_a_suite_that_waits_for_it(
    python_home, variables, tmp_path_factory, tmp_path
):
    file = tmp_path / "ends.txt"
    end = f"def pytest_sessionfinish():\n    open({str(file)!r}, 'a').write('ended\\n')\n"
    files = {"bench/test_bench.py": SUITE, "bench/conftest.py": end}
    suite = make_suite(files, python_home, variables, tmp_path_factory)
    file.write_text("")

    suite.run("test_slow", plain())
    assert file.read_text() == "ended\n"
    assert len(run_together(suite, ["test_slow", "test_twice"], tmp_path / "builds")) == 2
    assert file.read_text() == "ended\nended\n"  # the second time by the process of all forks


def test_an_import_that_hangs_ends_the_process_that_shares(
    python_home, variables, tmp_path_factory, tmp_path
):
    sleep = "import os, time\nif 'BENCH_AUDIT_LIST' not in os.environ: time.sleep(600)\n"
    files = {"bench/test_bench.py": SUITE, "bench/conftest.py": sleep}
    hanging = make_suite(files, python_home, variables, tmp_path_factory)
    names = ["test_slow", "test_twice", "test_fails", "test_runs_in_a_fork"]
    trials = [hanging.make_trial(name, plain(), seconds=5, purpose=Purpose.SUITE) for name in names]
    began = time.monotonic()

    runner = hanging.make_runner(tmp_path)
    assert runner.run_together(trials) == []
    assert runner.find_sharing_key(trials[0]) is None
    assert time.monotonic() - began < sum(trial.timeout_seconds for trial in trials)


def test_a_suite_that_cannot_be_shared_is_not_shared_again(suite, tmp_path):
    trials = [
        suite.make_trial("test_fails", plain(), purpose=Purpose.SUITE),
        suite.make_trial("test_hangs", plain(), purpose=Purpose.SUITE, seconds=1),
        suite.make_trial("test_slow", plain(), purpose=Purpose.SUITE),
    ]
    runner = suite.make_runner(tmp_path)

    for _ in range(LEAST_POOR_TRIALS // len(trials)):
        assert runner.find_sharing_key(trials[2]) is not None
        assert runner.run_together(trials) == []
    assert runner.find_sharing_key(trials[2]) is None
    assert isinstance(runner.run_trial(trials[2]).outcome, Measured)


def test_only_unchanged_benchmarks_of_one_file_share(suite, tmp_path):
    def find_sharing_key(name, variant=PLAIN, purpose=Purpose.SUITE):
        trial = suite.make_trial(name, plain(), variant, purpose=purpose)
        return suite.harness.find_sharing_key(trial)

    assert find_sharing_key("test_slow") == find_sharing_key("test_twice") is not None
    assert find_sharing_key("test_slow") != find_sharing_key("test_of_another_folder")
    assert find_sharing_key("test_slow") != find_sharing_key("test_slow", purpose=Purpose.PILOT)
    assert find_sharing_key("test_slow", suite.delayed("slow"), Purpose.PAIRS) is None
    alone = suite.make_runner(tmp_path, may_share=False)
    assert (
        alone.find_sharing_key(suite.make_trial("test_slow", plain(), purpose=Purpose.SUITE))
        is None
    )


def test_benchmarks_of_asv_share_a_process(python_home, variables, tmp_path_factory, tmp_path):
    configuration = json.dumps({"version": 1, "benchmark_dir": "speed"})
    files = {"asv.conf.json": configuration, "speed/__init__.py": "", "speed/bench.py": ASV}
    suite = make_suite(files, python_home, variables, tmp_path_factory)
    names = ["time_slow(1)", "time_slow(2)", "time_fails", "time_twice"]
    ended = run_together(suite, names, tmp_path)

    assert list(ended) == ["time_slow(1)", "time_slow(2)", "time_twice"]
    assert all(isinstance(outcome, Measured) for outcome in ended.values())


def test_benchmarks_of_a_script_of_pyperf_share_a_process(
    python_home, variables, tmp_path_factory, tmp_path
):
    suite = make_suite({"speed.py": PYPERF}, python_home, variables, tmp_path_factory)
    variant = suite.variant(VariantKind.COUNTING, "slow", "twice")
    ended = run_together(suite, ["slow", "twice"], tmp_path, variant, schedule=plain(operations=20))

    assert [len(outcome.windows) for outcome in ended.values()] == [2, 2]
    called = {name: dict(outcome.windows[1].calls) for name, outcome in ended.items()}
    assert called == {"slow": {"lib.slow": ANY}, "twice": {"lib.slow": ANY, "lib.twice": ANY}}


def test_lines_of_ends_that_make_no_sense_are_no_ends():
    members = [
        BenchmarkProcess(line="", files=(), collects=(Path(f"/{n}"),), timeout_seconds=1.0)
        for n in range(2)
    ]
    lines = [
        "[2, 0, 1.0]", "[-1, 0, 1.0]", "[0, 0, NaN]", "[0, 0, -1.0]", '["0", 0, 1.0]', "{}", "[",
        "", "[0, 1, 1.0]", "[true]", "[0, null, 1.0]", "[" * 100_000, "[1, 0, 0.5]",
        "[1, 0, 1" + "0" * 400 + "]", '[0, "0", 1.0]', "[0.0, 0, 1.0]",
    ]  # fmt: skip
    files = {Path("/run/ends.jsonl"): "\n".join(lines).encode(), Path("/1"): b"records"}
    hung, ended = split_answer(CompletedProcess(exit_code=0, files=files), members)

    assert hung.timed_out  # the last line that makes sense
    assert (ended.exit_code, ended.seconds, ended.files) == (0, 0.5, {Path("/1"): b"records"})
