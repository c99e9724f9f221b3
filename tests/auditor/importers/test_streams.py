"""What JMH and go test print, read while it comes."""

import math
import re
from pathlib import Path

import pytest

from auditor.importers.streams import BenchmarkOutputReader

RECORDED = Path(__file__).with_name("recorded")


def read_parts(*parts: bytes):
    iterations = []
    stream = BenchmarkOutputReader(iterations.append)
    for part in parts:
        stream.read_data(part)
    return iterations


def test_each_iteration_of_jmh_is_told_with_the_warm_up_that_is_set():
    result = read_parts(RECORDED.joinpath("jmh", "small.log").read_bytes())

    sums = [iteration for iteration in result if iteration.benchmark.endswith("size=10]")]
    # Two of warm-up and three of measurement: to a rule all are alike.
    assert [iteration.fork for iteration in sums] == 5 * [1] + 5 * [2]
    assert {
        (iteration.harness, iteration.warmups, iteration.warmup_seconds) for iteration in sums
    } == {("jmh", 2, 0.02)}
    assert {iteration.lasts for iteration in sums} == {0.02}
    assert all(1e-9 < iteration.seconds < 1e-7 for iteration in sums)


def test_operations_in_a_time_are_seconds_of_an_operation():
    result = read_parts(RECORDED.joinpath("jmh", "small.log").read_bytes())

    throughput = [
        iteration for iteration in result if iteration.benchmark == "org.example.Small.both"
    ]
    assert len(throughput) == 10
    assert all(1e-9 < iteration.seconds < 1e-6 for iteration in throughput)


def test_commas_of_other_languages_are_points():
    result = read_parts(RECORDED.joinpath("jmh", "german.log").read_bytes())

    seconds = [iteration.seconds for iteration in result if not math.isnan(iteration.seconds)]
    assert seconds
    assert all(0 < value < 1 for value in seconds)


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_parts_may_end_anywhere(size):
    log = RECORDED.joinpath("jmh", "small.log").read_bytes()

    assert read_parts(
        *(log[number : number + size] for number in range(0, len(log), size))
    ) == read_parts(log)


def test_each_line_of_go_is_an_iteration_of_its_process():
    lines = (
        b"goos: linux\npkg: example.org/tiny\n"
        b"BenchmarkAdd-2   \t1000\t 200000 ns/op\t 8 B/op\n"
        b"BenchmarkAdd-2   \t2000\t 100000 ns/op\nPASS\n"
    )

    result = read_parts(lines)

    assert [(iteration.harness, iteration.benchmark, iteration.fork) for iteration in result] == [
        ("go", "example.org/tiny.BenchmarkAdd-2", 1)
    ] * 2
    assert [iteration.seconds for iteration in result] == pytest.approx([2e-4, 1e-4])
    assert [iteration.lasts for iteration in result] == pytest.approx([0.2, 0.2])


def test_the_last_line_counts_without_an_end():
    iterations = []
    stream = BenchmarkOutputReader(iterations.append)
    stream.read_data(b"pkg: x\nBenchmarkA-2 10 5.0 ns/op")
    assert iterations == []

    stream.finish_reading()

    assert len(iterations) == 1


def test_another_call_of_jmh_has_other_processes():
    log = RECORDED.joinpath("jmh", "small.log").read_bytes()

    result = read_parts(log, log)

    assert [iteration.run for iteration in result] == [1] * (len(result) // 2) + [2] * (
        len(result) // 2
    )
    assert [(iteration.benchmark, iteration.fork) for iteration in result[: len(result) // 2]] == [
        (iteration.benchmark, iteration.fork) for iteration in result[len(result) // 2 :]
    ]


@pytest.mark.parametrize("name", ["small.log", "german.log"])
def test_another_call_has_other_processes_in_any_language(name):
    log = RECORDED.joinpath("jmh", name).read_bytes()
    stream_of = []
    stream = BenchmarkOutputReader(stream_of.append)

    stream.read_data(log + log)

    half = len(stream_of) // 2
    assert [iteration.run for iteration in stream_of] == [1] * half + [2] * half
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

    result = read_parts(text.encode())

    assert [(iteration.benchmark, iteration.run, iteration.fork) for iteration in result] == [
        ("a.B.often", 1, 1),
        ("a.B.often", 1, 2),
    ]


def test_a_value_of_which_only_the_magnitude_is_printed_is_told_as_no_time():
    log = RECORDED.joinpath("jmh", "small.log").read_bytes()
    rounded = re.sub(rb"(Iteration   1: )\S+ (\S+/op)", "\\1≈ 10⁻³ \\2".encode(), log)

    iterations, before = read_parts(rounded), read_parts(log)

    assert len(iterations) == len(before)
    assert 0 < sum(math.isnan(iteration.seconds) for iteration in iterations) < len(iterations)


def test_another_call_of_go_has_another_process():
    once = b"goos: linux\npkg: x\nBenchmarkA-2 10 5.0 ns/op\nPASS\nok  \tx\t0.1s\n"

    assert [iteration.run for iteration in read_parts(once, once)] == [1, 2]


def test_what_cannot_be_understood_is_said_and_what_follows_is_read():
    iterations = []
    stream = BenchmarkOutputReader(iterations.append)
    stream.read_data(b"pkg: x\nBenchmarkA-2 10 -5.0 ns/op\nBenchmarkB-2 10 5.0 ns/op\n")

    assert [iteration.benchmark for iteration in iterations] == ["BenchmarkB-2"]
    assert [problem.partition(" has a negative")[0] for problem in stream.problems] != []


@pytest.mark.parametrize("figures", ["9" * 400 + " 1.0", "9" * 5000 + " 1.0", "10 NaN", "10 +Inf"])
def test_odd_numbers_are_no_reason_to_stop(figures):
    result = read_parts(
        f"pkg: x\nBenchmarkA-2 {figures} ns/op\nBenchmarkB-2 10 5.0 ns/op\n".encode()
    )

    assert result[-1].benchmark == "x.BenchmarkB-2"


def test_what_is_none_of_it_says_nothing():
    assert read_parts(b"\xff\xfe\n# Benchmark: \n# Fork: x\nIteration 1: soon\n" * 3) == []
    assert read_parts(b"x" * 1_000_000) == []
