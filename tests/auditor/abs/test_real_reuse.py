"""What an audit of the next commit runs: only what can have changed."""

import re
import shutil
import sqlite3

import pytest
from real_program import Program, config, write

pytestmark = pytest.mark.subject

CODE = """package {0}

func Turn(x uint64) uint64 {{
	for n := 200; n > 0; n-- {{
		x ^= x << 13
		x ^= x >> 7
	}}
	return x
}}
"""
TESTS = """package {0}

import "testing"

var sink uint64

func Benchmark{1}(b *testing.B) {{
	for i := 0; i < b.N; i++ {{
		sink = {2}(sink + 1)
	}}
}}
"""
USER = """package user

import "example.org/two/left"

func Use(x uint64) uint64 { return left.Turn(x) }
"""
FILES = {
    "go.mod": "module example.org/two\n\ngo 1.20\n",
    "README.md": "two\n",
    "left/left.go": CODE.format("left"),
    "left/left_test.go": TESTS.format("left", "Left", "Turn"),
    "right/right.go": CODE.format("right"),
    "right/right_test.go": TESTS.format("right", "Right", "Turn"),
    "user/user.go": USER,
    "user/user_test.go": TESTS.format("user", "User", "Use"),
}
METHODS = ["left.Turn", "right.Turn", "user.Use"]


class Audits:
    """Audits of a module that changes, into one store; the first has been made."""

    def __init__(self, folder, cache):
        self.program = Program.below(folder, cache)
        self.subject = write(folder / "two", FILES)
        self.store = folder / "s.sqlite"
        self.asked = config(
            folder / "c.json", subject=str(self.subject), harness="go", methods=METHODS
        )
        self.first = self.audit()
        self.made = self.runs()

    def audit(self, **changes):
        write(self.subject, changes)
        return self.program.audited("abs", self.asked, "--store", self.store)[0]

    def runs(self):
        with sqlite3.connect(self.store) as connection:
            text = "SELECT run.id, benchmark, purpose FROM run JOIN trial ON trial.id = trial"
            return {key: tuple(rest) for key, *rest in connection.execute(text)}

    def new(self):
        """Return the benchmarks of the runs made since this was last asked."""
        before, self.made = self.made, self.runs()
        return [self.made[key] for key in self.made.keys() - before.keys()]


def _names(runs):
    return {benchmark.rpartition(".")[2] for benchmark, _ in runs}


def _outcomes(document):
    return {method["id"]: method["outcome"] for method in document["methods"]}


@pytest.fixture(scope="module")
def audits(shared_cache, tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    return Audits(tmp_path_factory.mktemp("reuse"), shared_cache)


def test_an_audit_of_the_next_commit_runs_only_what_can_have_changed(audits):
    pairs = {(purpose, name) for name, purpose in audits.made.values()}

    read = audits.audit(**{"README.md": "three\n"})
    after_reading = audits.new()
    right = audits.audit(**{"right/right.go": CODE.format("right").replace("200", "190")})
    after_right = audits.new()
    left = audits.audit(**{"left/left.go": CODE.format("left").replace("200", "190")})
    after_left = audits.new()

    assert after_reading == []
    assert _names(run for run in after_right if run[1] != "reach") == {"BenchmarkRight"}
    assert _names(run for run in after_left if run[1] != "reach") == {
        "BenchmarkLeft", "BenchmarkUser"
    }  # fmt: skip
    assert _outcomes(read) == _outcomes(audits.first)
    assert _outcomes(right).keys() == _outcomes(left).keys() == _outcomes(audits.first).keys()
    assert _count_reused_runs(audits.first) is None
    for document, new in ((read, []), (right, after_right), (left, after_left)):
        reused, runs = _count_reused_runs(document)
        assert runs - reused == len(new)
    # Nothing is counted where the method is no part of the program.
    assert ("reach", "example.org/two/right.BenchmarkRight") in pairs
    assert {
        pair["reach"] for pair in audits.first["pairs"] if pair["method"].endswith("user.Use")
    } > {"not at all"}


def test_packages_in_which_nothing_can_match_are_not_built_until_they_are_asked_for(
    shared_cache, tmp_path
):
    program = Program.below(tmp_path, shared_cache)
    subject = str(write(tmp_path / "two", FILES))

    def measured(pattern):
        config_file = config(
            tmp_path / "c.json", subject=subject, harness="go", benchmarks=pattern, stability_runs=2
        )
        document, _ = program.audited("stability", config_file, "--store", tmp_path / "s.sqlite")
        names = [benchmark["id"] for benchmark in document["benchmarks"]]
        return names, document["stability"]["filter"]

    left = measured(r"^example\.org/two/left\.")
    user = measured("^BenchmarkUser$")
    all_packages = measured(".*")

    assert left[0] == ["example.org/two/left.BenchmarkLeft"]
    assert (left[1]["suite_size"], left[1]["groups_passed_over"]) == (1, 2)
    assert user[0] == ["example.org/two/user.BenchmarkUser"]
    assert (user[1]["suite_size"], user[1]["groups_passed_over"]) == (2, 1)  # left is known
    assert len(all_packages[0]) == 3
    assert all_packages[1] is None


def _count_reused_runs(document):
    """Return how many of how many runs are said to be of another revision, None if none is."""
    for caveat in document["caveats"]:
        if caveat["slug"] == "other-revision":
            pattern = r"(\d+) of (\d+) runs are reused from another revision"
            match = re.match(pattern, caveat["text"])
            return int(match[1]), int(match[2])
    return None
