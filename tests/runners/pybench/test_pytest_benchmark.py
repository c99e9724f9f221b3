"""Real suites of pytest-benchmark: what is listed, run, slowed and counted."""

import zipfile
from dataclasses import replace
from statistics import median

import pytest
from python_making import Suited, against_probe, clocked, list_suite, plain, prepared
from quiets import NEVER, SOON, first_quiet, rounds_of, until

from auditor.core.errors import (
    MachineError,
    NoBenchmarks,
)
from auditor.core.mutant import InjectionKind, VariantKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Measured,
    NeverCalled,
    NotBuilt,
    Skipped,
    TimedOut,
    Unreadable,
)
from auditor.core.schedule import ArmName, EarlyStop
from auditor.core.subject import SourceRole
from auditor.core.values import METHOD_CALLS, METHOD_TIME, OPERATIONS, TIME
from runners.hosts.local import LocalHost

pytestmark = pytest.mark.subject


def ratio(outcome):
    assert isinstance(outcome, Measured), outcome
    slowed, probe = (outcome.find_series(TIME, arm) for arm in (ArmName.SLOWED, ArmName.PROBE))
    return median(slowed.values) / median(probe.values)


def test_what_a_limit_ends_while_it_is_listed_is_not_the_suite_s_fault(ring, tmp_path):
    def ask(job):
        return replace(LocalHost().run_process(job), exit_code=-9, exhausted="64 MiB of memory")

    with pytest.raises(MachineError, match="needs more than 64 MiB of memory to list the suite"):
        ring.harness.discover_suite(ring.project, tmp_path, ask)


def test_the_suite_is_listed_with_its_parameters_although_its_configuration_disables_it(ring):
    names = [
        benchmark.id.removeprefix("bench/test_ring.py::") for benchmark in ring.suite.benchmarks
    ]

    assert names == [
        "test_tiny",
        "test_small[1]",
        "test_small[1000]",
        "test_large",
        "test_slight",
        "test_fails",
        "test_climb",
        "test_remembered",
        "test_lazily",
        "test_push",
        "test_last",
        "test_checked_and_of",
        "test_marked",
        "test_skipped",
        "test_expected_to_fail",
    ]
    assert ring.suite.unusable == ()
    units = {source.unit for source in ring.suite.sources if source.role is SourceRole.LIBRARY}
    assert units == {"ring", "ring.spins", "ring.buffer"}


@pytest.mark.timed
@pytest.mark.parametrize(
    "benchmark",
    ["test_tiny", "test_small[1000]", "test_push", "test_checked_and_of", "test_marked"],
)
def test_blocks_last_as_long_as_asked_and_every_value_is_kept(benchmark, ring):
    outcome = ring.run(benchmark, plain(blocks=3, seconds=0.02))

    assert isinstance(outcome, Measured), outcome
    times = outcome.find_series(TIME, ArmName.PLAIN).values
    operations = outcome.find_series(OPERATIONS, ArmName.PLAIN).values
    assert len(times) == 3
    assert len(set(operations)) == 1
    assert 0.005 < median(times) * operations[0] < 0.1


def test_operations_can_be_fixed(ring):
    outcome = ring.run("test_small[1]", plain(operations=17))

    assert isinstance(outcome, Measured)
    assert outcome.find_series(OPERATIONS, ArmName.PLAIN).values == (17.0, 17.0)


@pytest.mark.timed
@pytest.mark.parametrize(
    ("benchmark", "method", "guarded"),
    [
        ("test_small[1]", "ring.spins.small", False),
        ("test_marked", "ring.spins.small", False),
        ("test_push", "Ring.push", False),
        ("test_last", "Ring.last", False),
        ("test_fails", "ring.spins.fails", False),
        ("test_climb", "ring.spins.climb", True),
    ],
)
def test_a_function_is_slowed_in_the_blocks_that_say_so(benchmark, method, guarded, ring):
    schedule = against_probe(InjectionKind.WORK, 8000)

    assert ratio(ring.run(benchmark, schedule, ring.delayed(method, guarded=guarded))) > 1.7


@pytest.mark.timed
@pytest.mark.parametrize("wait", [InjectionKind.SPIN, InjectionKind.SLEEP])
def test_the_clock_can_decide_how_long(wait, ring):
    schedule = against_probe(wait, 4.0, operations=5)

    assert ratio(ring.run("test_large", schedule, ring.delayed("ring.spins.large"))) > 3


@pytest.mark.timed
def test_the_time_and_the_calls_of_a_function_are_measured(ring):
    outcome = ring.run("test_small[1]", clocked(), ring.delayed("ring.spins.small"))

    assert isinstance(outcome, Measured)
    assert outcome.find_series(METHOD_CALLS, ArmName.CLOCKED).values == (200.0,) * 3
    spent = median(outcome.find_series(METHOD_TIME, ArmName.CLOCKED).values)
    block_seconds = median(outcome.find_series(TIME, ArmName.CLOCKED).values) * 200
    assert 0.5 * block_seconds < spent < 1.1 * block_seconds


def test_inner_calls_of_a_recursion_do_not_count(ring):
    outcome = ring.run("test_climb", clocked(), ring.delayed("ring.spins.climb", guarded=True))

    assert isinstance(outcome, Measured)
    assert outcome.find_series(METHOD_CALLS, ArmName.CLOCKED).values == (200.0,) * 3


@pytest.mark.timed
def test_a_process_ends_when_its_pairs_have_decided(ring):
    stop = EarlyStop(above=0.1, below=-0.1, looks=((3, 2.0),), least_deviation=0.005)
    schedule = against_probe(InjectionKind.WORK, 20_000, pairs=12, stop=stop)

    outcome = ring.run("test_small[1]", schedule, ring.delayed("ring.spins.small"))

    assert isinstance(outcome, Measured)
    assert len(outcome.find_series(TIME, ArmName.SLOWED).values) == 3


def test_a_process_ends_when_all_its_arms_were_quiet(ring):
    schedule = until(SOON, against_probe(InjectionKind.WORK, 20_000, pairs=30))

    outcome = ring.run("test_small[1]", schedule, ring.delayed("ring.spins.small"))

    assert rounds_of(outcome, schedule) == (first_quiet(outcome, schedule) or 30)


def test_a_process_whose_arms_are_never_quiet_runs_to_its_end(ring):
    schedule = until(NEVER, against_probe(InjectionKind.WORK, 20_000, pairs=6))

    outcome = ring.run("test_small[1]", schedule, ring.delayed("ring.spins.small"))

    assert rounds_of(outcome, schedule) == 6
    assert first_quiet(outcome, schedule) is None


def test_calls_are_counted_in_two_windows_and_set_up_apart(ring):
    variant = ring.variant(
        VariantKind.COUNTING, "Ring.push", "Ring.__init__", "spins.climb", "unused"
    )

    pushed = ring.run("test_push", plain(operations=40), variant)
    climbed = ring.run("test_climb", plain(operations=40), variant)

    assert isinstance(pushed, Counted), pushed
    few, many = pushed.windows
    assert few.calls == (("ring.buffer.Ring.push", few.operations),)
    assert many.calls == (("ring.buffer.Ring.push", many.operations),)
    assert few.operations < many.operations == 40 * 3
    assert pushed.set_up_apart
    assert dict(pushed.outside) == {"ring.buffer.Ring.__init__": 1, "ring.buffer.Ring.push": 2}
    assert isinstance(climbed, Counted)
    assert climbed.windows[0].nested == ("ring.spins.climb",)
    assert climbed.windows[0].calls == (("ring.spins.climb", climbed.windows[0].operations),)


def test_calls_that_the_library_makes_itself_are_told_from_those_of_benchmarks(trouble):
    """What the standard library calls is called by what uses it."""
    names = ("trouble.used", "trouble.inner", "trouble.key")

    counted = trouble.run(
        "test_callers", plain(operations=10), trouble.variant(VariantKind.COUNTING, *names)
    )

    assert dict(counted.library_shares) == {
        "trouble.inner": 1,
        "trouble.key": pytest.approx(1 / 3),
    }


def test_calls_that_are_counted_are_timed_as_well(ring):
    variant = ring.variant(
        VariantKind.COUNTING, "Ring.push", "spins.small", "spins.climb", "unused"
    )
    schedule = plain(operations=200, blocks=8)
    usual = ring.run("test_small[1]", schedule).find_series(TIME, ArmName.PLAIN).values

    (small,) = ring.run("test_small[1]", schedule, variant).clocked
    (climbed,) = ring.run("test_climb", schedule, variant).clocked

    assert small.method == "ring.spins.small"
    assert 0.2 * min(usual) < small.inside < small.operation
    assert 0 < climbed.inside < climbed.operation


def test_what_set_up_of_each_call_does_is_not_the_benchmarks(ring):
    counted = ring.run(
        "test_checked_and_of",
        plain(operations=40),
        ring.variant(VariantKind.COUNTING, "spins.small"),
    )
    slowed = ring.run(
        "test_checked_and_of",
        against_probe(InjectionKind.WORK, 8000),
        ring.delayed("ring.spins.small"),
    )

    assert isinstance(counted, Counted)
    assert [window.calls for window in counted.windows] == [(), ()]
    assert dict(counted.outside)["ring.spins.small"] >= 40
    assert isinstance(slowed, NeverCalled)


@pytest.mark.parametrize(
    ("benchmark", "reason"),
    [
        ("test_skipped", "Skipped: not today"),
        ("test_expected_to_fail", "expected to fail: takes numbers only"),
    ],
)
def test_what_chooses_not_to_run_is_skipped_with_its_reason(benchmark, reason, ring):
    assert ring.run(benchmark, plain()) == Skipped(reason)


@pytest.mark.parametrize("method", ["ring.spins.unused", "ring.spins.remembered"])
def test_a_function_that_only_set_up_calls_or_nobody_is_no_measurement(method, ring):
    outcome = ring.run(
        "test_remembered", against_probe(InjectionKind.WORK, 10), ring.delayed(method)
    )

    assert outcome == NeverCalled()


@pytest.mark.timed
@pytest.mark.parametrize("guarded", [False, True])
def test_a_call_that_is_running_around_the_benchmark_makes_none_of_it_an_inner_one(
    guarded, trouble
):
    """As where the library is one that pytest itself uses."""
    delayed = trouble.delayed("trouble.around", guarded=guarded)
    counting = trouble.variant(VariantKind.COUNTING, "trouble.around")

    assert ratio(trouble.run("test_inside", against_probe(InjectionKind.WORK, 8000), delayed)) > 3
    counted = trouble.run("test_inside", plain(operations=20), counting)
    assert counted.windows[1].calls == (("trouble.around", counted.windows[1].operations),)


def test_each_function_has_its_turn_at_the_clock(trouble):
    variant = trouble.variant(VariantKind.COUNTING, "trouble.around", "trouble.cached")

    counted = trouble.run("test_two", plain(operations=20, blocks=8), variant)

    assert [clocked_method.method for clocked_method in counted.clocked] == [
        "trouble.around",
        "trouble.cached",
    ]


TROUBLE = """
import heapq, os, sys, time
import pytest
import trouble

def test_callers(benchmark):
    def call():
        trouble.used()
        heapq.nsmallest(1, [1, 2], key=trouble.key)

    benchmark(call)

def test_dies(benchmark):
    benchmark(os._exit, 7)

def test_raises(benchmark):
    benchmark(lambda: 1 / 0)

def test_hangs(benchmark):
    benchmark(time.sleep, 1000)

def test_shouts(benchmark, capsys):
    line = "x" * 10_000 + "\\n"
    with capsys.disabled():
        benchmark(sys.stdout.write, line)

def test_never_calls(benchmark):
    pass

def test_cached(benchmark):
    from trouble import cached
    benchmark(cached)

def test_two(benchmark):
    from trouble import around
    from trouble import cached
    benchmark(lambda: (around(int), cached()))

def test_inside(benchmark):
    from trouble import around
    around(lambda: benchmark(around, int))

def test_budget(benchmark):
    from trouble import around
    took = []
    def timed():
        began = time.perf_counter()
        around(int)
        took.append(time.perf_counter() - began)
    benchmark(timed)
    assert benchmark.stats.stats.mean < max(took) / 10

def test_pedantic_budget(benchmark):
    prepared = []
    benchmark.pedantic(prepared.pop, setup=lambda: prepared.append(1), rounds=5)
    assert benchmark.stats["mean"] == benchmark.stats["max"] > 0

@pytest.mark.benchmark
async def test_awaited():
    pass

@pytest.mark.parametrize("name", ["a|b", "<script>", "x y", "\\u202e"])
def test_names(benchmark, name):
    benchmark(len, name)
"""
AWAITING = """
import asyncio, inspect
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        asyncio.run(pyfuncitem.obj())
        return True
"""
LIBRARY = """import heapq

known = []


def used():
    return inner() + heapq.nsmallest(1, [1], key=key)[0]


def inner():
    return 1


def key(value):
    return value


def around(call):
    return call()


def learn():
    known.append(1)


def cached():
    if not known:
        learn()
"""
PROJECT = """[project]
name = "trouble"
version = "1"
[build-system]
requires = ["setuptools"]
[tool.setuptools]
py-modules = ["trouble"]
"""


@pytest.fixture(scope="module")
def trouble(interpreter, python_home, variables, tmp_path_factory):
    folder, scratch = tmp_path_factory.mktemp("trouble"), tmp_path_factory.mktemp("scratch")
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "trouble.py").write_text(LIBRARY)
    (folder / "test_trouble.py").write_text(TROUBLE)
    (folder / "conftest.py").write_text(AWAITING)
    (folder / "test_broken.py").write_text("import absent\ndef test_x(benchmark): pass\n")
    project = prepared(folder, python_home, variables, interpreter=interpreter)
    return Suited(project, list_suite(project, scratch), scratch)


@pytest.mark.parametrize(
    ("benchmark", "reason"),
    [
        ("test_dies", "7"),
        ("test_raises", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_benchmark_that_fails_is_no_measurement(benchmark, reason, trouble):
    outcome = trouble.run(benchmark, plain(operations=3))

    assert isinstance(outcome, Crashed)
    assert reason in f"{outcome.exit_code} {outcome.tail}"


def test_a_benchmark_that_ends_well_without_a_measurement_has_not_crashed(trouble):
    outcome = trouble.run("test_never_calls", plain(operations=3))

    assert isinstance(outcome, Unreadable)
    assert outcome.reason == "the test ended without calling its benchmark fixture"


def test_a_marked_coroutine_that_another_plugin_runs_is_unusable_when_listed(trouble):
    reasons = dict(trouble.suite.unusable)

    assert reasons["test_trouble.py::test_awaited"].startswith("the test is a coroutine")
    assert "test_trouble.py::test_awaited" not in [
        benchmark.name for benchmark in trouble.suite.benchmarks
    ]


def test_a_benchmark_may_look_at_its_statistics_which_are_those_of_the_unslowed_function(trouble):
    schedule = against_probe(InjectionKind.WORK, 5_000_000, pairs=1, operations=1)

    slowed = trouble.run("test_budget", schedule, trouble.delayed("trouble.around"))

    assert isinstance(slowed, Measured), slowed
    assert isinstance(trouble.run("test_pedantic_budget", plain(operations=3)), Measured)


def test_what_only_the_first_operation_calls_is_set_up(trouble):
    variant = trouble.variant(VariantKind.COUNTING, "trouble.learn", "trouble.cached")

    counted = trouble.run("test_cached", plain(operations=40), variant)

    assert isinstance(counted, Counted), counted
    assert [dict(window.calls).keys() for window in counted.windows] == [{"trouble.cached"}] * 2
    assert dict(counted.outside)["trouble.learn"] == 1


ARCHIVED = """
import sys
sys.modules.pop("trouble", None)
sys.path.insert(0, "packed.zip")

def test_packed(benchmark):
    import trouble
    benchmark(trouble.around, int)
"""


def test_a_module_that_comes_from_an_archive_is_not_built(
    interpreter, python_home, variables, tmp_path
):
    folder, scratch = tmp_path / "project", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    (folder / "pyproject.toml").write_text(PROJECT)
    (folder / "trouble.py").write_text("def around(call): return call()\n")
    (folder / "test_packed.py").write_text(ARCHIVED)
    with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
        archive.write(folder / "trouble.py", "trouble.py")
    project = prepared(folder, python_home, variables, interpreter=interpreter)
    packed = Suited(project, list_suite(project, scratch), scratch)

    slowed = packed.run(
        "test_packed", against_probe(InjectionKind.WORK, 10), packed.delayed("trouble.around")
    )

    assert isinstance(packed.run("test_packed", plain(operations=3)), Measured)
    assert slowed == NotBuilt("trouble is loaded by zipimporter, not from a file of source text")


def test_a_benchmark_that_hangs_is_ended(trouble):
    assert isinstance(trouble.run("test_hangs", plain(), seconds=3), TimedOut)


def test_a_benchmark_that_prints_100_megabytes_is_measured(trouble):
    assert isinstance(trouble.run("test_shouts", plain(operations=3500)), Measured)


def test_any_name_is_run(trouble):
    names = [benchmark for benchmark in trouble.suite.benchmarks if "test_names" in benchmark.id]

    assert len(names) == 4
    for name in names:
        outcome = trouble.run(name.id.partition("::")[2], plain(operations=10))
        assert isinstance(outcome, Measured), (name, outcome)


def test_a_file_that_cannot_be_imported_is_named_with_the_reason(trouble):
    reason = dict(trouble.suite.unusable)["test_broken.py"]
    assert reason.startswith(
        "ModuleNotFoundError: No module named 'absent'; if a package has it, add"
    )


def test_a_commit_that_changes_no_code_is_made_of_the_same(interpreter, make_project, tmp_path):
    def project(name, **changed):
        folder = tmp_path / name / "ring"
        folder.mkdir(parents=True)
        files = {
            "pyproject.toml": PROJECT,
            "README.md": "one",
            "CHANGES.md": "one",
            "trouble.py": "NAME = 'CHANGES.md'\n",
            "test_it.py": "def test_it(benchmark): benchmark(int)\n",
        }
        for path, text in {**files, **changed}.items():
            (folder / path).write_text(text)
        return make_project(folder, interpreter=interpreter)

    plain, text, data, code = (
        project("plain"),
        project("text", **{"README.md": "two"}),
        project("data", **{"CHANGES.md": "two"}),
        project("code", **{"trouble.py": "NAME = 'CHANGES.md' + ''\n"}),
    )

    assert len({project_version.digest for project_version in (plain, text, data, code)}) == 4
    assert plain.all_inputs == text.all_inputs
    assert len({project_version.all_inputs for project_version in (plain, data, code)}) == 3


STRICT = """[pytest]
filterwarnings = error
timeout = 5
strict_markers = true
markers =
    ours: a marker
"""


def test_a_project_that_makes_errors_of_warnings_is_listed(interpreter, make_project, tmp_path):
    (tmp_path / "pytest.ini").write_text(STRICT)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "trouble.py").write_text("")
    (tmp_path / "test_it.py").write_text(
        "import pytest\n@pytest.mark.ours\ndef test_it(benchmark): benchmark(int)\n"
    )

    suite = list_suite(make_project(tmp_path, interpreter=interpreter), tmp_path)

    assert [benchmark.id for benchmark in suite.benchmarks] == ["test_it.py::test_it"]
    assert suite.unusable == ()


@pytest.fixture
def make_project(python_home, variables):
    return lambda folder, **python_options: prepared(
        folder, python_home, variables, **python_options
    )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pytest.ini", "[pytest]\npython_functions = test_its*"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npython_functions = 'test_its*'"),
        ("tox.ini", "[pytest]\npython_functions = test_its*"),
        ("setup.cfg", "[tool:pytest]\npython_functions = test_its*"),
    ],
)
def test_a_suite_with_its_own_configuration_is_named_and_run_from_the_projects_folder(
    file, text, interpreter, make_project, tmp_path
):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "trouble.py").write_text("")
    suite = tmp_path / "benchmarks"
    suite.mkdir()
    (suite / file).write_text(text)
    (suite / "test_it.py").write_text(
        "def test_its_own(benchmark): benchmark(int)\ndef test_other(benchmark): benchmark(int)\n"
    )
    project = make_project(tmp_path, interpreter=interpreter)

    suited = Suited(project, list_suite(project, tmp_path), tmp_path)

    assert [benchmark.id for benchmark in suited.suite.benchmarks] == [
        "benchmarks/test_it.py::test_its_own"
    ]
    assert isinstance(suited.run("test_its_own", plain(operations=3)), Measured)


def test_a_project_without_benchmarks_is_refused(python_home, variables, tmp_path):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")

    with pytest.raises(NoBenchmarks, match=r"test_a_project_without_benchma\w+ has no benchmarks"):
        prepared(tmp_path, python_home, variables)
