from dataclasses import replace

from builders import benchmark, run, series

from auditor.core.outcome import Measured
from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import Criterion, WarmupResult
from auditor.core.suite import IterationSettings
from auditor.core.values import WALL, Series
from auditor.measure.stability_judge import judge_suite_stability

AUTHORS = IterationSettings(
    warmup_iterations=5, warmup_seconds=1.0, measurement_iterations=5, measurement_seconds=1.0
)


def watched(
    name: str, warm: int | None, *, enough: bool = True, fork: int = 1, since: int | None = None
):
    """A process of six blocks of half a second, of which the first two are warm-up, if it is."""
    wall = 50.0 if warm is None else 0.5
    walls = (
        Series.from_values(WALL, "s", ArmName.PLAIN, Phase.WARMUP, [(0, wall), (1, wall)]),
        Series.from_values(
            WALL, "s", ArmName.PLAIN, Phase.MEASUREMENT, [(number, 0.5) for number in range(2, 6)]
        ),
    )
    warmed = WarmupResult(method=Criterion.RCIW, warm=warm, enough=enough, since=since)
    outcome = Measured((series([1.0, 1.0]), *walls), warmed)
    return run(outcome, of_benchmark=replace(benchmark(name), configured=AUTHORS), fork=fork)


def caveat_texts(*runs):
    benchmarks = dict.fromkeys(trial_run.trial.benchmark for trial_run in runs)
    verdict = judge_suite_stability([*benchmarks], runs, wanted_runs=1)
    caveats_by_name = {
        benchmark_verdict.id.rpartition(".")[2]: benchmark_verdict.caveats
        for benchmark_verdict in verdict.benchmarks
    }
    return (
        {caveat.slug: caveat.text for caveat in verdict.caveats},
        {
            name: {caveat.slug: caveat.text for caveat in caveats}
            for name, caveats in caveats_by_name.items()
        },
    )


def test_it_says_when_each_process_was_warm_and_what_it_took_beside_the_settings():
    suite, by_benchmark = caveat_texts(watched("A", 2), watched("A", 4, fork=2), watched("B", 3))

    assert by_benchmark["A"] == {"warm-after": "warm after 2, 4 iterations by rciw, median 1 s"}
    assert by_benchmark["B"] == {"warm-after": "warm after 3 iterations by rciw, median 1 s"}
    assert suite["watched-time"] == (
        "3 processes with a stopping rule ran 9 s in total; the suite's own settings take 30 s"
    )
    assert "not-seen-warm" not in suite


def test_it_says_since_when_processes_were_steady_where_a_rule_tells():
    _, by_benchmark = caveat_texts(
        watched("A", 20, since=3), watched("A", 41, fork=2), watched("A", 7, since=1)
    )

    assert by_benchmark["A"]["warm-after"].endswith("; steady since about iteration 3, 1, ?")


def test_what_was_not_seen_warm_is_not_passed_off_as_warm():
    suite, by_benchmark = caveat_texts(
        watched("A", 2), watched("A", None, enough=False, fork=2), watched("B", 2, enough=False)
    )

    assert by_benchmark["A"]["warm-after"] == "warm after 2 iterations by rciw, median 1 s"
    assert by_benchmark["A"]["not-seen-warm"].startswith(
        "1 of 2 processes did not reach steady state"
    )
    assert "measured-less" not in by_benchmark["A"]
    assert by_benchmark["B"]["measured-less"].startswith("1 of 1 processes ended before")
    assert suite["not-seen-warm"].startswith("1 of 2 benchmarks have processes that did not")
    assert "A" in suite["not-seen-warm"]


def test_nothing_is_said_of_processes_that_nobody_watched():
    suite, by_benchmark = caveat_texts(run(Measured((series([1.0]),))))

    assert not {"watched-time", "not-seen-warm"} & set(suite)
    assert by_benchmark == {"BenchmarkPush": {}}
