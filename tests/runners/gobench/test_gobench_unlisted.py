"""Benchmarks that a test program does not list, or under another name each time."""

import os

import pytest
from gobench_making import lab

from runners.gobench.discovery import may_move

FILES = {
    "go.mod": "module example.org/m\n\ngo 1.21\n",
    "early/early.go": "package early\n\nfunc F() int { return 1 }\n",
    "early/early_test.go": """package early

import (
	"flag"
	"testing"
)

func init() { flag.Parse() }

func BenchmarkF(b *testing.B) {
	for i := 0; i < b.N; i++ {
		F()
	}
}
""",
    "silent/silent.go": "package silent\n\nfunc F() int { return 1 }\n",
    "silent/silent_test.go": """package silent

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("SERVICE") == "" {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func BenchmarkF(b *testing.B) {}

func BenchmarkG(b *testing.B) {}
""",
    "moving/moving.go": "package moving\n\nfunc F() int { return 1 }\n",
    "moving/moving_test.go": """package moving

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkAt(b *testing.B) {
	for _, name := range []string{fmt.Sprint(time.Now().UnixNano()), "fixed"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				F()
			}
		})
	}
}

func BenchmarkSize(b *testing.B) {
	b.Run(fmt.Sprint(1000*1000), func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			F()
		}
	})
}
""",
}


@pytest.mark.subject
def test_what_is_not_listed_or_moves_is_named_with_the_reason(go_home, tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)

    suite = lab(tmp_path, go_home, os.environ).suite

    names = {benchmark.name for benchmark in suite.benchmarks}
    assert names == {"BenchmarkAt/fixed", "BenchmarkSize/1000000"}
    (early, silent), (moving,) = (
        [unusable for unusable in suite.unusable if ("moving" in unusable[0]) is moves]
        for moves in (False, True)
    )
    assert early[0] == "example.org/m/early"
    assert "-test.list; flag.Parse() runs before" in early[1]
    assert silent[0] == "example.org/m/silent"
    assert "none of 2 benchmark functions: it ends with exit code 0 without m.Run()" in silent[1]
    assert moving[0].startswith("example.org/m/moving.BenchmarkAt/")
    assert "differs from process to process" in moving[1]


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("BenchmarkA/1764337654", True),
        ("BenchmarkA/0xc000012345", True),
        ("BenchmarkA/12:34:56", True),
        ("BenchmarkA/1.25ms", True),
        ("BenchmarkA/1048576", False),
        ("BenchmarkA/size=4096", False),
        ("BenchmarkA/v1.2", False),
    ],
)
def test_only_what_looks_like_a_time_or_an_address_may_move(name, moves):
    assert may_move(name, [b"for _, n := range []int{1048576} {"]) is moves
