"""Reading what test binaries print, and refusing what is incomplete."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from gobench_making import schedule
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import PLAIN, Delay, InjectionKind, Variant, VariantKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Measured,
    NeverCalled,
    Skipped,
    TimedOut,
    Unreadable,
)
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark
from auditor.core.values import TIME
from runners.gobench import commands, text
from runners.gobench.harness import GoBench
from runners.gobench.settings import GoSettings, mentions_word, split_functions

NAME = "BenchmarkA/b"
LINE = b"BenchmarkA/b-2  \t      50\t        12.5 ns/op\t     3.00 hits\t  8 B/op\n"
METHOD = Method(language=Language.GO, id="m.F", owner="m", name="F", parameters=())


def _trial(kind=VariantKind.PLAIN, blocks=2, operations=50):
    arm = (
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0))
        if kind is VariantKind.DELAYED
        else Arm(ArmName.PLAIN)
    )
    return Trial(
        subject="s",
        purpose=Purpose.SUITE,
        variant=PLAIN if kind is VariantKind.PLAIN else Variant(kind, (METHOD,)),
        benchmark=Benchmark(group="m", name=NAME, settings=GoSettings(".", 2).format_settings()),
        schedule=schedule([arm], operations, blocks - 1),
        repetition=1,
        seed=1,
        timeout_seconds=1,
    )


def _answer(stdout=b"", *, code=0, records=None, truncated=False):
    files = {Path("/x/launch"): b"run"}
    if records is not None:
        files[Path("/x/records")] = records
    return CompletedProcess(exit_code=code, stdout=stdout, files=files, truncated=truncated)


def _read(trial, *answers):
    return GoBench().read_outcome(trial, answers)


def _printed(*lines):
    return b"\x16=== RUN   BenchmarkA/b\nBenchmarkA/b\n" + b"".join(
        line + b"\x16=== NAME  \n" for line in lines
    )


def test_results_become_seconds_per_operation_and_further_metrics():
    outcome = _read(_trial(), _answer(_printed(LINE, LINE)))

    assert outcome.find_series(TIME, ArmName.PLAIN).values == (12.5 * 1e-9,)
    assert outcome.find_series("hits", ArmName.PLAIN).values == (3.0,)


def test_output_of_the_program_may_stand_in_front_of_a_result():
    noise = b"half a line \xff BenchmarkA/b-2 \t 50\t 1.0 ns/op\n more "
    outcome = _read(_trial(), _answer(_printed(noise + LINE, LINE)))

    assert outcome.find_series(TIME, ArmName.PLAIN).values == (12.5 * 1e-9,)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (_answer(_printed(LINE)), Unreadable),
        (_answer(_printed(LINE, LINE, LINE)), Unreadable),
        (_answer(_printed(LINE, LINE), code=1), Crashed),
        (_answer(_printed(LINE, LINE), code=-9), Crashed),
        (_answer(_printed(LINE, LINE), code=None), TimedOut),
        (_answer(_printed(LINE, b"BenchmarkA/b-2\t      49\t 12.5 ns/op\n")), Unreadable),
        (_answer(_printed(LINE, b"BenchmarkA/b-2\t      50\t 3.0 hits\n")), Unreadable),
        (_answer(_printed(LINE, LINE.replace(b"A/b", b"A/c"))), Unreadable),
        (_answer(_printed() + b"\x16--- SKIP: BenchmarkA/b\n    x_test.go:1: no\n"), Skipped),
        (_answer(_printed(LINE, LINE) + b"\x16--- FAIL: BenchmarkA/b-2\n"), Crashed),
        (_answer(b""), Unreadable),
    ],
)
def test_what_is_incomplete_is_no_measurement(answer, kind):
    assert isinstance(_read(_trial(), answer), kind)


def test_a_failure_is_told_without_what_the_framework_says_of_machine_and_order():
    machine = b"goos: linux\ngoarch: amd64\npkg: example.org/a\ncpu: some\n"
    answer = _answer(machine + _printed() + b"    a_test.go:7: no\n\x16--- FAIL: x\n", code=1)

    assert text.format_tail(answer) == "    a_test.go:7: no\n--- FAIL: x"


def _records(*lines):
    return ("\n".join(["bench-audit-records 1", *lines]) + "\n").encode()


_BLOCKS = ("block\t0\t50\t1e-08\t1.0\t0\t0", "block\t1\t50\t2e-08\t1.0\t0\t0")


def test_a_guests_records_become_series():
    records = _records("present\t0", "present\tran", *_BLOCKS)
    outcome = _read(_trial(VariantKind.DELAYED), _answer(records=records))

    assert isinstance(outcome, Measured)
    assert outcome.find_series(TIME, ArmName.PROBE).values == (2e-08,)


def test_a_process_that_stopped_itself_has_the_blocks_until_then():
    lines = ("present\t0", "present\tran", _BLOCKS[0], "stopped\t1")

    outcome = _read(_trial(VariantKind.DELAYED), _answer(records=_records(*lines)))

    assert isinstance(outcome, Measured), outcome
    assert {len(series.values) for series in outcome.series} == {1}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("present\tran", *_BLOCKS), "not in the program"),
        (("present\t0", _BLOCKS[0]), "1 blocks"),
        (("present\t0", "present\tran", _BLOCKS[0]), "1 blocks"),
        (("present\t0", "present\tran", _BLOCKS[1], _BLOCKS[0]), "2 blocks"),
        (("present\t0", "present\tran", "failed\tno schedule"), "no schedule"),
        (("present\t0", "present\tran", _BLOCKS[0], "block\t1\t49\t1e-8\t1\t0\t0"), "operations"),
        (("present\t0", "present\tran", _BLOCKS[0], "block\t1\t50\t0\t1\t0\t0"), "no time"),
        (("nonsense",), "not a record"),
    ],
)
def test_records_that_do_not_fit_the_schedule_are_no_measurement(lines, words):
    outcome = _read(_trial(VariantKind.DELAYED), _answer(records=_records(*lines)))

    assert isinstance(outcome, Unreadable)
    assert words in outcome.reason


def test_all_blocks_without_a_call_are_never_called():
    outcome = _read(_trial(VariantKind.DELAYED), _answer(records=_records("present\t0", *_BLOCKS)))

    assert outcome == NeverCalled()


def test_no_records_at_all_are_no_measurement():
    assert isinstance(_read(_trial(VariantKind.DELAYED), _answer()), Unreadable)


def test_two_windows_are_a_count_and_one_is_not():
    few = ("window\t11", "count\t0\t12\t1", "outside\t0\t3", "window\t11", "count\t0\t13\t1")
    first = _answer(records=_records(*few))
    many = ("window\t50", "count\t0\t51\t0", "window\t50")
    second = _answer(records=_records(*many))
    counted = _read(_trial(VariantKind.COUNTING), first, second)

    assert isinstance(counted, Counted)
    assert [(window.operations, window.calls, window.nested) for window in counted.windows] == [
        (22, (("m.F", 25),), ("m.F",)),
        (100, (("m.F", 51),), ()),
    ]
    assert isinstance(_read(_trial(VariantKind.COUNTING), first), Unreadable)


def test_a_block_that_was_not_counted_is_missed_unless_the_watchdog_came():
    first = _answer(records=_records("window\t11", "count\t0\t12\t0", "window\t11"))
    second = ("window\t50", "count\t0\t51\t0")
    ended, cut, none = (
        _read(_trial(VariantKind.COUNTING), first, _answer(records=_records(*lines), code=code))
        for lines, code in ((second, 0), (second, None), ((), None))
    )

    assert isinstance(ended, Unreadable)
    assert [window.operations for window in cut.windows] == [11, 50]
    assert isinstance(none, TimedOut)


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_fail(junk):
    outcome = _read(_trial(), _answer(_printed(junk, junk)))

    assert isinstance(outcome, (Unreadable, Skipped, Crashed))
    text.parse_leaves(junk)
    assert text.LiveResults(NAME).read_iterations(junk) == []


@given(st.sets(st.integers(0, 400)))
def test_results_are_read_live_as_their_marks_come(cuts):
    printed = _printed(LINE, b"half a line, " + LINE.replace(b"12.5", b"2.5"))
    places = sorted({0, len(printed), *(cut for cut in cuts if cut < len(printed))})
    reader = text.LiveResults(NAME)

    iterations = [
        iteration
        for begin, end in pairwise(places)
        for iteration in reader.read_iterations(printed[begin:end])
    ]

    assert iterations == [pytest.approx((value, 50 * value)) for value in (12.5e-9, 2.5e-9)]


def test_a_result_is_found_behind_a_flood():
    reader = text.LiveResults(NAME)

    iterations = [
        iteration for _ in range(300) for iteration in reader.read_iterations(b"x" * 1000)
    ]

    assert iterations == []
    assert reader.read_iterations(LINE + b"\x16") == [pytest.approx((12.5e-9, 50 * 12.5e-9))]


def test_of_a_program_that_was_ended_the_whole_blocks_count():
    printed = _printed(LINE, LINE) + b"half a result: " + LINE
    ended = replace(_answer(printed), enough=True)

    outcome = _read(_trial(blocks=9), ended)

    assert isinstance(outcome, Measured), outcome
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == (1,)
    assert isinstance(_read(_trial(blocks=9), replace(ended, truncated=True)), Unreadable)
    assert isinstance(_read(_trial(blocks=9), replace(ended, enough=False)), Unreadable)


def test_a_leaf_is_selected_by_quoted_elements_and_nothing_below_it():
    bench, skip = commands.leaf_flags("BenchmarkA/b.c|d#01")

    assert bench == r"-test.bench=^BenchmarkA$/^b\.c\|d\#01$"
    assert skip == r"-test.skip=^BenchmarkA$/^b\.c\|d\#01$/."


def test_a_word_is_found_in_the_functions_that_a_benchmark_names():
    functions = split_functions(
        [b"func BenchmarkA(b *testing.B) { run(b) }\nfunc run(b B) { b.RunParallel() }\n"]
    )

    assert mentions_word("BenchmarkA", ".RunParallel(", functions)
    assert not mentions_word("BenchmarkA", ".Loop()", functions)


def test_a_test_file_without_functions_has_no_bodies():
    texts = [b"package a\n\nvar cases = []int{1}\n", b"package a\n\nfunc A() {}\nfunc B() {}\n"]

    assert split_functions(texts) == {"A": "func A() {}\n", "B": "func B() {}\n"}
