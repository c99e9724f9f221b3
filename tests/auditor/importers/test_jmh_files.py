"""What JMH writes and prints, as recorded/README.md says it was made."""

import json
import re
from pathlib import Path

import pytest

from auditor.core.errors import UsageError
from auditor.importers.reading import is_stored, read_results
from runners.jmh.listing import read_entries

RECORDED = Path(__file__).parent / "recorded" / "jmh"
JSON, LOG, CSV = (RECORDED / f"small.{end}" for end in ("json", "log", "csv"))
THROUGHPUT, SAMPLED = ("org.example.Small.both (thrpt)", "org.example.Small.both (sample)")
SMALL, LARGE = (f"org.example.Small.sum[kind=a, b,size={size}]" for size in (10, 1000))
ONCE, FAILS = "org.example.Small.once", "org.example.Small.fails"


def run_of(*paths):
    (run,) = read_results(paths).runs
    return run


def write_input(folder, content, name="in.json"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def refused(path):
    with pytest.raises(UsageError) as error:
        read_results([path])
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return str(error.value)


def loaded():
    return json.loads(JSON.read_text())


def test_iterations_of_each_fork_are_seconds_per_operation():
    results = read_results([JSON])

    (run,) = results.runs
    assert results.harness == "jmh"
    assert list(run.processes) == [THROUGHPUT, SMALL, LARGE, SAMPLED, ONCE]
    (raw,) = (entry["primaryMetric"]["rawData"] for entry in loaded() if entry["mode"] == "thrpt")
    assert [tuple(process.seconds) for process in run.processes[THROUGHPUT]] == [
        tuple(1e-3 / value for value in fork) for fork in raw
    ]
    assert all(process.iteration_seconds == 0.02 for process in run.processes[SMALL])
    assert all(process.iteration_seconds is None for process in run.processes[ONCE])
    assert dict(run.host.facts)["jmh"] == "1.37"


def test_an_iteration_of_samples_is_their_mean():
    processes = run_of(JSON).processes[SAMPLED]

    (raw,) = (entry["primaryMetric"] for entry in loaded() if entry["mode"] == "sample")
    for process, fork in zip(processes, raw["rawDataHistogram"], strict=True):
        for value, samples in zip(process.seconds, fork, strict=True):
            spread_out = [value for value, count in samples for _ in range(count)]
            assert value == pytest.approx(1e-3 * sum(spread_out) / len(spread_out))


def test_benchmarks_are_named_as_our_own_listing_names_them():
    entry = {
        "kind": "benchmark", "name": "org.example.Small.sum", "mode": "AverageTime",
        "parameters": {"kind": ["a, b"], "size": ["10", "1000"]},
    }  # fmt: skip
    listing = read_entries(json.dumps(entry).encode(), "1.37")

    assert [benchmark.id for benchmark in listing.benchmarks] == [SMALL, LARGE]


def test_the_log_has_what_the_json_has_and_warm_ups():
    log, json_run = run_of(LOG), run_of(JSON)

    for name in (THROUGHPUT, SMALL, LARGE):
        for log_process, json_process in zip(
            log.processes[name], json_run.processes[name], strict=True
        ):
            assert log_process.seconds == pytest.approx(json_process.seconds, rel=2e-3)
            assert len(log_process.warmups) == 2
            assert (log_process.iteration_seconds, log_process.warmup_seconds) == (0.02, 0.02)
    assert log.processes[THROUGHPUT][0].warmups == pytest.approx((1e-3 / 32718.299, 1e-3 / 9520.14))
    assert log.host == json_run.host


def test_a_warm_up_is_kept_unless_some_of_it_has_no_values(tmp_path):
    text, (first, *_) = LOG.read_text(), loaded()
    without = re.sub("# Warmup Iteration.*\n", "", text)
    variants = {
        "none.log": re.sub("# Warmup: .*", "# Warmup: <none>", without),
        "kept.log": text,
        "lost.log": without,
        "unknown.log": re.sub("# Warmup: .*", "", without),
        "run.json": [first | {"warmupIterations": 2}],
        "none.json": [first | {"warmupIterations": 0}],
        "unknown.json": [first | {"warmupIterations": None}],
    }

    runs = {name: run_of(write_input(tmp_path, variants[name], name)) for name in variants}
    answers = {
        name: next(iter(run.processes.values()))[0].is_warmup_kept for name, run in runs.items()
    }

    assert answers == {
        "none.log": True,
        "kept.log": True,
        "lost.log": False,
        "unknown.log": None,
        "run.json": False,
        "none.json": True,
        "unknown.json": None,
    }


def test_iterations_that_warm_up_may_last_another_time(tmp_path):
    text = LOG.read_text().replace(
        "# Warmup: 2 iterations, 20 ms each", "# Warmup: 2 iterations, 3 s each"
    )

    process, _ = run_of(write_input(tmp_path, text, "in.log")).processes[SMALL]

    assert (process.iteration_seconds, process.warmup_seconds) == (0.02, 3.0)


def test_an_order_of_magnitude_and_a_failure_are_no_times():
    processes = run_of(LOG).processes

    assert [process.failure.reason for process in processes[FAILS]] == [
        "an iteration failed: java.lang.IllegalStateException: on purpose"
    ] * 2
    assert "-tu ns" in processes[SAMPLED][0].failure.reason
    assert len(processes[SAMPLED][0].seconds) == 0


def test_languages_have_a_comma_for_the_point():
    log, table = run_of(RECORDED / "german.log"), run_of(RECORDED / "german.csv")

    assert len(log.processes[SMALL][0].warmups) > 0
    assert table.processes[SMALL][0].middle == pytest.approx(3.706709e-9)
    values = [value for process in log.processes[SMALL] for value in process.seconds]
    assert sum(values) / len(values) == pytest.approx(3.706709e-9, rel=1e-3)


def test_forks_that_warm_up_are_none_and_what_a_benchmark_prints_is_passed_over():
    (process,) = run_of(RECORDED / "german.log").processes["org.example.Small.tiny"]

    assert "10⁻⁵ s/op" in process.failure.reason  # and not "no time follows"


def test_a_table_has_a_figure_for_each_benchmark():
    run = run_of(CSV)

    assert list(run.processes) == [THROUGHPUT, SMALL, LARGE, SAMPLED, ONCE]
    (process,) = run.processes[LARGE]
    assert (tuple(process.seconds), process.middle) == ((), pytest.approx(566.436288e-9))


def test_a_value_that_is_printed_after_the_benchmarks_own_lines_counts(tmp_path):
    text = LOG.read_text().replace("Iteration   1: 7.921 ns/op", "Iteration   1: so\n7.921 ns/op")
    text = text.replace("Iteration   1: 26711.002 ops/ms", "Iteration   1: so 26711.002 ops/ms")

    processes = run_of(write_input(tmp_path, text, "in.log")).processes

    assert processes[SMALL][0].seconds[0] == pytest.approx(7.921e-9)
    assert "no time follows" in processes[THROUGHPUT][0].failure.reason


def test_errors_and_secondary_results_of_an_iteration_are_passed_over(tmp_path):
    more = "Iteration   1: 7.921 ±(99.9%) 12.289 ns/op\n                 gc.count: 3.000 counts"
    text = LOG.read_text().replace("Iteration   1: 7.921 ns/op", more)

    assert run_of(write_input(tmp_path, text, "in.log")).processes[SMALL][0].seconds[0] == (
        pytest.approx(7.921e-9)
    )


@pytest.mark.parametrize("letters", ["Infinity", "NaN"])
def test_what_is_no_number_fails_its_fork(tmp_path, letters):
    text = LOG.read_text().replace("Iteration   1: 7.921 ns", f"Iteration   1: {letters} ns")
    document = loaded()
    document[1]["primaryMetric"]["rawData"][0][0] = {"NaN": "NaN", "Infinity": "+INF"}[letters]

    assert run_of(write_input(tmp_path, text, "in.log")).processes[SMALL][0].failure is not None
    assert run_of(write_input(tmp_path, document)).processes[SMALL][0].failure is not None


def test_a_log_that_is_cut_off_has_no_whole_fork_at_its_end(tmp_path):
    text = LOG.read_text()
    path = write_input(tmp_path, text[: text.index("Iteration   3: 3.556")], "in.log")

    first, second = run_of(path).processes[SMALL]

    assert "2 of 3 iterations" in first.failure.reason
    assert "fork 2 of 2 is not there" in second.failure.reason


def test_a_fork_that_died_is_not_in_the_json_and_fails(tmp_path):
    document = loaded()
    document[1]["primaryMetric"]["rawData"].pop()

    _, second = run_of(write_input(tmp_path, document)).processes[SMALL]

    assert "fork 2 of 2" in second.failure.reason


@pytest.mark.parametrize("forks", [0, None])
def test_a_benchmark_without_forks_fails(tmp_path, forks):
    document = loaded()
    document[1]["primaryMetric"]["rawData"] = []
    document[1]["forks"] = forks

    (process,) = run_of(write_input(tmp_path, document)).processes[SMALL]

    assert process.failure.reason == "it has no forks"


def test_a_throughput_of_nothing_is_no_time(tmp_path):
    document = loaded()
    document[0]["primaryMetric"]["rawData"][0][0] = 0.0

    assert "inf" in run_of(write_input(tmp_path, document)).processes[THROUGHPUT][0].failure.reason


def test_results_that_are_no_times_are_left_out(tmp_path):
    document = loaded()
    document[-1]["primaryMetric"]["scoreUnit"] = "MB/sec"

    assert read_results([write_input(tmp_path, document)]).left_out == (ONCE,)


def test_a_log_after_what_a_build_printed_is_known(tmp_path):
    path = write_input(tmp_path, "[INFO] Building\n" * 1000 + LOG.read_text(), "in.log")

    assert is_stored(path)
    assert SMALL in run_of(path).processes


def test_two_formats_of_one_run_are_not_counted_twice():
    with pytest.raises(UsageError, match=r"JMH \(JSON\).*JMH \(log\).*one format"):
        read_results([JSON, LOG])


def edited(index, *way, to):
    document = loaded()
    inner = document[index]
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = to
    return document


RAW = ("primaryMetric", "rawData")
HOSTILE = {
    "negative": (edited(0, *RAW, to=[[-1.0]]), "-1.0 is not a time"),
    "NaN": (edited(0, *RAW, to=[[float("nan")]]), "nan is not a time"),
    "text": (edited(0, *RAW, to=[["1"]]), "'1' is not a time"),
    "truth": (edited(0, *RAW, to=[[True]]), "True is not a time"),
    "flat": (edited(0, *RAW, to=[1.0]), "is a number, but must be a list"),
    "huge": (edited(0, *RAW, to=[[10**400]]), "a huge number is not a time"),
    "no unit": (edited(0, "primaryMetric", "scoreUnit", to=None), "scoreUnit is missing"),
    "no name": (edited(0, "benchmark", to=7), "[0].benchmark is a number"),
    "no mode": (edited(0, "mode", to=None), "[0].mode is missing"),
    "parameters": (edited(1, "params", to=[3]), "params is a list"),
    "samples": (edited(3, "primaryMetric", "rawDataHistogram", to=[[[3]]]), "is a number, but"),
    "counts": (edited(3, "primaryMetric", "rawDataHistogram", to=[[[[3]]]]), "no pairs"),
    "twice": ([loaded()[0]] * 2, "is there twice"),
    "another entry": ([loaded()[0], 3], "[1] is a number"),
    "nothing": ([{"primaryMetric": {}}], "[0].benchmark is missing"),
    "cut off": (JSON.read_text()[:3000], "no JSON, or cut off"),
    "mixed units": (
        LOG.read_text().replace("7.921 ns/op", "7.921 us/op"), "results in 'ns/op' and in 'us/op'",
    ),
    "two runs": (LOG.read_text() * 2, "is there twice"),
    "forks again": (LOG.read_text().replace("Fork: 2 of 2", "Fork: 1 of 2"), "is there twice"),
    "table twice": (CSV.read_text() + CSV.read_text().splitlines()[1], "is there twice"),
    "cut table": (CSV.read_text()[:-2], "columns"),
    "score": (CSV.read_text().replace("41852.851495", "?"), "'?' is not a score"),
    "negative score": (CSV.read_text().replace("41852.851495", "-2"), "'-2' is not a time"),
    "cut cell": (CSV.read_text()[:-4], "unexpected end of data"),
    "quote": (CSV.read_text().replace('"ops/ms"', '"ops"ms"'), "line 2"),
    "long line": (CSV.read_text() + "x" * 70_000, "longer than 65536 bytes"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_bad_file_is_refused_in_one_line_that_names_it(tmp_path, content, message):
    assert message in refused(write_input(tmp_path, content, "in.txt"))
