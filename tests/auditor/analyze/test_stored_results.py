"""Stored results of other tools: how far runs lie apart, and base against head."""

import numpy as np
import pytest

from auditor.analyze.study import compare_benchmarks, judge_stability
from auditor.compare.model import PerformanceChange
from auditor.core.jobs import HostFacts
from auditor.core.outcome import Unreadable
from auditor.core.series.stored import StoredProcess, StoredResults, StoredRun
from auditor.series.stored import find_common_host
from auditor.similarity.study import judge_similarity

HOST = HostFacts("box", (("cores", "2"), ("cpu", "Example"), ("python", "3.11")))


def process(*seconds, version="", keeps_values=True):
    return StoredProcess(
        seconds=seconds if keeps_values else (), middle=float(np.mean(seconds)), version=version
    )


def results(*files, host=HOST, digest="d", **more):
    """Runs, each of the processes of its benchmarks."""
    runs = tuple(
        StoredRun(
            name=f"{index}.json", host=host if isinstance(host, HostFacts) else host[index],
            commit="", timestamps=(0.0, float(index)), processes=processes,
        )
        for index, processes in enumerate(files)
    )  # fmt: skip
    return StoredResults(harness="pytest", digest=digest, runs=runs, **more)


def draw_results(rng, files, processes=1, *, benchmarks=1, slower=1.0, session=0.0):
    """Files of processes that scatter by 1 %, in sessions that scatter by `session`."""
    run_processes = []
    for _ in range(files):
        shift = rng.normal(0, session)
        run_processes.append(
            {
                f"b{number}": tuple(
                    process(float(slower * 1e-6 * np.exp(shift + rng.normal(0, 0.01))))
                    for _ in range(processes)
                )
                for number in range(benchmarks)
            }
        )
    return results(*run_processes)


def changes(comparison):
    return [benchmark.change for benchmark in comparison.benchmarks]


def slugs(verdict):
    return [caveat.slug for caveat in verdict.caveats]


def test_each_file_is_a_run_with_all_its_processes():
    result = judge_stability(
        results(
            {"b": (process(1.0, 1.0), process(1.0))},
            {"b": (process(1.2, 1.2), process(1.2))},
        )
    )

    (benchmark,) = result.benchmarks
    assert benchmark.means == pytest.approx((1.0, 1.2))
    assert benchmark.max_spread == pytest.approx(0.2 / 1.1)
    assert (result.runs, result.duration) == (2, None)
    assert "one-session" not in slugs(result)


def test_processes_of_a_single_file_are_its_runs_and_that_is_said():
    result = judge_stability(results({"b": (process(1.0), process(1.2), process(1.1))}))

    assert result.runs == 3
    assert result.benchmarks[0].max_spread == pytest.approx(0.2 / 1.1)
    assert "one-session" in slugs(result)


def test_each_benchmark_of_a_single_file_has_as_many_runs_as_processes():
    broken = StoredProcess(failure=Unreadable("it failed", ""))

    result = judge_stability(
        results(
            {
                "three": (process(1.0), process(1.2), process(1.1)),
                "two": (process(1.0), process(1.2)),
                "one": (process(1.0),),
                "failed": (process(1.0), process(1.0), broken),
            }
        )
    )

    three, two, verdict, failed = result.benchmarks
    assert result.runs == 3
    assert [benchmark_verdict.max_spread for benchmark_verdict in (three, two)] == pytest.approx(
        [0.2 / 1.1] * 2
    )
    assert [benchmark_verdict.caveats for benchmark_verdict in (three, two, verdict)] == [()] * 3
    assert (verdict.max_spread, verdict.runs) == (None, 1)
    assert (failed.max_spread, failed.runs, failed.reason) == (None, 2, "run 3: it failed")
    assert [caveat.text for caveat in result.caveats if "fewer than 3" in caveat.text] == [
        "2 of 4 benchmarks have fewer than 3 processes, so their spread may be too small: two, one"
    ]


def test_a_file_without_a_benchmark_is_a_run_that_it_lacks():
    result = judge_stability(
        results({"a": (process(1.0),), "b": (process(1.0),)}, {"b": (process(1.0),)})
    )

    assert [(benchmark.max_spread, benchmark.runs) for benchmark in result.benchmarks] == [
        (None, 1),
        (0.0, 2),
    ]


def test_processes_that_another_benchmark_has_are_not_left_out_of_its_comparison():
    stored_process = process(*(1.0 + index % 7 for index in range(300)))

    first, second = judge_similarity(
        results({"a": (stored_process,) * 3, "b": (stored_process,) * 2}), lambda *_: None
    )

    assert (first.compared, second.compared) == ((0, 1, 2), (0, 1))
    assert "runs-left-out" not in slugs(second)


def test_values_and_figures_are_never_mixed():
    result = judge_stability(
        results({"b": (process(1.0, 4.0),)}, {"b": (process(2.5, 2.5, 2.5, keeps_values=False),)})
    )

    assert result.benchmarks[0].means == (2.5, 2.5)
    assert result.benchmarks[0].max_spread == 0
    assert "figures-only" in slugs(result)


def test_what_failed_once_has_no_spread_but_a_reason():
    broken = StoredProcess(failure=Unreadable("it failed", ""))

    result = judge_stability(results({"b": (process(1.0),)}, {"b": (broken,)}))

    (benchmark,) = result.benchmarks
    assert (benchmark.max_spread, benchmark.runs, benchmark.reason) == (None, 1, "run 2: it failed")


def test_runs_of_two_machines_are_said_to_be():
    hosts = (HOST, HostFacts("other", HOST.facts))
    mixed_results = results({"b": (process(1.0),)}, {"b": (process(1.0),)}, host=hosts)

    assert "mixed-hosts" in slugs(judge_stability(mixed_results))
    assert find_common_host(mixed_results.runs) == HostFacts("several machines", HOST.facts)


@pytest.mark.parametrize(("files", "processes"), [(3, 1), (1, 1), (2, 20)])
def test_one_file_on_a_side_tells_nothing(files, processes):
    rng = np.random.default_rng(5)
    base = draw_results(rng, 1, processes)
    head = draw_results(rng, files, processes, slower=3)

    comparison = compare_benchmarks(base, head, 0.05)

    assert changes(comparison) == [PerformanceChange.UNKNOWN]
    (dimension,) = comparison.benchmarks[0].dimensions
    assert f"3 files of each side, made at different times, are needed, not 1 and {files}" in (
        dimension.reason
    )
    assert dimension.interval is None


@pytest.mark.parametrize(("files", "processes"), [(3, 1), (6, 1), (4, 5)])
def test_what_is_half_as_slow_again_is_called_with_enough_of_them(files, processes):
    rng = np.random.default_rng(6)

    comparison = compare_benchmarks(
        draw_results(rng, files, processes, benchmarks=10),
        draw_results(rng, files, processes, benchmarks=10, slower=1.5),
        0.05,
    )

    assert changes(comparison) == [PerformanceChange.REGRESSION] * 10
    (dimension,) = comparison.benchmarks[0].dimensions
    low, high = dimension.interval
    assert low < 1.5 < high
    assert dimension.ratio == pytest.approx(dimension.head / dimension.base)
    assert dimension.confirmed is False
    assert {"not-in-turns", "not-confirmed"} <= set(slugs(comparison))


def test_what_is_faster_is_an_improvement():
    rng = np.random.default_rng(7)

    assert changes(
        compare_benchmarks(draw_results(rng, 5), draw_results(rng, 5, slower=0.5), 0.05)
    ) == [PerformanceChange.IMPROVEMENT]


@pytest.mark.parametrize(
    ("files", "processes", "session"), [(3, 1, 0.0), (5, 1, 0.1), (4, 10, 0.1)]
)
def test_the_same_on_both_sides_is_hardly_ever_called(files, processes, session):
    rng = np.random.default_rng(8)
    called = 0
    for _ in range(200):
        sides = [
            draw_results(rng, files, processes, benchmarks=3, session=session)
            for _ in ("base", "head")
        ]
        result = changes(compare_benchmarks(*sides, 0.01))
        called += PerformanceChange.REGRESSION in result or PerformanceChange.IMPROVEMENT in result

    # One in a hundred is promised; seven of 200 have odds of some 1 : 200 then.
    assert called <= 6


def test_enough_quiet_processes_say_that_nothing_has_changed():
    rng = np.random.default_rng(9)

    assert changes(compare_benchmarks(draw_results(rng, 8), draw_results(rng, 8), 0.05)) == [
        PerformanceChange.NONE
    ]


def test_a_level_is_shared_by_all_benchmarks():
    rng = np.random.default_rng(10)
    base, head = draw_results(rng, 3, slower=1.0), draw_results(rng, 3, slower=1.1)
    crowd = {f"c{index}": (process(1.0),) for index in range(300)}

    alone = compare_benchmarks(base, head, 0.05)
    among = compare_benchmarks(
        *(results(*({**run.processes, **crowd} for run in side.runs)) for side in (base, head)),
        0.05,
    )

    assert changes(alone) == [PerformanceChange.REGRESSION]
    assert changes(among)[0] is PerformanceChange.UNKNOWN


def test_values_that_are_all_alike_by_luck_are_no_exact_knowledge():
    equal_results = results(*({"b": (process(1.0),)} for _ in range(3)))
    close_results = results(*({"b": (process(1.004),)} for _ in range(3)))

    (dimension,) = compare_benchmarks(equal_results, close_results, 0.001).benchmarks[0].dimensions

    assert dimension.change is PerformanceChange.UNKNOWN


def test_benchmarks_of_one_side_are_named():
    base = results({"a": (process(1.0),), "b": (process(1.0),)})
    head = results({"b": (process(1.0),), "c": (process(1.0),)})

    comparison = compare_benchmarks(base, head, 0.05)

    assert (comparison.added, comparison.removed) == (("c",), ("a",))
    assert [benchmark.id for benchmark in comparison.benchmarks] == ["b"]


def test_a_failure_or_another_text_of_a_benchmark_leaves_it_open():
    broken = StoredProcess(failure=Unreadable("it failed", ""))
    base = results({"a": (process(1.0),), "b": (process(1.0, version="1"),)})
    head = results({"a": (broken,), "b": (process(1.0, version="2"),)})

    first, second = compare_benchmarks(base, head, 0.05).benchmarks

    assert (first.change, first.reason) == (
        PerformanceChange.UNKNOWN,
        "it fails in head: it failed",
    )
    assert second.change is PerformanceChange.UNKNOWN
    assert second.reason.startswith("the benchmark itself was changed")


def moved(original, name="box", **facts):
    host = HostFacts(name, tuple(sorted((dict(HOST.facts) | facts).items())))
    return results(*(run.processes for run in original.runs), host=host)


@pytest.mark.parametrize(
    ("elsewhere", "message"),
    [
        ({"cpu": "Other"}, "measured on another machine (cpu: Example / Other)"),
        ({"cores": "8"}, "measured on another machine (cores: 2 / 8)"),
        ({"memory": "4 GiB"}, "measured on another machine (memory: unknown / 4 GiB)"),
        ({"governor": "powersave"}, "measured on another machine (governor: unknown / powersave)"),
        ({"turbo": "off"}, "measured on another machine (turbo: unknown / off)"),
        ({"name": "other"}, "measured on another machine (box / other)"),
    ],
)
def test_times_of_unlike_machines_are_not_judged(elsewhere, message):
    rng = np.random.default_rng(11)

    comparison = compare_benchmarks(
        draw_results(rng, 5), moved(draw_results(rng, 5, slower=2), **elsewhere), 0.05
    )

    (dimension,) = comparison.benchmarks[0].dimensions
    assert (dimension.change, dimension.reason) == (PerformanceChange.UNKNOWN, message)
    assert dimension.ratio == pytest.approx(2, rel=0.05)
    assert "unlike-sides" in slugs(comparison)


def test_times_of_unlike_machines_are_judged_where_that_is_asked_for():
    rng = np.random.default_rng(11)
    base, head = draw_results(rng, 5), moved(draw_results(rng, 5, slower=2), cpu="Other")

    comparison = compare_benchmarks(base, head, 0.05, unlike=True)

    assert changes(comparison) == [PerformanceChange.REGRESSION]
    assert "unlike-sides" in slugs(comparison)


def test_machines_of_one_kind_are_compared_where_each_side_has_several():
    rng = np.random.default_rng(12)
    base, head = draw_results(rng, 3, session=0.02), draw_results(rng, 3, session=0.02, slower=2)
    sides = [
        results(
            *(run.processes for run in side.runs),
            host=tuple(HostFacts(f"{side_name}{index}", HOST.facts) for index in range(3)),
        )
        for side_name, side in (("a", base), ("b", head))
    ]

    assert changes(compare_benchmarks(*sides, 0.05)) == [PerformanceChange.REGRESSION]


def test_another_python_is_compared_and_said():
    rng = np.random.default_rng(13)

    comparison = compare_benchmarks(
        draw_results(rng, 5), moved(draw_results(rng, 5, slower=2), python="3.12"), 0.05
    )

    assert changes(comparison) == [PerformanceChange.REGRESSION]
    (text,) = [caveat.text for caveat in comparison.caveats if caveat.slug == "unlike-sides"]
    assert text.startswith(
        "base and head were measured under different conditions: python 3.11 / 3.12;"
    )
