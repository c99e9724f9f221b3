"""What is said of stored runs that are not warm, or not alike."""

from dataclasses import replace

import numpy as np
from toy_language import Machine, parts, request

from auditor.analyze.study import judge_stability
from auditor.compare.study import ComparisonStudy
from auditor.core.jobs import HostFacts
from auditor.core.request import CompareRequest
from auditor.core.series.stored import StoredProcess, StoredResults, StoredRun
from auditor.core.values import Series
from auditor.measure import stability_study, trust

NAMES = ("settles", "wanders", "short")


def series(name, seed, length):
    rng = np.random.default_rng(seed)
    noise = 1e-3 * (1 + 0.01 * rng.standard_normal(length))
    if name == "settles":
        noise[:40] *= 1.5
    if name == "wanders":
        noise *= np.exp(0.05 * rng.standard_normal(length).cumsum())
    return tuple(noise.tolist())


def results(length, names=NAMES, forks=3):
    processes = {
        name: tuple(
            StoredProcess(
                seconds=series(name, fork, 50 if name == "short" else length), middle=1e-3
            )
            for fork in range(forks)
        )
        for name in names
    }
    run = StoredRun(
        name="r", host=HostFacts("here", ()), commit="", timestamps=(0.0, 0.0), processes=processes
    )
    return StoredResults(harness="csv", digest="0", runs=(run,))


def test_what_does_not_get_warm_and_what_is_not_alike_is_named():
    texts = {caveat.slug: caveat.text for caveat in judge_stability(results(3000)).caveats}

    assert "1 of 3 benchmarks have processes that never reach steady state" in texts["not-steady"]
    assert "(wanders)" in texts["not-steady"]
    assert "(wanders)" in texts["dissimilar-runs"]


def test_nothing_is_said_of_short_series_or_of_what_is_fine():
    assert not {"not-steady", "dissimilar-runs"} & {
        caveat.slug for caveat in judge_stability(results(3000, names=("settles", "short"))).caveats
    }
    short = results(150)
    assert list(trust.warn_of_unsteady_runs(short, short.runs)) == []


class Drifting(Machine):
    """Takes longer in each run than in the one before, and in each comparison's head."""

    def _outcome(self, trial):
        outcome = super()._outcome(trial)
        factor = 2.0 ** (trial.repetition if trial.benchmark.name == "long" else 0)
        scaled_series = [
            Series.from_values(
                values.metric, values.unit, values.arm, values.phase,
                zip(
                    values.block_positions, [factor * value for value in values.values], strict=True
                ),
            )
            for values in outcome.series
        ]  # fmt: skip
        return replace(outcome, series=tuple(scaled_series))


def drifting(iterations, **more):
    audit_request = request()
    plan = replace(audit_request.suite.plan, iterations=iterations)
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, plan=plan, benchmarks="long|short")
    )
    return parts(audit_request, machine=Drifting(), **more)


def test_our_own_runs_are_asked_as_well_as_stored_ones():
    texts = {
        caveat.slug: caveat.text
        for caveat in stability_study.audit_stability(drifting(200)).caveats
    }
    short = [caveat.slug for caveat in stability_study.audit_stability(drifting(100)).caveats]

    assert "the runs of 1 of 2 benchmarks are dissimilar (toy.long)" in texts["dissimilar-runs"]
    assert "dissimilar-runs" not in short


def test_a_comparison_says_of_which_side_the_runs_are_not_alike():
    compare_request = CompareRequest(min_delta=0.05, rounds=4, fresh=5, slowdown=0.6, methods=0)
    revisions = drifting(200), drifting(200, digest="head")

    result = ComparisonStudy(*revisions, compare_request).compare_revisions()

    texts = [caveat.text for caveat in result.caveats if caveat.slug == "dissimilar-runs"]
    assert [text.partition(":")[0] for text in texts] == ["base", "head"]
    assert all("(toy.long)" in text for text in texts)


def test_runs_without_a_benchmark_do_not_keep_the_others_from_being_asked():
    rng = np.random.default_rng(1)

    def drifting_in(*levels):
        return {
            level: (StoredProcess(seconds=rng.lognormal(level, 0.3, 250).tolist()),)
            for level in levels
        }

    everywhere, in_two = drifting_in(0, 1, 2), drifting_in(0, 2)
    runs = tuple(
        StoredRun(
            name=str(index),
            processes={
                "everywhere": everywhere[index],
                **({"in two": in_two[index]} if index in in_two else {}),
            },
        )
        for index in range(3)
    )
    stored_results = StoredResults(harness="csv", digest="0", runs=runs)

    (caveat,) = trust.warn_of_unsteady_runs(stored_results, runs)

    assert "the runs of 2 of 2 benchmarks are dissimilar (everywhere, in two)" in caveat.text


def test_series_of_other_iterations_than_were_learned_from_are_not_called_cold():
    result = results(3000)
    runs = tuple(
        replace(
            run,
            processes={
                name: tuple(replace(process, iteration_seconds=0.003) for process in processes)
                for name, processes in run.processes.items()
            },
        )
        for run in result.runs
    )

    assert "not-steady" in {
        caveat.slug for caveat in trust.warn_of_unsteady_runs(result, result.runs)
    }
    assert "not-steady" not in {
        caveat.slug for caveat in trust.warn_of_unsteady_runs(replace(result, runs=runs), runs)
    }
