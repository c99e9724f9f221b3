"""The real program on sources: nothing is run, and nothing is written."""

import json
from statistics import mean

import pytest
from real_program import JAVA_RING, PYTHON_RING, QUICK, config, everything, git, tiny, write
from schema_checks import check_schema

from auditor.lint.judge import EMPTY_SECONDS

pytestmark = pytest.mark.subject

DEAD = """package tiny

import "testing"

var sink int

func BenchmarkDead(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Mix(uint64(i))
	}
}

func BenchmarkSize(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Fib(i)
	}
}
"""
CODE = """package tiny

func Add(x uint64) uint64 {
	for n := 200; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
	}
	return x
}

func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

func Mix(x uint64) uint64 {
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	x *= 0x2545F4914F6CDD1D
	x ^= x >> 29
	return x * 3
}
"""


@pytest.fixture
def project(tmp_path):
    return tiny(tmp_path / "tiny", code=CODE, tests=DEAD)


def found_in(program, subject, *words):
    document, _ = program.audited("lint", subject, *words)
    check_schema("lint", document)
    return {(finding["rule"], finding["benchmark"]): finding for finding in document["findings"]}


def test_a_go_suite_is_looked_at_where_it_is(program, project):
    before = everything(project)

    result = found_in(program, project)

    assert set(result) == {
        ("go-unused-result", "BenchmarkDead"),
        ("go-bn-as-size", "BenchmarkSize"),
    }
    dead = result["go-unused-result", "BenchmarkDead"]
    assert dead["span"] == {"file": "tiny_test.go", "first_line": 9, "last_line": 9}
    assert everything(project) == before
    assert not program.state.exists()
    assert not any(program.cwd.iterdir())


def test_suites_of_known_truth(program):
    """java-ring has a benchmark whose call is removed, python-ring one of a single round.

    Another one of python-ring calls a function that remembers its result.
    """
    java = found_in(program, JAVA_RING)
    python = found_in(program, PYTHON_RING)

    assert ("jmh-unused-result", "Shares.wasted") in java
    assert ("jmh-no-forks", "Modes.unforked") in java
    assert set(python) == {
        ("py-one-round", "test_checked_and_of"),
        ("py-cached-call", "test_remembered"),
    }


def test_all_languages_of_a_repository_are_looked_at(program, project):
    write(
        project, {"benches/test_x.py": "def test_x(benchmark):\n    benchmark.pedantic(len, [1])\n"}
    )

    result = found_in(program, project)

    assert {rule.partition("-")[0] for rule, _ in result} == {"go", "py"}


def test_a_revision_is_looked_at_as_it_was(program, project, tmp_path):
    git(project, "init", "-q")
    git(project, "add", "--all")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "one")
    (project / "tiny_test.go").write_text("package tiny\n")

    assert found_in(program, project) == {}
    assert len(found_in(program, f"git:{project}@HEAD")) == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 0, ""),
        (("--fail-on", "likely"), 1, "gate failed: 2 findings at least likely"),
        (("--fail-on", "certain"), 0, "gate passed: no finding at least certain"),
        (("--only", "go-no-bn", "--fail-on", "possible"), 0, "gate passed: no finding at least"),
        (
            ("--without", "go-bn-as-size", "--fail-on", "likely"),
            1,
            "gate failed: 1 finding at least likely",
        ),
    ],
)
def test_the_exit_code_is_that_of_what_is_asked(program, project, words, code, message):
    answer = program.call("lint", project, *words)

    assert answer.returncode == code, answer
    assert message in answer.stderr


def test_a_marker_allows_a_finding_and_a_wrong_one_is_refused(program, project):
    file = project / "tiny_test.go"
    marker = "// bench-audit:allow go-unused-result it shows what is removed\n"
    file.write_text(DEAD.replace("func BenchmarkDead", f"{marker}func BenchmarkDead"))

    allowed = found_in(program, project)["go-unused-result", "BenchmarkDead"]["allowed"]

    assert allowed == "it shows what is removed"
    file.write_text(
        DEAD.replace("func BenchmarkDead", "// bench-audit:allow go-dead\nfunc BenchmarkDead")
    )
    line = program.refused("lint", project, code=2, slug="usage")
    assert "tiny_test.go:7: no rule is called 'go-dead'; there are " in line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "go-nothing"), "no rule is called 'go-nothing'; there are "),
        (("--result", "nowhere.json"), "nowhere.json cannot be read"),
    ],
)
def test_what_makes_no_sense_is_one_line(program, project, words, message):
    assert message in program.refused("lint", project, *words, code=2, slug="usage")


def test_a_folder_without_benchmarks_says_so(program, tmp_path):
    (tmp_path / "empty").mkdir()

    answer = program.call("lint", tmp_path / "empty")

    assert (answer.returncode, answer.stdout) == (0, "No benchmark was found in these sources.\n")


KOTLIN = "open class Sums {\n    @Benchmark fun sum(): Int = 1\n}\n"
JAVA = """import org.openjdk.jmh.annotations.Benchmark;

public class Sums {
    @Benchmark
    public int sum() {
        return 1;
    }
}
"""


def test_benchmarks_in_a_language_that_no_rule_reads_leave_a_gate_undecided(program, tmp_path):
    folder = write(tmp_path / "kotlin", {"src/Sums.kt": KOTLIN, "src/Other.kt": "class Other\n"})

    answer = program.call("lint", folder, "--fail-on", "possible")

    assert answer.returncode == 5
    assert "No benchmark of these sources could be read." in answer.stdout
    text = " ".join(answer.stdout.split())
    assert "Kotlin, Scala or Groovy, so files with benchmarks were skipped: src/Sums.kt;" in text


def test_a_gate_is_decided_by_the_languages_that_rules_read(program, tmp_path):
    folder = write(tmp_path / "mixed", {"src/Sums.scala": KOTLIN, "src/Sums.java": JAVA})

    answer = program.call("lint", folder, "--fail-on", "possible")

    assert answer.returncode == 0
    assert "src/Sums.scala" in answer.stdout


def test_rules_are_listed(program):
    answer = program.call("lint", "--list")

    lines = answer.stdout.splitlines()
    assert lines[0].split() == ["rule", "sure", "on", "practice", "what"]
    assert {line.split()[0].partition("-")[0] for line in lines[1:]} == {"go", "jmh", "py"}
    practices = {line.split()[3] for line in lines[1:]} & {"RETU", "LOOP", "FINAL", "INVO", "FORK"}
    assert len(practices) == 5


def test_formats_for_forges(program, project):
    sarif = json.loads(program.call("lint", project, "--format", "sarif").stdout)
    github = program.call("lint", project, "--format", "github").stdout
    markdown = program.call("lint", project, "--format", "markdown").stdout

    assert len(sarif["runs"][0]["results"]) == 2
    assert github.startswith("::warning file=tiny_test.go,line=9,endLine=9,title=bench-audit go-un")
    assert "**2 findings in 2 of 2 benchmarks.**" in markdown


@pytest.mark.timed
def test_a_run_confirms_that_a_call_was_removed(program, project, tmp_path):
    config_file = config(tmp_path / "config.json", subject=str(project), **QUICK)
    program.audited(
        "stability",
        "--stability-runs",
        "1",
        config_file,
        "--benchmarks",
        "Dead",
        "-o",
        tmp_path / "out",
    )

    result = found_in(program, project, "--result", tmp_path / "out" / "stability.json")

    proof = result["go-unused-result", "BenchmarkDead"]["proof"]
    (took,) = json.loads((tmp_path / "out" / "stability.json").read_text())["benchmarks"]
    if mean(took["means"]) < EMPTY_SECONDS:
        assert (proof["state"], proof["text"].endswith(": an empty loop")) == ("confirmed", True)
    else:  # a processor that is so slow, or shared, that nobody can tell
        assert proof is None


def test_a_result_of_another_revision_bears_nothing_out(program, project, tmp_path):
    for name in ("one", "two"):
        (project / "name.txt").write_text(name)
        git(project, "init", "-q")
        git(project, "add", "--all")
        git(project, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", name)
    out = tmp_path / "out"
    plan = ("--benchmarks", "Dead", "-o", out)
    program.audited("stability", "--stability-runs", "1", f"git:{project}@HEAD~1", *plan)

    document, _ = program.audited("lint", project, "--result", out / "stability.json")

    assert [caveat["slug"] for caveat in document["caveats"]] == ["result-of-another"]
    assert {finding["proof"] for finding in document["findings"]} == {None}


def test_a_file_that_is_too_large_passes_no_gate(program, tmp_path):
    text = "def test_x(benchmark):\n    benchmark.pedantic(len, rounds=1)\n"
    write(tmp_path / "large", {"test_x.py": text + "#" * 2_000_000})

    answer = program.call("lint", tmp_path / "large", "--fail-on", "possible")

    assert answer.returncode == 5, answer
    assert "gate undecided: 1 file with benchmarks cannot be read" in answer.stderr
    assert "too large: test_x.py [lint-unread]" in answer.stdout


def test_a_file_whose_syntax_is_broken_is_said(program, project):
    (project / "broken_test.go").write_text("package tiny\n\nfunc BenchmarkX(b *testing.B) {{{\n")

    document, _ = program.audited("lint", project)

    assert document["unread"] == ["broken_test.go"]
    assert [caveat["slug"] for caveat in document["caveats"]] == ["lint-unread"]
