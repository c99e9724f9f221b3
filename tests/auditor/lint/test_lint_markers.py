"""Which smells are said: rules chosen, markers heeded, runs asked."""

import pytest

from auditor.core.contracts.lint import (
    Confidence,
    EvidenceState,
    MethodCallRate,
    Smell,
    SmellRule,
    SourceFindings,
    TimedBenchmark,
)
from auditor.core.errors import UsageError
from auditor.core.subject import SourceFile, SourceRole, Span
from auditor.lint.judge import LinterInput, RuleSelection, run_linters


def rule(name, *, on=True):
    return SmellRule(id=name, title="t", advice="a", sure=Confidence.LIKELY, on=on)


def smell(rule="go-a", line=5, top=3, **more):
    fields = {"benchmark": "BenchmarkAdd", "text": "t", "file": "a_test.go"} | more
    file = fields.pop("file")
    return Smell(rule=rule, span=Span(file, line, line), top=top, **fields)


class Fixed:
    """A linter that finds the same smells whatever it is shown."""

    rules = (rule("go-a"), rule("go-b"), rule("go-rare", on=False))
    comment_prefix = "//"
    endings = (".go",)

    def __init__(self, *smells, unread=()):
        self.smells = smells
        self.unread = unread

    def may_hold(self, source):
        return b"Benchmark" in source.text

    def find_smells(self, sources):
        assert all(source_file.path.endswith(".go") for source_file in sources)
        return SourceFindings(benchmarks=("BenchmarkAdd",), smells=self.smells, unread=self.unread)


TEXT = """package a

func BenchmarkAdd(b *testing.B) {
	for range b.N {
		Add()
	}
}
"""


def source(text=TEXT, path="a_test.go"):
    return SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text.encode())


def lint_smells(*smells, text=TEXT, selection=None, measured=()):
    looks = [LinterInput(linter=Fixed(*smells), files=(source(text),))]
    return run_linters(looks, selection or RuleSelection(), measured)


def rules_of(linted):
    return [finding.rule.id for finding in linted.findings]


def test_rules_that_are_off_are_looked_for_where_they_are_asked_for():
    smells = (smell("go-rare"), smell("go-a"), smell("go-b"))

    assert rules_of(lint_smells(*smells)) == ["go-a", "go-b"]
    assert rules_of(lint_smells(*smells, selection=RuleSelection(is_everything=True))) == [
        "go-a",
        "go-b",
        "go-rare",
    ]
    assert rules_of(lint_smells(*smells, selection=RuleSelection(named=("go-rare",)))) == [
        "go-rare"
    ]
    assert rules_of(lint_smells(*smells, selection=RuleSelection(left_out=("go-b",)))) == ["go-a"]


@pytest.mark.parametrize(
    "selection", [RuleSelection(named=("go-z",)), RuleSelection(left_out=("go-z",))]
)
def test_a_rule_that_does_not_exist_is_refused(selection):
    with pytest.raises(UsageError, match="no rule is called 'go-z'; there are go-a, go-b, go-rare"):
        lint_smells(selection=selection)


MARK = "// bench-audit:allow go-a it is seldom"


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("Add()\n", f"Add() {MARK}\n"),
        TEXT.replace("\tfor range b.N {\n\t\tAdd", f"\t{MARK}\n\t\tAdd"),
        TEXT.replace("\nfunc", f"{MARK}\nfunc"),
        TEXT.replace("testing.B) {", f"testing.B) {{ {MARK}"),
        TEXT.replace("\nfunc", f"{MARK.replace('go-a', 'go-b,go-a')}\nfunc"),
    ],
)
def test_a_marker_in_the_line_above_it_or_above_the_benchmark_allows_a_smell(text):
    (finding,) = lint_smells(smell(), text=text).findings

    assert finding.allowed == "it is seldom"


def test_the_lines_of_comment_above_belong_together():
    text = f"package a\n{MARK}\n// more\nfunc BenchmarkAdd(b *testing.B) {{\n\tAdd()\n}}\n"

    (finding,) = lint_smells(smell(top=4), text=text).findings

    assert finding.allowed == "it is seldom"


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("package a\n", f"package a {MARK}\n"),
        TEXT.replace("Add()\n", f"Add() {MARK.replace('go-a', 'go-b')}\n"),
        f"{TEXT}{MARK}\n",
    ],
)
def test_a_marker_elsewhere_or_for_another_rule_does_not_and_is_said(text):
    linted = lint_smells(smell(), text=text)

    assert [finding.allowed for finding in linted.findings] == [""]
    assert [caveat.slug for caveat in linted.caveats] == ["needless-allow"]


def test_a_marker_for_a_rule_that_was_not_looked_for_is_not_called_needless():
    text = TEXT.replace("Add()\n", f"Add() {MARK.replace('go-a', 'go-rare')}\n")

    (silence,) = lint_smells(text=text).caveats
    assert silence.slug == "lint-silence"
    # A result only bears findings out, and there is none.
    assert "--result" not in silence.text


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("// bench-audit:allow go-a", r"a_test\.go:5: bench-audit:allow has no reason; .*go-a"),
        ("// bench-audit:allow go-z because", r"a_test\.go:5: no rule is called 'go-z'"),
        ("// bench-audit:allow", r"a_test\.go:5: bench-audit:allow has no rule"),
        ("// bench-audit:allow ,", r"a_test\.go:5: bench-audit:allow has no rule"),
    ],
)
def test_a_marker_that_cannot_be_meant_is_refused(mark, message):
    with pytest.raises(UsageError, match=message):
        lint_smells(text=TEXT.replace("Add()\n", f"Add() {mark}\n"))


def test_findings_are_in_the_order_of_files_and_lines_over_all_languages():
    looks = (
        Fixed(smell(line=9, file="b_test.go"), smell("go-b", line=2)),
        Fixed(smell(line=1, file="b_test.go"), unread=("c_test.go",)),
    )

    linted = run_linters(
        [LinterInput(linter=look, files=(source(),)) for look in looks], RuleSelection()
    )

    places = [
        (finding.smell.span.file, finding.smell.span.first_line) for finding in linted.findings
    ]
    assert places == [("a_test.go", 2), ("b_test.go", 1), ("b_test.go", 9)]
    assert linted.benchmarks == ("BenchmarkAdd", "BenchmarkAdd")
    assert linted.unread == ("c_test.go",)
    assert [caveat.slug for caveat in linted.caveats] == ["lint-unread"]


def timed(name="example.org/a.BenchmarkAdd", *, seconds=1e-6, per=1.0, alone=2e-6, method="Add"):
    return TimedBenchmark(
        benchmark=name, seconds=seconds, calls=(MethodCallRate(f"a.{method}", per, alone),)
    )


def proved(unproved_smell, *measured):
    (finding,) = lint_smells(unproved_smell, measured=measured).findings
    return finding.proof and finding.proof.state


@pytest.mark.parametrize(
    ("measured", "state"),
    [
        (timed(), EvidenceState.CONFIRMED),
        (timed(per=100.0, alone=1e-7), EvidenceState.CONFIRMED),
        (timed(seconds=1.9e-6), EvidenceState.REFUTED),
        (timed(seconds=2.4e-6), EvidenceState.REFUTED),
        (timed(seconds=3e-6), None),  # other work may take the time
        (timed(seconds=3e-10, method="Other"), EvidenceState.CONFIRMED),
        (timed(method="Other"), None),
        (timed("example.org/a.BenchmarkAddition"), None),
        (timed("example.org/a.BenchmarkAdd/large"), EvidenceState.CONFIRMED),
        (timed(method="List[int].Add"), EvidenceState.CONFIRMED),
    ],
)
def test_calls_that_take_longer_alone_than_the_operation_were_removed(measured, state):
    assert proved(smell(calls=("Add",)), measured) is state


def test_of_two_methods_with_a_name_nobody_knows_which_is_called():
    calls = tuple(MethodCallRate(f"a.{owner}.Add", 1.0, 1e-6) for owner in ("List", "Set"))
    measured = TimedBenchmark(benchmark="example.org/a.BenchmarkAdd", seconds=1e-6, calls=calls)

    assert proved(smell(calls=("Add",)), measured) is None
    assert proved(smell(calls=("List.Add",)), measured) is EvidenceState.REFUTED
    assert proved(smell(calls=("st.Add",)), measured) is None


def test_times_say_nothing_where_operations_run_at_once():
    overlapping_smell = smell(calls=("Add",), overlapping=True)

    assert [proved(overlapping_smell, timed(seconds=value)) for value in (3e-10, 1e-6, 2e-6)] == [
        None
    ] * 3


def test_a_large_file_that_may_hold_benchmarks_is_not_read():
    large = (source(path="large_test.go"), source("package a", "data.go"))

    linted = run_linters([LinterInput(linter=Fixed(), files=(), large=large)], RuleSelection())

    assert linted.unread == ("large_test.go",)
    assert "too large: large_test.go" in linted.caveats[0].text


def test_rules_all_left_out_are_refused():
    with pytest.raises(UsageError, match="the options leave out every chosen rule"):
        lint_smells(selection=RuleSelection(named=("go-a",), left_out=("go-a",)))


def test_of_two_benchmarks_with_a_name_nobody_knows_which_is_meant():
    namesakes = (timed(), timed("example.org/b.BenchmarkAdd"))

    assert proved(smell(calls=("Add",)), *namesakes) is None


def test_one_parameter_at_which_calls_were_removed_is_enough():
    timings = (timed("a.BenchmarkAdd/1"), timed("a.BenchmarkAdd/2", seconds=5e-6))

    assert proved(smell(calls=("Add",)), *timings) is EvidenceState.CONFIRMED


def test_a_smell_that_is_not_about_calls_is_not_judged_by_them():
    assert proved(smell(), timed()) is None


@pytest.mark.parametrize(
    ("seconds", "state"), [(1e-6, EvidenceState.CONFIRMED), (0.02, EvidenceState.REFUTED)]
)
def test_set_up_of_invocations_is_a_fault_where_they_are_short(monkeypatch, seconds, state):
    monkeypatch.setattr(Fixed, "rules", (rule("jmh-invocation-setup"),))
    setup_smell = smell("jmh-invocation-setup", benchmark="Maps.put")

    assert proved(setup_smell, timed("org.example.Maps.put", seconds=seconds)) is state
    assert proved(setup_smell, timed("org.example.Maps.putAll", seconds=seconds)) is None
