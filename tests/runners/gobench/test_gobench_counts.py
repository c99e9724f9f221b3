"""Counting calls: exactly, outermost ones, set-up told apart."""

import os
import re

import pytest
from gobench_making import HANGING_SECONDS, lab

from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Counted
from auditor.core.result import ReachState
from auditor.core.schedule import ArmName
from auditor.core.subject import SourceFile, SourceRole
from auditor.core.values import TIME
from auditor.measure.reach_judge import judge_reach
from mutators.go import GoMutator

pytestmark = pytest.mark.subject

RING = "example.org/ring."


def reach_of(outcome, method):
    return judge_reach(outcome, [method])[method]


def _slope(counted, method):
    """Return calls per operation between the two windows, and the calls that do not grow."""
    (few, less), (many, more) = (
        (window.operations, dict(window.calls)[RING + method]) for window in counted.windows
    )
    per_operation = (more - less) / (many - few)
    return per_operation, less - per_operation * few


@pytest.mark.parametrize("operations", [101, 1])
@pytest.mark.parametrize(
    ("name", "method", "per_operation", "set_up"),
    [
        ("BenchmarkSmall", "Small", 1, 0),
        ("BenchmarkSmall", "Large", 0, 0),
        ("BenchmarkPushPop", "Push", 2, 1),
        ("BenchmarkPushPop", "New", 0, 1),
        ("BenchmarkLoop", "Push", 1, 1),
        ("BenchmarkLoop", "New", 0, 1),
        ("BenchmarkFib", "Fib", 1, 0),
        ("BenchmarkSum", "Tree.Sum", 1, 0),
        ("BenchmarkTotal", "Total", 2, 0),
        ("BenchmarkHeight", "Tree.Height", 1, 0),
        ("BenchmarkEven", "Even", 1, 0),
        ("BenchmarkWorker", "Worker.Do", 1, 1),
        ("BenchmarkSpread", "Spread", 9, 0),
        ("BenchmarkLength", "Link.Length", 1, 0),
        ("BenchmarkRecovers", "Safe", 1, 0),
        ("BenchmarkParallel", "Small", 1, 0),
        ("BenchmarkSub/two_words#01", "Small", 1, 0),
    ],
)
def test_calls_per_operation_and_in_set_up_are_exact(
    ring, name, method, per_operation, set_up, *, operations
):
    assert _slope(ring.counted(name, operations), method) == (per_operation, set_up)


def test_methods_that_call_each_other_are_said_to_be_nested(ring):
    even, fib = ring.counted("BenchmarkEven", 101), ring.counted("BenchmarkFib", 101)

    assert set(even.windows[1].nested) == {f"{RING}Even", f"{RING}Odd"}
    assert fib.windows[1].nested == ()


def test_only_calls_in_the_same_goroutine_are_nested(ring):
    spread = ring.counted("BenchmarkSpread", 101)
    length = ring.counted("BenchmarkLength", 101)

    assert spread.windows[1].nested == ()
    assert length.windows[1].nested == (f"{RING}Link.Length",)


def test_calls_at_the_same_time_in_several_threads_are_not_nested(ring):
    assert ring.counted("BenchmarkParallel", 101).windows[1].nested == ()


def test_calls_of_the_function_around_sub_benchmarks_are_outside(ring):
    counted = ring.counted("BenchmarkSub/a", 101)

    assert dict(counted.outside)[f"{RING}New"] == 1


@pytest.mark.parametrize(("planned", "windows"), [(4, [2, 4]), (1, [2, 1])])
def test_the_second_window_has_the_operations_of_the_plan(ring, planned, windows):
    counted = ring.counted("BenchmarkSmall", planned)

    assert [window.operations for window in counted.windows] == windows


def test_what_is_called_more_rarely_than_once_a_block_is_in_the_loop(ring):
    once = ring.counted("BenchmarkSeldom", 30)
    often = ring.counted("BenchmarkSeldom", 30, blocks=20)

    assert reach_of(once, f"{RING}Positive").state is ReachState.NOT_AT_ALL
    assert reach_of(often, f"{RING}Positive").state is ReachState.IN_LOOP
    assert [window.operations for window in often.windows] == [11 * 20, 30 * 20]


def test_set_up_runs_once_in_each_block_of_either_window(ring):
    counted = ring.counted("BenchmarkPushPop", 101, blocks=5)

    assert _slope(counted, "Push") == (2, 5)
    assert reach_of(counted, f"{RING}New").state is ReachState.SET_UP_ONLY


def test_blocks_that_end_before_the_watchdog_comes_are_counted(ring):
    counted = ring.counted("BenchmarkSlower", 101, blocks=50, seconds=HANGING_SECONDS)
    few, many = counted.windows

    assert few.operations < 11 * 50
    assert many.operations // 101 == few.operations // 11
    assert dict(many.calls)[f"{RING[:-1]}/naughty.Touch"] == many.operations
    assert not counted.in_one_call  # nobody knows whether it would have held the others


def test_unit_tests_are_counted_in_one_window(ring):
    counted = ring.called_by_tests(RING[:-1])
    calls = dict(counted.windows[0].calls)

    assert [window.operations for window in counted.windows] == [0]
    assert (calls[f"{RING}Fib"], calls[f"{RING}Safe"], calls[f"{RING}Large"]) == (1, 1, 0)


CALLERS = """package callers

import "sort"

func Used() int {
\treturn Inner() + Mixed()
}

//go:noinline
func Inner() int { return 1 }

//go:noinline
func Mixed() int { return 2 }

type Steps []int

func (s Steps) Len() int { return len(s) }
func (s Steps) Less(i, j int) bool { return s[i] < s[j] }
func (s Steps) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

func Sort(s Steps) { sort.Sort(s) }

func Start() {
\tdone := make(chan bool)
\tgo Worker(done)
\t<-done
\tWorker(make(chan bool, 1))
}

func Worker(done chan bool) { done <- true }

func Largest[T int | string](first, second T) T {
\tif first < second {
\t\treturn second
\t}
\treturn first
}

func Both() string { return Largest("a", "b") }
"""
CALLERS_TEST = """package callers_test

import (
\t"sort"
\t"testing"

\tcallers "example.org/callers.v2"
\t"example.org/callers.v2/testutil"
)

func BenchmarkUsed(b *testing.B) {
\tfor i := 0; i < b.N; i++ {
\t\tcallers.Used()
\t\tcallers.Mixed()
\t\tcallers.Both()
\t}
}

func BenchmarkSetUp(b *testing.B) {
\tfor i := 0; i < 5000; i++ {
\t\tcallers.Used()
\t}
\tb.Run("inner", func(b *testing.B) {
\t\tfor i := 0; i < b.N; i++ {
\t\t\tcallers.Inner()
\t\t}
\t})
}

func BenchmarkStart(b *testing.B) {
\tfor i := 0; i < b.N; i++ {
\t\tcallers.Start()
\t}
}

func BenchmarkSort(b *testing.B) {
\tfor i := 0; i < b.N; i++ {
\t\tcallers.Sort(callers.Steps{2, 1})
\t\tsort.Sort(sort.Reverse(sort.IntSlice{2, 1}))
\t}
}

func BenchmarkSteps(b *testing.B) {
\tfor i := 0; i < b.N; i++ {
\t\tsort.Sort(callers.Steps{2, 1})
\t}
}

func TestUsed(t *testing.T) {
\ttestutil.Check(t)
}
"""
CALLERS_HELPER = """package testutil

import (
\t"testing"

\tcallers "example.org/callers.v2"
)

func Check(t *testing.T) {
\tif callers.Used() != 3 {
\t\tt.Fatal("not 3")
\t}
}
"""


@pytest.fixture(scope="module")
def callers(tmp_path_factory, go_home):
    tree = tmp_path_factory.mktemp("callers")
    (tree / "go.mod").write_text("module example.org/callers.v2\n\ngo 1.24\n")
    (tree / "callers.go").write_text(CALLERS)
    (tree / "callers_test.go").write_text(CALLERS_TEST)
    (tree / "testutil").mkdir()
    (tree / "testutil" / "check.go").write_text(CALLERS_HELPER)
    return lab(tree, go_home, dict(os.environ))


def library_shares(outcome):
    prefix = "example.org/callers.v2."
    return {name.removeprefix(prefix): share for name, share in outcome.library_shares}


def test_calls_that_the_library_makes_itself_are_told_from_those_of_benchmarks(callers):
    """What package sort calls is called by what uses it; of long blocks a sample is taken."""
    shares = library_shares(callers.counted("BenchmarkUsed", 5000))

    assert shares == {"Inner": 1, "Mixed": pytest.approx(0.5, abs=0.15), "Largest": 1}
    assert library_shares(callers.counted("BenchmarkSort", 101)) == dict.fromkeys(
        ("Steps.Len", "Steps.Less", "Steps.Swap"), 1
    )
    assert library_shares(callers.counted("BenchmarkSteps", 101)) == {}


def test_calls_of_set_up_are_no_part_of_the_sample(callers):
    assert library_shares(callers.counted("BenchmarkSetUp/inner", 101)) == {}


def test_nobody_knows_who_called_what_a_goroutine_begins_with(callers):
    assert library_shares(callers.counted("BenchmarkStart", 31)) == {"Worker": 1}


@pytest.mark.parametrize(
    ("units", "expected_units"),
    [
        (["m", "m/testutil", "m/internal/ztest", "m/latest"], ["m", "m/latest"]),
        (["m/testkit/alpha", "m/testkit/beta"], ["m/testkit/alpha", "m/testkit/beta"]),
        (["m/testkit"], ["m/testkit"]),
    ],
)
def test_packages_of_the_library_whose_calls_are_its_own(units, expected_units):
    sources = [
        SourceFile(
            path=f"{unit}/a.go",
            unit=unit,
            role=SourceRole.LIBRARY,
            text=b"package a\n\nfunc F() {}\n",
        )
        for unit in units
    ]
    mutator = GoMutator()
    methods = tuple(mutator.find_methods(sources))

    overlay = mutator.build_overlay(sources, Variant(VariantKind.COUNTING, methods))

    (size,) = (file.text.decode() for file in overlay.files if file.path.endswith("/size.go"))
    assert re.findall(r'"(.*)": true', size) == expected_units


def test_packages_that_help_tests_are_no_part_of_the_library_that_calls(callers):
    outcome = callers.called_by_tests("example.org/callers.v2")
    calls = dict(outcome.windows[0].calls)

    assert calls["example.org/callers.v2.Used"] == 1
    assert library_shares(outcome) == {"Inner": 1, "Mixed": 1}


def test_counters_in_every_function_of_a_real_module_compile_and_run(uuid):
    counted = uuid.counted("BenchmarkParse", 21)

    assert isinstance(counted, Counted)
    assert dict(counted.windows[1].calls)["github.com/google/uuid.Parse"] == 21
    assert len(counted.windows[1].calls) == 71


def _clocked(counted):
    return {
        clocked_method.method.removeprefix(RING): clocked_method
        for clocked_method in counted.clocked
    }


@pytest.mark.parametrize(
    ("name", "method"),
    [("BenchmarkSmall", "Small"), ("BenchmarkFib", "Fib"), ("BenchmarkRecovers", "Safe")],
)
def test_calls_that_are_counted_are_clocked_as_well(ring, name, method):
    clocked = _clocked(ring.counted(name, 2000, blocks=16))[method]
    plain = ring.plain(name, 2000, blocks=8).find_series(TIME, ArmName.PLAIN).values

    assert 0.5 * min(plain) < clocked.inside <= clocked.operation


@pytest.mark.parametrize("blocks", [4, 7, 32])
def test_each_method_has_its_turn_at_the_clock(ring, blocks):
    counted = ring.counted("BenchmarkRecovers", 2000, blocks=blocks)
    called = {name.removeprefix(RING) for name, calls in counted.windows[1].calls if calls}

    assert len(called) > 1
    assert _clocked(counted).keys() == called


def test_calls_in_front_of_the_timer_are_no_part_of_what_is_clocked(ring):
    """Twenty operations make a call each, and five times as many calls are made before them."""
    large = _clocked(ring.counted("BenchmarkPrepared", 20, blocks=16))["Large"]

    assert 0 < large.inside <= large.operation


def test_a_method_of_which_calls_outlast_their_blocks_is_not_clocked(ring):
    counted = ring.counted("BenchmarkStay", 200, blocks=16)

    assert dict(counted.windows[1].calls)[f"{RING}Stay"] == 200 * 16
    assert "Stay" not in _clocked(counted)
    assert "Small" in _clocked(counted)


def test_calls_that_the_clock_would_outweigh_are_not_clocked(ring):
    counted = ring.counted("BenchmarkTiny", 2000, blocks=16)

    assert dict(counted.windows[1].calls)[f"{RING}Tiny"] == 2000 * 16
    assert "Tiny" not in _clocked(counted)


def test_of_few_blocks_nothing_is_said_of_the_time(ring):
    assert ring.counted("BenchmarkSmall", 101, blocks=2).clocked == ()
