"""What a suite does to our copy of its tree."""

import pytest
from real_program import config, everything, tiny, write

pytestmark = pytest.mark.subject

WRITES = """package tiny

import (
	"os"
	"testing"
)

func BenchmarkAdd(b *testing.B) {
	os.WriteFile("testdata/input", []byte("other"), 0o600)
	os.WriteFile("testdata/output", []byte("new"), 0o600)
	for i := 0; i < b.N; i++ {
		Add(uint64(i))
	}
}
"""


def test_files_that_a_suite_changes_are_named_and_the_next_audit_has_them_as_they_were(
    program, tmp_path
):
    module = write(tiny(tmp_path / "tiny", tests=WRITES), {"testdata/input": "as it was"})
    before = everything(module)
    config_file = config(tmp_path / "c.json", subject=str(module))

    for store in (
        "a.sqlite",
        "b.sqlite",
    ):  # if the second began with what the first has left, nothing would change
        document, _ = program.audited(
            "stability", config_file, "--store", tmp_path / store, "-o", tmp_path / "out"
        )

        assert everything(module) == before
        [message] = [
            caveat["text"] for caveat in document["caveats"] if caveat["slug"] == "tree-changed"
        ]
        assert "testdata/input" in message
        assert "output" not in message


def test_nothing_is_said_of_a_suite_that_leaves_its_files_alone(program, tmp_path):
    config_file = config(tmp_path / "c.json", subject=str(tiny(tmp_path / "tiny")))

    document, _ = program.audited("stability", config_file, "-o", tmp_path / "out")

    assert "tree-changed" not in [caveat["slug"] for caveat in document["caveats"]]
