"""Watched processes beside configured ones, on a real suite, with plans that take no time."""

import re

SUITE = """package tiny

import "testing"

var sum int

func BenchmarkTiny(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum += i
	}
}
"""
CODE = """
import live_stopping as live
short = {{"forks": 1, "warmup": 0, "iterations": 3, "iteration_time": "10ms"}}
live.REFERENCE = short
live.SUITES = (live.Suite({subject!r}, ("BenchmarkTiny$",), short, 1),)
live.main(["--processes", "2", "--method", "cov"])
"""


def test_as_many_processes_of_each_kind_are_compared_as_are_asked_for(printed, tmp_path):
    (tmp_path / "go.mod").write_text("module example.org/tiny\n\ngo 1.20\n")
    (tmp_path / "tiny_test.go").write_text(SUITE)

    _, subject, row, total = printed(CODE.format(subject=str(tmp_path))).splitlines()

    assert subject == f"{tmp_path} (forks: 1)"
    match = re.fullmatch(
        r"BenchmarkTiny +(\S+) +(\S+) +\S+% +\S+%  cov, (\d+|None); cov, (\d+|None)", row
    )
    assert match is not None, row
    configured, watched = float(match[1]), float(match[2])
    # Two processes of three iterations, and two that have to see five seconds each at least.
    assert configured < watched
    assert watched > 2 * 5
    assert float(total.split()[-3]) > 10


ROWS = """
from live_stopping import Kind, Process, Row, total
def kind(*means):
    return Kind([Process(one, 2.0, ("learned", "7")) for one in means])
rows = [
    Row("A", kind(1.1, 1.3), kind(0.8, 1.0), kind(0.9, 1.1)),
    Row("B", kind(2), kind(2), kind(2)),
]
print(*rows, total(rows), sep="\\n")
"""


def test_what_processes_are_off_is_that_of_the_mean_over_their_means(printed):
    first, second, total = printed(ROWS).splitlines()

    assert first.split()[1:] == [
        "4.0",
        "4.0",
        "+20.0%",
        "-10.0%",
        "learned,",
        "7;",
        "learned,",
        "7",
    ]
    assert second.split()[1:5] == ["2.0", "2.0", "+0.0%", "+0.0%"]
    assert total.split()[-3:] == ["1.00", "10.0%", "5.0%"]
