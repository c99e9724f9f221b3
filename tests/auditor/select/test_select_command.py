"""`bench-audit select` in this process, of results that are made here."""

import json
from dataclasses import replace

import msgspec
import pytest
from builders import benchmark_verdict_of, method_verdict_of, pair_verdict_of
from cli_acting import CONTEXT, Stage, score, verdict
from comparisons import build_comparison
from schema_checks import check_schema

from auditor.abs import document_of_verdict
from auditor.compare.model import Patch
from auditor.core.caveats import Caveat
from auditor.core.result import ReachState, Verdict
from auditor.store.audits import AuditRecord
from auditor.store.sqlite import SqliteStore
from reports import results

RING = "example.org/ring."
SUITE = {
    "BenchmarkPush": (5.0, 0.01, {"Push", "Len"}),
    "BenchmarkPop/n=1": (2.0, 0.3, {"Pop"}),
    "BenchmarkBoth": (10.0, 0.02, {"Push", "Pop", "Peek"}),
    "BenchmarkNone": (4.0, 0.02, set()),
}
METHODS = ("Push", "Pop", "Peek", "Len", "Clear")


def benchmark(name, seconds, spread):
    return benchmark_verdict_of(
        id=RING + name,
        max_spread=spread,
        bucket=None,
        means=() if seconds is None else (1e-6, 1e-6),
        runs=2,
        seconds=seconds,
    )


def result(suite=SUITE, undecided=(), caveats=(), share=0.9):
    """Return the text of a result; `undecided` are pairs of a method and a benchmark.

    `share` is the part of an operation that a pair's method is.
    """
    detectors = {
        method: tuple(RING + name for name, (_, _, d) in suite.items() if method in d)
        for method in METHODS
    }
    methods = tuple(
        method_verdict_of(
            id=RING + method,
            outcome=Verdict.DETECTED if detectors[method] else Verdict.MISSED,
            detected_by=detectors[method],
        )
        for method in METHODS
    )
    pairs = tuple(
        pair_verdict_of(
            method=RING + method,
            benchmark=RING + name,
            outcome=outcome(method, name, detects, undecided),
            reach=ReachState.IN_LOOP,
            share=share,
        )
        for method in METHODS
        for name, (_, _, detects) in suite.items()
    )
    base_verdict = verdict(score(sum(map(bool, detectors.values())), counted=len(METHODS)))
    benchmarks = tuple(benchmark(name, *rest[:2]) for name, rest in suite.items())
    abs_verdict = replace(
        base_verdict,
        methods=methods,
        pairs=pairs,
        stability=replace(base_verdict.stability, benchmarks=benchmarks),
        caveats=tuple(Caveat(slug, "said") for slug in caveats),
    )
    return results.format_json(document_of_verdict.build_abs_document(abs_verdict, CONTEXT))


def outcome(method, name, detects, undecided):
    if method in detects:
        return Verdict.DETECTED
    return Verdict.INCONCLUSIVE if (method, name) in undecided else Verdict.MISSED


@pytest.fixture
def call(tmp_path, capsys):
    def called(*flags, text=None):
        path = tmp_path / "result.json"
        path.write_text(text or result())
        code = Stage(str(tmp_path)).call("select", "--result", str(path), *flags)
        return code, *capsys.readouterr()

    return called


@pytest.fixture
def answered(call):
    def select(*flags, text=None):
        code, printed, _ = call(*flags, "--format", "json", text=text)
        document = json.loads(printed)
        check_schema("select", document)
        assert code == 0
        return document

    return select


def ids(selection):
    return [entry["id"].removeprefix(RING) for entry in selection["benchmarks"]]


def names(methods):
    return [method.removeprefix(RING) for method in methods]


def test_without_a_budget_it_is_the_cheapest_choice_that_keeps_the_score(answered):
    selection = answered()

    assert ids(selection) == ["BenchmarkPush", "BenchmarkBoth"]
    assert (selection["seconds"], selection["suite_seconds"]) == (15.0, 21.0)
    assert selection["lost"] == []
    assert (selection["percent"], selection["total_percent"]) == (80.0, 80.0)
    assert selection["cheapest"]


def test_a_budget_is_kept_and_what_is_lost_is_named(answered):
    selection = answered("--budget", "8s")

    assert ids(selection) == ["BenchmarkPush", "BenchmarkPop/n=1"]
    assert (selection["seconds"], selection["budget"]) == (7.0, 8.0)
    assert selection["lost"] == [{"method": RING + "Peek", "detected_by": [RING + "BenchmarkBoth"]}]
    assert selection["most"] == {"methods": 3, "reached": True, "conflicting": []}
    assert selection["percent"] == 60.0


def test_the_benchmarks_say_what_they_detect_and_what_they_alone_do(answered):
    push_entry, both_entry = answered()["benchmarks"]

    assert (names(push_entry["detects"]), names(push_entry["alone"])) == (["Push", "Len"], ["Len"])
    assert names(both_entry["alone"]) == ["Pop", "Peek"]


def test_the_call_runs_the_choice_in_its_package(answered):
    (package_call,) = answered("--budget", "8s")["calls"]

    assert package_call["pattern"] == r"^BenchmarkPop$/^n=1$|^BenchmarkPush$"
    assert package_call["command"].endswith(" example.org/ring")


def test_a_table_says_the_same(call):
    code, printed, _ = call("--budget", "8s")

    assert code == 0
    assert "Within 8\xa0s: 2 of 4 benchmarks detect 3 of 4 detected methods" in printed
    assert "a score of 60\xa0% of 80\xa0%. A run takes 7\xa0s of 21\xa0s." in printed
    assert "• example.org/ring.Peek, detected by" in printed
    assert r"'-bench=^BenchmarkPop$/^n=1$|^BenchmarkPush$' example.org/ring" in printed


DISJOINT_SUITE = {
    "BenchmarkA": (2.0, 0.0, {"Push", "Pop"}),
    "BenchmarkB": (3.0, 0.0, {"Peek", "Len", "Clear"}),
}


def test_where_nesting_costs_a_method_it_is_said_and_most_has_it(call, answered):
    _, printed, _ = call("--budget", "3s", text=result(DISJOINT_SUITE))
    nested = answered("--budget", "3s", text=result(DISJOINT_SUITE))
    fullest = answered("--budget", "3s", "--most", text=result(DISJOINT_SUITE))

    assert "another choice detects 3, but it loses a method that a smaller budget" in printed
    assert (ids(nested), nested["nested"]) == (["BenchmarkA"], True)
    assert (ids(fullest), fullest["nested"]) == (["BenchmarkB"], False)


def test_a_choice_that_a_larger_budget_does_not_keep_is_named_so(call):
    text = result(
        {"BenchmarkA": (4.0, 0.0, {"Push", "Pop", "Len"}), "BenchmarkB": (3.0, 0.0, {"Peek"})}
    )

    code, printed, _ = call("--budget", "3s", text=text)

    assert code == 0
    assert "1 of 2 benchmarks detects 1 of 4 detected methods" in printed
    assert "A larger budget may lose a method that this choice detects." in printed
    assert "may lose" not in call("--budget", "4s", text=text)[1]


def test_what_a_comparison_has_found_changed_counts(answered, tmp_path):
    patch = Patch(changed=(RING + "Pop",), added=(RING + "Peek",), removed=(RING + "Len",))
    (tmp_path / "compare.json").write_bytes(msgspec.json.encode(build_comparison(patch=patch)))

    selection = answered("--changed", str(tmp_path / "compare.json"))

    assert names(selection["changed"]) == ["Peek", "Pop"]


def test_only_what_changed_counts(answered, tmp_path):
    (tmp_path / "changed.txt").write_text("# of this branch\nring.Pop  # slow\n\n  Peek()Other  \n")

    selection = answered("--changed", str(tmp_path / "changed.txt"))

    assert names(selection["changed"]) == ["Pop"]
    assert ids(selection) == ["BenchmarkPop/n=1"]
    assert (selection["counted"], selection["percent"], selection["total_percent"]) == (
        1,
        100.0,
        None,
    )
    assert selection["unaudited"] == ["Peek()Other"]
    assert [caveat["slug"] for caveat in selection["caveats"]] == ["unaudited"]
    assert selection["caveats"][0]["text"].startswith("1 name not among the methods of this result")


def test_a_name_that_is_too_long_for_a_file_is_a_name(answered):
    name = "Pop" * 100

    assert answered("--changed", name)["unaudited"] == [name]


def test_nothing_is_to_be_run_for_a_change_that_nobody_watches(call):
    code, printed, _ = call("--changed", "Clear", "--format", "json")

    assert code == 0
    assert (json.loads(printed)["benchmarks"], json.loads(printed)["calls"]) == ([], [])


UNDETECTING = result({"BenchmarkNone": (1.0, 0.1, set())})


@pytest.mark.parametrize(
    ("text", "flags", "reason"),
    [
        (None, ("--budget", "1s"), "each benchmark that detects a method takes longer"),
        (None, ("--budget", "1s", "--most"), "each benchmark that detects a method takes longer"),
        (
            None,
            ("--budget", "1s", "--changed", "Pop"),
            "each benchmark that detects a changed method takes longer than the budget",
        ),
        (UNDETECTING, ("--budget", "1s"), "no benchmark detects a method"),
        (UNDETECTING, (), "no benchmark detects a method"),
        (UNDETECTING, ("--remove",), "no benchmark detects a method, so none is proven redundant"),
    ],
)
def test_a_choice_of_nothing_is_no_verdict_for_its_own_reason(call, text, flags, reason):
    code, _, message = call(*flags, text=text)

    assert code == 5
    assert f"no verdict: {reason}" in message


def test_nothing_is_proposed_to_go_where_nothing_is_detected(call):
    _, printed, _ = call("--remove", "--format", "json", text=UNDETECTING)

    proposal = json.loads(printed)
    assert (proposal["removed"], ids(proposal)) == ([], ["BenchmarkNone"])
    assert "No benchmark is proven redundant" in call("--remove", text=UNDETECTING)[1]


def test_what_can_go_has_others_for_all_that_it_detects(answered):
    selection = answered("--remove")

    assert [(entry["id"], entry["watched"]) for entry in selection["removed"]] == [
        (RING + "BenchmarkNone", []),
        (
            RING + "BenchmarkPop/n=1",
            [{"method": RING + "Pop", "detected_by": [RING + "BenchmarkBoth"]}],
        ),
    ]
    assert (selection["seconds_saved"], selection["seconds"]) == (6.0, 15.0)
    assert ids(selection) == ["BenchmarkPush", "BenchmarkBoth"]


def test_a_benchmark_that_may_be_the_only_one_is_no_detection_and_stays(answered, call):
    text = result(undecided=[("Clear", "BenchmarkNone"), ("Peek", "BenchmarkPop/n=1")])

    selection = answered("--remove", text=text)

    assert ids(selection) == ["BenchmarkPush", "BenchmarkBoth", "BenchmarkNone"]
    assert selection["undecided"] == [
        {"benchmark": RING + "BenchmarkNone", "methods": [RING + "Clear"]}
    ]
    assert "may be the only one to detect example.org/ring.Clear" in call("--remove", text=text)[1]


@pytest.mark.parametrize("pair_outcome", ["invalid", "refused", "dead-code"])
def test_a_pair_without_an_answer_may_be_the_only_detection(answered, pair_outcome):
    document = json.loads(result())
    for pair in document["pairs"]:
        if (pair["method"], pair["benchmark"]) == (RING + "Clear", RING + "BenchmarkNone"):
            pair["outcome"] = pair_outcome

    proposal = answered("--remove", text=json.dumps(document))

    assert ids(proposal) == ["BenchmarkPush", "BenchmarkBoth", "BenchmarkNone"]
    assert proposal["undecided"] == [
        {"benchmark": RING + "BenchmarkNone", "methods": [RING + "Clear"]}
    ]


@pytest.mark.parametrize("share", [0.1, None])
def test_a_benchmark_of_which_too_little_was_examined_stays(answered, call, share):
    text = result(share=share)

    selection = answered("--remove", text=text)

    assert (selection["removed"], len(selection["unexamined"])) == ([], len(SUITE))
    assert "too little of some was examined" in call("--remove", text=text)[1]


def test_a_benchmark_that_was_not_measured_stays(answered):
    selection = answered("--remove", text=result({**SUITE, "BenchmarkNone": (None, None, set())}))

    assert selection["unknown"] == [RING + "BenchmarkNone"]
    assert selection["unexamined"] == []
    assert "BenchmarkNone" in ids(selection)


UNTIMED = result({**SUITE, "BenchmarkPush": (None, None, {"Len"})})


def test_a_benchmark_of_unknown_time_stays_and_is_named_so(call, answered):
    suite = {"BenchmarkA": (2.0, 0.0, {"Pop"}), "BenchmarkB": (None, None, {"Len"})}
    text = result(suite)

    _, printed, _ = call("--remove", text=text)

    assert "some were not measured or timed" in printed
    assert "the time of example.org/ring.BenchmarkB is unknown" in printed
    assert answered("--remove", text=text)["untimed"] == [RING + "BenchmarkB"]
    assert "A run takes at least 2\xa0s of at least 2\xa0s." in call(text=text)[1]


def test_a_benchmark_that_failed_in_a_later_run_stays_as_not_measured(call):
    document = json.loads(result())
    document["benchmarks"][3]["ending"] = "crashed"

    printed = call("--remove", text=json.dumps(document))[1]

    assert "example.org/ring.BenchmarkNone was not measured" in printed


def test_where_no_time_is_known_all_benchmarks_count_alike(call, answered):
    text = result({"BenchmarkA": (None, None, {"Pop"}), "BenchmarkB": (None, None, {"Len"})})

    (caveat,) = answered(text=text)["caveats"]

    assert caveat["text"].endswith(": all benchmarks count alike")
    assert "The time of a run is unknown." in call(text=text)[1]
    assert answered(text=UNTIMED)["caveats"][0]["text"].endswith("median time of the others")


def test_no_budget_can_be_kept_with_benchmarks_of_unknown_length(call, answered):
    code, _, message = call("--budget", "8s", text=UNTIMED)

    assert (code, message.count("\n")) == (2, 1)
    assert "the time of example.org/ring.BenchmarkPush is unknown" in message
    assert [caveat["slug"] for caveat in answered(text=UNTIMED)["caveats"]] == ["unknown-time"]


def test_caveats_that_are_about_a_choice_too_are_passed_on(answered):
    selection = answered(text=result(caveats=["estimate", "few-runs", "filtered"]))

    assert [caveat["slug"] for caveat in selection["caveats"]] == ["estimate", "filtered"]


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        (
            result(caveats=["score-mode"]),
            (),
            "run the same bench-audit abs with --mode matrix first",
        ),
        ("{}", (), "this is not a result of bench-audit abs or stability"),
        (None, ("--budget", "ten"), "'ten' is not a duration"),
        (None, ("--most",), "--most needs a budget"),
        (None, ("--remove", "--budget", "1m"), "leave out --budget"),
        (None, ("--remove", "--changed", "Pop"), "leave out --changed"),
        (
            None,
            ("--result", "/proc/nowhere/result.json"),
            "/proc/nowhere/result.json cannot be read: it does not exist",
        ),
    ],
)
def test_what_is_wrong_is_one_line(call, text, flags, message):
    code, printed, errors = call(*flags, text=text)

    assert (code, printed, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("error[usage]: ")
    assert message in errors


def test_the_result_can_be_that_of_the_store(tmp_path, capsys):
    stage = Stage(str(tmp_path))
    stage.call("abs", "go:example.org/ring@v1")
    config, places = stage.opened[-1]
    for text, command in ((result(), "abs"), ("{}", "stability")):
        with SqliteStore(places.store) as store:
            record = AuditRecord(
                command=command,
                subject="digest",
                config=config.text,
                tools=(),
                version="1.0",
                started="2026-01-02T03:04:05Z",
            )
            store.end_audit(store.add_audit(record), "2026-01-02T03:05:05Z", text)
    capsys.readouterr()

    code = stage.call("select", "go:example.org/ring@v1", "--budget", "8s", "--format", "json")

    output = capsys.readouterr()
    assert code == 0
    assert ids(json.loads(output.out)) == ["BenchmarkPush", "BenchmarkPop/n=1"]
    assert "of the result of bench-audit abs, begun at 2026-01-02T03:04:05Z" in output.err
    assert stage.call("select", "go:example.org/other@v1") == 2
    assert "holds no finished audit" in capsys.readouterr().err
