"""Which commits may have changed performance, and what trying them has shown."""

from types import SimpleNamespace

import pytest
from builders import method_verdict_of

from auditor.backtest.judge import (
    count_agreement,
    find_candidates,
    judge_commit,
    make_failed_result,
    make_unmeasured_result,
    summarise_backtest,
)
from auditor.backtest.model import CommitDetection, CommitKind, PastChange
from auditor.compare.model import (
    BenchmarkComparison,
    Comparison,
    Dimension,
    DimensionVerdict,
    Patch,
    PerformanceChange,
    Rounds,
)
from auditor.core.contracts.history import Commit
from auditor.core.result import Verdict


def commit(title, message="", files=("ring.go",), name="a" * 40, parent="b" * 40):
    return Commit(
        id=name, parent=parent, title=title, message=message, day="2024-01-02", files=files
    )


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("perf: decode in one pass", CommitKind.FIX),
        ("Speed up Push", CommitKind.FIX),
        ("Optimise the parser", CommitKind.FIX),
        ("Make Pop twice as fast: faster loops", CommitKind.FIX),
        ("Avoid an allocation in Push", CommitKind.FIX),
        ("Eliminate some copying", CommitKind.FIX),
        ("Fix performance regression in Push", CommitKind.FIX),
        ("Revert 'cache', which slows down Push", CommitKind.FIX),
        ("A slowdown of Push that we can live with", CommitKind.EITHER),
        ("Document a performance regression", CommitKind.EITHER),
    ],
)
def test_messages_that_speak_of_performance(title, kind):
    (candidate,) = find_candidates([commit(title)], 10)

    assert candidate.kind is kind
    assert candidate.found_by.startswith('its message says "')


@pytest.mark.parametrize(
    "title",
    [
        "Build the table once: much faster",
        "Test for nil first, avoids allocs",
        "Docs-free fast path: no allocations",
        "Perf: no copies",
    ],
)
def test_a_title_that_begins_with_a_word_of_tests_may_still_change_code(title):
    assert len(find_candidates([commit(title)], 10)) == 1


@pytest.mark.parametrize(
    "file",
    [
        "perfect_hash.go",
        "superfluous.go",
        "workbench/src/A.java",
        "src/main/java/Perforation.java",
        "canvas/path.py",
    ],
)
def test_a_path_that_holds_letters_of_a_benchmark_is_code(file):
    (candidate,) = find_candidates([commit("Speed up Push", files=(file,))], 10)

    assert "benchmarks" not in candidate.found_by


@pytest.mark.parametrize(
    "file",
    [
        "bench.go",
        "benches/push.py",
        "perf/push.py",
        "asv_bench/time_push.py",
        "microbench/src/main/java/Push.java",
        "src/jmh/java/Push.java",
        "src/main/java/RingBenchmark.java",
        "src/main/java/RingJMHBench2.java",
        "src/main/java/BenchmarkRing.java",
    ],
)
def test_a_path_with_the_word_is_a_benchmark_and_no_code(file):
    assert find_candidates([commit("Speed up Push", files=(file,))], 10) == ()


@pytest.mark.parametrize(
    "ordinary_commit",
    [
        commit("Add Push"),
        commit("Be optimistic"),
        commit("docs: how fast it is, performance"),
        commit("test: performance of Push"),
        commit("build(deps)!: faster parser"),
        commit("Docs!: performance"),
        commit("[test] performance of Push"),
        commit("ci/build: speed up"),
        commit("Speed up Push", files=("README.md",)),
        commit("Speed up the benchmarks", files=("ring_bench_test.go",)),
        commit("Speed up the tests", files=("ring_test.go", "src/test/java/RingTest.java")),
        commit("Speed up Push", parent=""),
    ],
)
def test_other_commits_are_none(ordinary_commit):
    assert find_candidates([ordinary_commit], 10) == ()


def test_the_likeliest_are_taken_and_kept_in_their_order():
    vague = commit("Merge files", "this improves performance", name="1")
    plain = commit("Speed up Push", name="2")
    sure = commit("Speed up Pop", files=("ring.go", "bench_test.go"), name="3")

    assert [candidate.commit.id for candidate in find_candidates([vague, plain, sure], 2)] == [
        "2",
        "3",
    ]
    (best,) = find_candidates([vague, plain, sure], 1)
    assert best.commit.id == "3"
    assert best.found_by == 'its message says "Speed up", and it changes benchmarks'


def dimension(change, *, confirmed=None, visible=0.05, ratio=1.0, metric=Dimension.TIME):
    return DimensionVerdict(
        dimension=metric,
        change=change,
        base=1.0,
        head=ratio,
        ratio=ratio,
        interval=None,
        confirmed=confirmed,
        control_ratio=None,
        visible=visible,
        rounds=Rounds(first=()),
    )


def compared(*benchmarks, patch=None, added=()):
    return Comparison(
        min_delta=0.05,
        benchmarks=benchmarks,
        added=added,
        removed=(),
        controls=0,
        suspected=(),
        patch=patch or Patch(changed=(), added=(), removed=()),
    )


def benchmark(name, *dimensions, same=False):
    return BenchmarkComparison(id=name, dimensions=dimensions, same=same)


FASTER = dimension(PerformanceChange.IMPROVEMENT, confirmed=True, ratio=0.8)
SLOWER = dimension(PerformanceChange.REGRESSION, confirmed=True, ratio=1.3)
UNCHANGED = dimension(PerformanceChange.NONE)
OPEN = dimension(PerformanceChange.UNKNOWN, visible=None)
FIX = PastChange(commit=commit("Speed up"), kind=CommitKind.FIX)
CAUSE = PastChange(commit=commit("Slow down"), kind=CommitKind.CAUSE)
EITHER = PastChange(commit=commit("Change"), kind=CommitKind.EITHER)


@pytest.mark.parametrize(
    ("change", "benchmarks", "noticed", "detected_by"),
    [
        (
            FIX,
            (benchmark("A", UNCHANGED, FASTER), benchmark("B", UNCHANGED)),
            CommitDetection.DETECTED,
            ["A"],
        ),
        (FIX, (benchmark("A", SLOWER),), CommitDetection.MISSED, []),
        (CAUSE, (benchmark("A", SLOWER),), CommitDetection.DETECTED, ["A"]),
        (CAUSE, (benchmark("A", FASTER),), CommitDetection.MISSED, []),
        (
            EITHER,
            (benchmark("A", FASTER), benchmark("B", SLOWER)),
            CommitDetection.DETECTED,
            ["A", "B"],
        ),
        (FIX, (benchmark("A", UNCHANGED), benchmark("B", OPEN)), CommitDetection.UNKNOWN, []),
        (FIX, (benchmark("A", OPEN),), CommitDetection.UNKNOWN, []),
        (FIX, (benchmark("A", same=True),), CommitDetection.MISSED, []),
        (FIX, (), CommitDetection.MISSED, []),
        (
            FIX,
            (benchmark("A", dimension(PerformanceChange.IMPROVEMENT, confirmed=False)),),
            CommitDetection.MISSED,
            [],
        ),
    ],
)
def test_a_commit_is_noticed_where_a_benchmark_moves_as_it_should(
    change, benchmarks, noticed, detected_by
):
    result = judge_commit(change, compared(*benchmarks), 3.0)

    assert (result.noticed, [shift.benchmark for shift in result.detected_by]) == (
        noticed,
        detected_by,
    )
    assert bool(result.reason) is (noticed is not CommitDetection.DETECTED)


def test_what_moves_the_other_way_is_kept_and_so_is_what_would_have_been_seen():
    mixed = benchmark(
        "A", FASTER, dimension(PerformanceChange.REGRESSION, confirmed=True, visible=0.01)
    )

    result = judge_commit(FIX, compared(mixed, added=("New",)), 3.0)

    assert [shift.benchmark for shift in result.against] == ["A"]
    assert (result.visible, result.added, result.seconds) == (0.01, ("New",), 3.0)


def patched(reached_by=(), detected_by=("A",), **outcomes):
    methods = [
        method_verdict_of(
            id=name,
            outcome=outcome,
            reached_by=reached_by,
            detected_by=detected_by if outcome is Verdict.DETECTED else (),
        )
        for name, outcome in outcomes.items()
    ]
    return Patch(
        changed=tuple(outcomes), added=(), removed=(), verdict=SimpleNamespace(methods=methods)
    )


@pytest.mark.parametrize(
    ("outcomes", "watched"),
    [
        ({"a": Verdict.DETECTED, "b": Verdict.MISSED}, True),
        ({"a": Verdict.MISSED, "b": Verdict.UNREACHED}, False),
        ({"a": Verdict.MISSED, "b": Verdict.INCONCLUSIVE}, None),
        ({"a": Verdict.REFUSED}, None),
        ({}, None),
    ],
)
def test_a_commit_is_watched_where_a_method_is_that_it_changes(outcomes, watched):
    result = judge_commit(FIX, compared(benchmark("A", UNCHANGED), patch=patched(**outcomes)), 1.0)

    assert result.is_watched is watched


@pytest.mark.parametrize(
    ("patch", "watched"),
    [
        (patched(("A", "New"), ("New",), a=Verdict.DETECTED), None),
        (patched(("New",), ("New",), a=Verdict.DETECTED), False),
        (patched(("New",), a=Verdict.INCONCLUSIVE), False),
        (patched(("A",), ("A", "New"), a=Verdict.DETECTED), True),
    ],
)
def test_a_benchmark_that_came_with_the_commit_watches_nothing_of_it(patch, watched):
    result = judge_commit(
        FIX, compared(benchmark("A", UNCHANGED), patch=patch, added=("New",)), 1.0
    )

    assert result.is_watched is watched


@pytest.mark.parametrize(
    ("patch", "noticed", "reason"),
    [
        (
            patched(("A",), a=Verdict.MISSED),
            CommitDetection.MISSED,
            "no benchmark changed as it should",
        ),
        (
            patched(("A", "B"), a=Verdict.MISSED),
            CommitDetection.UNKNOWN,
            "1 of 2 benchmarks cannot",
        ),
        (patched(("B",), a=Verdict.MISSED), CommitDetection.UNKNOWN, "1 of 1 benchmarks cannot"),
        (
            patched((), a=Verdict.UNREACHED),
            CommitDetection.MISSED,
            "no benchmark calls what the commit",
        ),
        (patched((), a=Verdict.REFUSED), CommitDetection.UNKNOWN, "1 of 2 benchmarks cannot"),
        (None, CommitDetection.UNKNOWN, "1 of 2 benchmarks cannot"),
    ],
)
def test_only_who_calls_what_was_changed_has_to_be_judged(patch, noticed, reason):
    """Benchmark A is judged, B is not."""
    result = judge_commit(
        FIX, compared(benchmark("A", UNCHANGED), benchmark("B", OPEN), patch=patch), 1.0
    )

    assert (result.noticed, result.reason.startswith(reason)) == (noticed, True)


def make_commit_result(*, watched, noticed):
    verdict = FASTER if noticed else UNCHANGED
    patch = patched(("A",), a=Verdict.DETECTED if watched else Verdict.MISSED)
    return judge_commit(FIX, compared(benchmark("A", verdict), patch=patch), 1.0)


def test_the_correlation_is_that_of_two_columns_of_zeros_and_ones():
    """Phi of 3, 1, 1, 2 is (3 * 2 - 1 * 1) / sqrt(4 * 3 * 4 * 3) = 5 / 12."""
    pairs = [(True, True)] * 3 + [(True, False), (False, True)] + [(False, False)] * 2
    commit_results = [
        make_commit_result(watched=watched, noticed=noticed) for watched, noticed in pairs
    ]

    agreement = summarise_backtest(
        [
            *commit_results,
            make_failed_result(FIX, "it does not build", 1.0),
            make_unmeasured_result(FIX),
        ]
    ).agreement

    assert (
        agreement.agreed,
        agreement.watched_only,
        agreement.noticed_only,
        agreement.neither,
    ) == (3, 1, 1, 2)
    assert agreement.phi == pytest.approx(5 / 12)


def test_where_one_of_both_never_varies_there_is_no_correlation():
    commit_results = [
        make_commit_result(watched=True, noticed=noticed) for noticed in (True, False)
    ]

    assert count_agreement(commit_results).phi is None
