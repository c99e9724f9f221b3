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
    assert [(one.fork, one.is_warmup) for one in sums] == [
        (fork, warm) for fork in (1, 2) for warm in (True, True, False, False, False)
    ]
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


def test_what_is_none_of_it_says_nothing():
    assert heard(b"\xff\xfe\n# Benchmark: \n# Fork: x\nIteration 1: soon\n" * 3) == []
    assert heard(b"x" * 1_000_000) == []
