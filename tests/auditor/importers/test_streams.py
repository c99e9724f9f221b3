"""What JMH and go test print, read while it comes."""

import math
import re
from pathlib import Path

import pytest

from auditor.importers.streams import BenchmarkOutputReader

RECORDED = Path(__file__).with_name("recorded")


def heard(*parts: bytes):
    found = []
    stream = BenchmarkOutputReader(found.append)
    for part in parts:
        stream.read_data(part)
    return found


def test_each_iteration_of_jmh_is_told_with_the_warm_up_that_is_set():
    result = heard(RECORDED.joinpath("jmh", "small.log").read_bytes())

    sums = [one for one in result if one.benchmark.endswith("size=10]")]
    # Two of warm-up and three of measurement: to a rule all are alike.
    assert [one.fork for one in sums] == 5 * [1] + 5 * [2]
    assert {(one.harness, one.warmups, one.warmup_seconds) for one in sums} == {("jmh", 2, 0.02)}
    assert {one.lasts for one in sums} == {0.02}
    assert all(1e-9 < one.seconds < 1e-7 for one in sums)


def test_operations_in_a_time_are_seconds_of_an_operation():
    result = heard(RECORDED.joinpath("jmh", "small.log").read_bytes())

    throughput = [one for one in result if one.benchmark == "org.example.Small.both"]
    assert len(throughput) == 10
    assert all(1e-9 < one.seconds < 1e-6 for one in throughput)


def test_commas_of_other_languages_are_points():
    result = heard(RECORDED.joinpath("jmh", "german.log").read_bytes())

    known = [one.seconds for one in result if not math.isnan(one.seconds)]
    assert known
    assert all(0 < one < 1 for one in known)


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_parts_may_end_anywhere(size):
    whole = RECORDED.joinpath("jmh", "small.log").read_bytes()

    assert heard(
        *(whole[number : number + size] for number in range(0, len(whole), size))
    ) == heard(whole)


def test_each_line_of_go_is_an_iteration_of_its_process():
    lines = (
        b"goos: linux\npkg: example.org/tiny\n"
        b"BenchmarkAdd-2   \t1000\t 200000 ns/op\t 8 B/op\n"
        b"BenchmarkAdd-2   \t2000\t 100000 ns/op\nPASS\n"
    )

    result = heard(lines)

    assert [(one.harness, one.benchmark, one.fork) for one in result] == [
        ("go", "example.org/tiny.BenchmarkAdd-2", 1)
    ] * 2
    assert [one.seconds for one in result] == pytest.approx([2e-4, 1e-4])
    assert [one.lasts for one in result] == pytest.approx([0.2, 0.2])


def test_the_last_line_counts_without_an_end():
    found = []
    stream = BenchmarkOutputReader(found.append)
    stream.read_data(b"pkg: x\nBenchmarkA-2 10 5.0 ns/op")
    assert found == []

    stream.finish_reading()

    assert len(found) == 1


def test_another_call_of_jmh_has_other_processes():
    whole = RECORDED.joinpath("jmh", "small.log").read_bytes()

    result = heard(whole, whole)

    assert [one.run for one in result] == [1] * (len(result) // 2) + [2] * (len(result) // 2)
    assert [(one.benchmark, one.fork) for one in result[: len(result) // 2]] == [
        (one.benchmark, one.fork) for one in result[len(result) // 2 :]
    ]


@pytest.mark.parametrize("name", ["small.log", "german.log"])
def test_another_call_has_other_processes_in_any_language(name):
    whole = RECORDED.joinpath("jmh", name).read_bytes()
    stream_of = []
    stream = BenchmarkOutputReader(stream_of.append)

    stream.read_data(whole + whole)

    half = len(stream_of) // 2
    assert [one.run for one in stream_of] == [1] * half + [2] * half
    assert stream.problems == []


def test_progress_that_is_rounded_to_nothing_is_no_other_call():
    """Single shots take no time by JMH's own plan."""
    text = "".join(
        f"# JMH version: 1.37\n# Warmup: 1 iterations, single-shot each\n"
        f"# Benchmark mode: {mode}\n# Benchmark: a.B.{name}\n\n"
        f"# Run progress: 0.00% complete, ETA 00:00:01\n# Fork: 1 of 2\nIteration   1: {value}\n"
        f"# Run progress: 0.00% complete, ETA 00:00:01\n# Fork: 2 of 2\nIteration   1: {value}\n"
        f'Result "a.B.{name}":\n'
        for name, mode, value in (
            ("once", "Single shot invocation time", "5.000 us/op"),
            ("often", "Average time, time/op", "5.000 us/op"),
        )
    ).replace("# Warmup: 1", "# Measurement: 1 iterations, 1 s each\n# Warmup: 1")

    result = heard(text.encode())

    assert [(one.benchmark, one.run, one.fork) for one in result] == [
        ("a.B.often", 1, 1),
        ("a.B.often", 1, 2),
    ]


def test_a_value_of_which_only_the_magnitude_is_printed_is_told_as_no_time():
    whole = RECORDED.joinpath("jmh", "small.log").read_bytes()
    rounded = re.sub(rb"(Iteration   1: )\S+ (\S+/op)", "\\1≈ 10⁻³ \\2".encode(), whole)

    found, before = heard(rounded), heard(whole)

    assert len(found) == len(before)
    assert 0 < sum(math.isnan(one.seconds) for one in found) < len(found)


def test_another_call_of_go_has_another_process():
    once = b"goos: linux\npkg: x\nBenchmarkA-2 10 5.0 ns/op\nPASS\nok  \tx\t0.1s\n"

    assert [one.run for one in heard(once, once)] == [1, 2]


def test_what_cannot_be_understood_is_said_and_what_follows_is_read():
    found = []
    stream = BenchmarkOutputReader(found.append)
    stream.read_data(b"pkg: x\nBenchmarkA-2 10 -5.0 ns/op\nBenchmarkB-2 10 5.0 ns/op\n")

    assert [one.benchmark for one in found] == ["BenchmarkB-2"]
    assert [problem.partition(" has a negative")[0] for problem in stream.problems] != []


@pytest.mark.parametrize("written", ["9" * 400 + " 1.0", "9" * 5000 + " 1.0", "10 NaN", "10 +Inf"])
def test_odd_numbers_are_no_reason_to_stop(written):
    result = heard(f"pkg: x\nBenchmarkA-2 {written} ns/op\nBenchmarkB-2 10 5.0 ns/op\n".encode())

    assert result[-1].benchmark == "x.BenchmarkB-2"


def test_what_is_none_of_it_says_nothing():
    assert heard(b"\xff\xfe\n# Benchmark: \n# Fork: x\nIteration 1: soon\n" * 3) == []
    assert heard(b"x" * 1_000_000) == []
