"""How good are configured and dynamic warm-ups? Published and stored figures beside ours.

Reads a folder in the layout of the shared set (or the public whole): the developers' settings and
three dynamic techniques, judged by the stored starts of CP-SSD. What is known of the public whole
(586 benchmarks; *: measured on it, else published), what the tables in the folder say of the part
that is there, what our code makes of its series. Three figures without a word are quartiles.
"""

import argparse
from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import isclose

import numpy as np
from configured_warmup import (
    bootstrap_deviation,
    map_iterations,
    sum_iteration_times,
    time_wasted,
)
from corpus import Corpus, add_option, opened
from quantities import Quantity, format_numbers, quartiles, share, table
from training.scores import chance_of_less, rank_biserial

from auditor.core.suite import IterationSettings
from auditor.warmup.cpssd import without_outliers

Row = dict[str, str]
Measure = Mapping[str, Mapping[str, float]]
"""By technique, then by benchmark or fork."""

SETTINGS = "Dev"
DYNAMIC = {"Cov": "COV", "Ci": "RCIW", "Divergence": "KLD"}
"""As the tables call the techniques, and as they are printed."""
TECHNIQUES = {SETTINGS: "settings", **DYNAMIC}
ENDS = ("last_warmup_it", "steady_state_starts")
SEED = 42
LITTLE_TIME, LITTLE_DEVIATION = 5.0, 0.05
"""Seconds and shares that the study took for nothing."""
LABELS = (
    "warm-up longer, shorter, exact, %", "warm-up error, s", "warm-up error: mean, s",
    "testing time, s", "benchmarks that deviate", "deviation of these, %",
)  # fmt: skip
PUBLISHED = {
    SETTINGS: ("63.9, 36.0, 0.1", "9.10, 28.16, 50.19 *", "90.2 *",
               "30, 100, 403", "275 of 586 *", "2.4, 6.5, 19.2"),
    "Cov": ("57.2, 42.7, 0.1 *", "10.40, 19.48, 41.31 *", "85.3 *",
            "51, 75, 113", "310 of 586 *", "4.7, 9.9, 17.5"),
    "Ci": ("74.1, 25.9, 0.0 *", "30.20, 48.30, 50.85 *", "101.0 *",
           "265, 300, 301", "121 of 586 *", "1.8, 4.5, 11.5"),
    "Divergence": ("59.2, 40.6, 0.2 *", "8.83, 17.10, 47.29 *", "100.0 *",
                   "94, 121, 156", "305 of 586 *", "4.2, 7.9, 13.4"),
}  # fmt: skip
VERDICTS = {SETTINGS: "99.8 % *", "Cov": "99.5 % *", "Ci": "99.3 % *", "Divergence": "99.2 % *"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What techniques come to.

    `wasted`: by how many seconds the warm-up of a steady fork is too long, less than 0 where it is
    too short. `testing`: seconds of a benchmark. `far`: how far its measured mean is from that of
    steady iterations, as a share, 0 where the interval of their ratio holds 1; `fork_far` the same
    of steady forks, None where nobody looked.
    """

    wasted: Measure
    testing: Measure
    far: Measure
    fork_far: Measure | None = None


def far(interval: tuple[float, float]) -> float:
    """Return how far the middle of an interval is from 1; 0 where it holds 1."""
    low, high = interval
    return 0.0 if low <= 1 <= high else abs((low + high) / 2 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkAssessment:
    """What our code makes of a benchmark: by fork, by row of a table, by technique (two).

    Of forks: whether the settings come to the stored iterations, and whether the stored change
    points are no outliers.
    """

    forks: list[tuple[bool, bool]]
    wasted: list[float]
    testing: dict[str, float]
    far: dict[str, float]


def assess_benchmark(
    corpus: Corpus, resamples: int, task: tuple[str, IterationSettings, list[Row]]
) -> BenchmarkAssessment:
    """Assess the techniques on a benchmark's series; the rows are those of its steady forks."""
    name, plan, rows = f"{task[0]}.json", task[1], task[2]
    forks, settings = corpus.series(name), corpus.json("devconfig", name)
    ends = {technique: corpus.json("dynconfig", technique, name) for technique in DYNAMIC}
    ends[SETTINGS] = settings[: plan.forks]
    starts, changes = corpus.starts(name), corpus.json("changepoints", name)
    steady = [
        values[start + 1 :] for values, start in zip(forks, starts, strict=True) if start >= 0
    ]
    rng = np.random.default_rng(SEED)
    result = BenchmarkAssessment(
        forks=[
            ([*map_iterations(values, plan)] == pair, _are_inliers(values, change_points))
            for values, pair, change_points in zip(forks, settings, changes, strict=True)
        ],
        wasted=[
            time_wasted(forks[int(row["fork"])], *(int(row[end]) for end in ENDS)) for row in rows
        ],
        testing={},
        far={},
    )
    for text, its in ends.items():
        used = list(zip(forks, its, strict=False))  # a technique need not run all forks
        result.testing[text] = sum(
            sum_iteration_times(values[: last + 1]) for values, (_, last) in used
        )
        measured = [values[warm + 1 : last + 1] for values, (warm, last) in used]
        result.far[text] = far(bootstrap_deviation(measured, steady, resamples, rng))
    return result


def _are_inliers(values: np.ndarray, changes: Sequence[int]) -> bool:
    """Tell whether stored change points are values that we keep, the last of them our last."""
    inliers = without_outliers(values)
    return bool(np.isin(changes, inliers).all() and inliers[-1] == changes[-1])


def tasks(corpus: Corpus) -> list[tuple[str, IterationSettings, list[Row]]]:
    """Return the benchmarks with what developers ask for, and the rows of their steady forks."""
    rows, names = defaultdict(list), set(corpus.names)
    for row in corpus.rows("cfg_assessment.csv"):
        if row["classification"] == "steady state":
            rows[row["benchmark"]].append(row)
    benchmark_tasks = []
    for row in corpus.rows("subjects.csv"):
        name = "#".join((row["project"].replace("/", "__"), row["benchmark"], row["params"]))
        plan = IterationSettings(
            warmup_iterations=int(row["warmupIterations"]),
            warmup_seconds=float(row["warmupTimeSec"]),
            measurement_iterations=int(row["measurementIterations"]),
            measurement_seconds=float(row["measurementTimeSec"]),
            forks=int(row["forks"]),
        )
        if f"{name}.json" in names:
            benchmark_tasks.append((name, plan, rows[name]))
    return benchmark_tasks


def assessments(
    corpus: Corpus, rows: Sequence[Row], by_benchmark: Mapping[str, BenchmarkAssessment]
) -> tuple[Assessment, Assessment]:
    """Return what the tables say, and the same by our code."""
    benchmark_rows = corpus.rows("whole_cfg_assessment.csv")
    wasted = [value for benchmark in by_benchmark.values() for value in benchmark.wasted]
    testing = [by_benchmark[row["benchmark"]].testing[row["technique"]] for row in benchmark_rows]
    deviations = [by_benchmark[row["benchmark"]].far[row["technique"]] for row in benchmark_rows]
    stored = Assessment(
        wasted=_measure(rows, [float(row["timewaste"]) for row in rows]),
        testing=_measure(benchmark_rows, [float(row["exectime"]) for row in benchmark_rows]),
        far=_measure(benchmark_rows, [far(literal_eval(row["ci"])) for row in benchmark_rows]),
        fork_far=_measure(rows, [far(literal_eval(row["interval"])) for row in rows]),
    )
    return stored, Assessment(
        wasted=_measure(rows, wasted),
        testing=_measure(benchmark_rows, testing),
        far=_measure(benchmark_rows, deviations),
    )


def _measure(rows: Sequence[Row], values: Sequence[float]) -> Measure:
    measure: dict[str, dict[str, float]] = {name: {} for name in TECHNIQUES}
    for row, value in zip(rows, values, strict=True):
        measure[row["technique"]][f"{row['benchmark']} {row.get('fork', '')}"] = value
    return measure


def starts(corpus: Corpus) -> list[Quantity]:
    """Return how many forks and benchmarks get steady by CP-SSD, and when."""
    benchmarks = [corpus.starts(name) for name in corpus.names]
    all_starts = np.array(benchmarks).ravel()
    steady = all_starts[all_starts >= 0]
    kinds = Counter((min(benchmark) >= 0, max(benchmark) >= 0) for benchmark in benchmarks)
    states = [kinds[kind] for kind in ((True, True), (False, True), (False, False))]
    return [
        ("benchmarks, forks", "586, 5860", format_numbers((len(benchmarks), len(all_starts)))),
        (
            "forks steady, not",
            "5219, 641",
            format_numbers((len(steady), len(all_starts) - len(steady))),
        ),
        ("benchmarks steady, in some forks, never", "331, 255, 0", format_numbers(states)),
        ("last warm-up iteration", "1.0, 37.0, 394.5 *", quartiles(steady, 1)),
        (
            "the latest one; in forks 0",
            "2497, 1301 *",
            format_numbers((max(all_starts), sum(all_starts == 0))),
        ),
    ]


def agreement(
    benchmarks: Sequence[BenchmarkAssessment],
    stored_assessment: Assessment,
    computed_assessment: Assessment,
) -> list[Quantity]:
    """Return how often our code finds what is stored; of seconds all but rounding."""
    same, inliers = zip(
        *(fork for benchmark in benchmarks for fork in benchmark.forks), strict=True
    )
    quantities = [
        ("forks: settings as iterations", "5860 of 5860 *", share(same)),
        ("forks: change points are no outliers", "-", share(inliers)),
        (
            "steady forks: time wasted",
            "300 of 300 *",
            _same(stored_assessment.wasted, computed_assessment.wasted),
        ),
        (
            "benchmarks: testing time",
            "60 of 60 *",
            _same(stored_assessment.testing, computed_assessment.testing),
        ),
    ]
    for name, text in VERDICTS.items():
        pairs = zip(
            stored_assessment.far[name].values(),
            computed_assessment.far[name].values(),
            strict=True,
        )
        same_sign = share(
            (stored_value > 0) == (measured_value > 0) for stored_value, measured_value in pairs
        )
        quantities.append((f"{TECHNIQUES[name]}: deviates or not", text, same_sign))
    return quantities


def _same(stored_values: Measure, computed_values: Measure) -> str:
    pairs = (
        (value, computed_values[name][text])
        for name, values in stored_values.items()
        for text, value in values.items()
    )
    return share(isclose(*pair, abs_tol=1e-9) for pair in pairs)


def figures(assessment: Assessment) -> list[Quantity]:
    """Return what each technique comes to, and how wrong the settings are on either side."""
    quantities = [
        (f"{TECHNIQUES[name]}: {label}", text, value)
        for name, published in PUBLISHED.items()
        for label, text, value in zip(LABELS, published, _figures(assessment, name), strict=True)
    ]
    wasted = np.array([*assessment.wasted[SETTINGS].values()])
    sides = [np.median(abs(errors)) for errors in (wasted[wasted > 0], wasted[wasted < 0])]
    return [
        *quantities,
        ("settings: error where longer, shorter, s", "19.90, 54.02 *", format_numbers(sides, 2)),
    ]


def _figures(assessment: Assessment, name: str) -> tuple[str, ...]:
    wasted = np.array([*assessment.wasted[name].values()])
    deviations = [100 * value for value in assessment.far[name].values() if value]
    return (
        format_numbers([100 * (np.sign(wasted) == sign).mean() for sign in (1, -1, 0)], 1),
        quartiles(abs(wasted), 2),
        format_numbers([abs(wasted).mean()], 1),
        quartiles([*assessment.testing[name].values()], 0),
        f"{len(deviations)} of {len(assessment.far[name])}",
        quartiles(deviations, 1),
    )


def chances(assessment: Assessment) -> list[Quantity]:
    """Return the chances that the settings come to more than each dynamic technique."""
    errors, large = _at_least(0, assessment.wasted), _at_least(LITTLE_TIME, assessment.wasted)
    pairs = format_numbers((rank_biserial(*_paired_values(errors, name)) for name in DYNAMIC), 3)
    quantities = [
        ("warm-up error", ".534, .384, .540 *", _larger(errors)),
        ("rank correlation of its pairs", ".058, -.216, .114 *", pairs),
        ("warm-up error, 0 if below 5 s", ".530, .383, .537 *", _larger(large)),
        ("warm-up error, also 0 if not run", ".79, .68, .74", _larger(large, 0.0)),
        ("time wasted, less than 0 if too short", ".55, .36, .55", _larger(assessment.wasted)),
        ("deviation of a benchmark", ".45, .64, .47", _larger(assessment.far)),
        ("testing time of a benchmark", ".57, .37, .48", _larger(assessment.testing)),
    ]
    if assessment.fork_far is not None:
        deviates = _at_least(LITTLE_DEVIATION, assessment.fork_far)
        quantities += [
            ("deviation of a fork, 0 if below 5 %", ".443, .565, .459 *", _larger(deviates)),
            (
                "deviation of a fork, also 0 if not run",
                ".57, .60, .55",
                _larger(deviates, 0.0),
            ),
        ]
    return quantities


def _at_least(least: float, measure: Measure) -> Measure:
    """Return absolute values, 0 for those below the least one."""
    return {
        name: {text: abs(value) if abs(value) >= least else 0.0 for text, value in values.items()}
        for name, values in measure.items()
    }


def _larger(measure: Measure, missing: float | None = None) -> str:
    return format_numbers(
        (chance_of_less(*_paired_values(measure, name, missing)) for name in DYNAMIC), 3
    )


def _paired_values(measure: Measure, name: str, missing: float | None = None) -> np.ndarray:
    """Return the values of a technique and those of the settings, where both have one."""
    settings, technique = measure[SETTINGS], measure[name]
    keys = [text for text in settings if text in technique or missing is not None]
    return np.array(
        [[technique.get(text, missing) for text in keys], [settings[text] for text in keys]]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--resamples", type=int, default=10_000, help="for each interval")
    args = parser.parse_args(arguments)
    with opened(args.data) as corpus, ProcessPoolExecutor() as pool:
        benchmark_tasks = tasks(corpus)
        result = pool.map(partial(assess_benchmark, corpus, args.resamples), benchmark_tasks)
        by_benchmark = {
            task[0]: assessed for task, assessed in zip(benchmark_tasks, result, strict=True)
        }
        rows = [row for task in benchmark_tasks for row in task[2]]
        stored_assessments, computed_assessments = assessments(corpus, rows, by_benchmark)
        table("what CP-SSD says", (), starts(corpus))
    table(
        "our code finds what is stored",
        agreement([*by_benchmark.values()], stored_assessments, computed_assessments),
    )
    table("warm-ups", figures(computed_assessments), figures(stored_assessments))
    table(
        "chance of more than COV, RCIW, KLD: settings",
        chances(computed_assessments),
        chances(stored_assessments),
    )


if __name__ == "__main__":
    main()
