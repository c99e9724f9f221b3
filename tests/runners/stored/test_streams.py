"""What JMH and go test print, read while it comes."""

from pathlib import Path

import pytest

from runners.stored.streams import Stream

RECORDED = Path(__file__).with_name("recorded")


def heard(*parts: bytes):
    found = []
    stream = Stream(found.append)
    for part in parts:
        stream.read(part)
    return found


def test_each_iteration_of_jmh_is_told_with_the_warm_up_that_is_set():
    found = heard(RECORDED.joinpath("jmh", "small.log").read_bytes())

    sums = [one for one in found if one.benchmark.endswith("size=10]")]
    # Two of warm-up and three of measurement: to a rule all are alike.
    assert [one.fork for one in sums] == 5 * [1] + 5 * [2]
    assert {(one.harness, one.warmups) for one in sums} == {("jmh", 2)}
    assert {one.lasts for one in sums} == {0.02}
    assert all(1e-9 < one.seconds < 1e-7 for one in sums)


def test_operations_in_a_time_are_seconds_of_an_operation():
    found = heard(RECORDED.joinpath("jmh", "small.log").read_bytes())

    throughput = [one for one in found if one.benchmark == "org.example.Small.both"]
    assert len(throughput) == 10
    assert all(1e-9 < one.seconds < 1e-6 for one in throughput)


def test_commas_of_other_languages_are_points():
    found = heard(RECORDED.joinpath("jmh", "german.log").read_bytes())

    assert found
    assert all(0 < one.seconds < 1 for one in found)


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_parts_may_end_anywhere(size):
    whole = RECORDED.joinpath("jmh", "small.log").read_bytes()

    assert heard(*(whole[at : at + size] for at in range(0, len(whole), size))) == heard(whole)


def test_each_line_of_go_is_an_iteration_of_its_process():
    lines = (
        b"goos: linux\npkg: example.org/tiny\n"
        b"BenchmarkAdd-2   \t1000\t 200000 ns/op\t 8 B/op\n"
        b"BenchmarkAdd-2   \t2000\t 100000 ns/op\nPASS\n"
    )

    found = heard(lines)

    assert [(one.harness, one.benchmark, one.fork) for one in found] == [
        ("go", "example.org/tiny.BenchmarkAdd-2", 1)
    ] * 2
    assert [one.seconds for one in found] == pytest.approx([2e-4, 1e-4])
    assert [one.lasts for one in found] == pytest.approx([0.2, 0.2])


def test_the_last_line_counts_without_an_end():
    found = []
    stream = Stream(found.append)
    stream.read(b"pkg: x\nBenchmarkA-2 10 5.0 ns/op")
    assert found == []

    stream.end()

    assert len(found) == 1


def test_another_call_of_jmh_has_other_processes():
    whole = RECORDED.joinpath("jmh", "small.log").read_bytes()

    found = heard(whole, whole)

    assert [one.run for one in found] == [1] * (len(found) // 2) + [2] * (len(found) // 2)
    assert [(one.benchmark, one.fork) for one in found[: len(found) // 2]] == [
        (one.benchmark, one.fork) for one in found[len(found) // 2 :]
    ]


def test_another_call_of_go_has_another_process():
    once = b"goos: linux\npkg: x\nBenchmarkA-2 10 5.0 ns/op\nPASS\nok  \tx\t0.1s\n"

    assert [one.run for one in heard(once, once)] == [1, 2]


def test_what_cannot_be_understood_is_said_and_what_follows_is_read():
    found = []
    stream = Stream(found.append)
    stream.read(b"pkg: x\nBenchmarkA-2 10 -5.0 ns/op\nBenchmarkB-2 10 5.0 ns/op\n")

    assert [one.benchmark for one in found] == ["BenchmarkB-2"]
    assert [one.partition(" has a time")[0] for one in stream.problems] != []


@pytest.mark.parametrize("written", ["9" * 400 + " 1.0", "9" * 5000 + " 1.0", "10 NaN", "10 +Inf"])
def test_odd_numbers_are_no_reason_to_stop(written):
    found = heard(f"pkg: x\nBenchmarkA-2 {written} ns/op\nBenchmarkB-2 10 5.0 ns/op\n".encode())

    assert found[-1].benchmark == "x.BenchmarkB-2"


def test_what_is_none_of_it_says_nothing():
    assert heard(b"\xff\xfe\n# Benchmark: \n# Fork: x\nIteration 1: soon\n" * 3) == []
    assert heard(b"x" * 1_000_000) == []
