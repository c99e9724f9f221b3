"""Which variables of the user's a real benchmark sees."""

import pytest
from real_program import config, tiny

pytestmark = pytest.mark.subject

SET = {"GITHUB_TOKEN": "ghs_1"}
SECRETIVE = """package tiny

import (
	"os"
	"testing"
)

var sink uint64

func BenchmarkAdd(b *testing.B) {
	if os.Getenv("GITHUB_TOKEN") != "" {
		b.Fatal("it knows the token")
	}
	for i := 0; i < b.N; i++ {
		sink = Add(sink + 1)
	}
}
"""


@pytest.mark.parametrize("named", [False, True])
def test_a_benchmark_sees_a_secret_only_where_it_is_named(program, module, tmp_path, named):
    tiny(module, tests=SECRETIVE)
    local = {"environment": ["GITHUB_TOKEN"] if named else []}
    config_path = config(tmp_path / "c.json", subject=str(module), local=local)
    call = ("stability", config_path, "--quiet", "-o", tmp_path / "out")

    if named:
        line = program.refused(*call, code=3, slug="no-benchmarks", **SET)
        assert "it knows the token" in line
    else:
        document, _ = program.audited(*call, **SET)
        assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2]
