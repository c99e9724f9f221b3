"""Result files of hyperfine, Google Benchmark and criterion, and summaries that hold no values."""

import json
from pathlib import Path

import pytest

from auditor.core.errors import UsageError
from auditor.core.outcome import Skipped
from auditor.importers.reading import is_stored, read_results

RECORDED = Path(__file__).parent / "recorded"
OTHER_TOOLS = RECORDED / "others"
GOOGLE, AGGREGATES = (
    OTHER_TOOLS / "google-benchmark.json",
    OTHER_TOOLS / "google-benchmark-aggregates.json",
)
HYPERFINE = OTHER_TOOLS / "hyperfine-1.19.json"


def loaded(path):
    return json.loads(path.read_text())


def write_json(folder, document, name="in.json"):
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def seconds(run):
    return {name: list(process.seconds) for name, (process,) in run.processes.items()}


def test_the_times_of_hyperfine_are_runs_of_its_commands():
    results = read_results([HYPERFINE])

    (run,) = results.runs
    assert results.harness == "hyperfine"
    assert list(run.processes) == ["copy 1 #1", "copy 1 #2", "copy 2 #1", "copy 2 #2"]
    assert [*seconds(run).values()] == [result["times"] for result in loaded(HYPERFINE)["results"]]


def test_the_second_format_of_hyperfine_has_the_wall_clock(tmp_path):
    def measured(value):
        return {
            "time_wall_clock": {"value": value, "unit": "second"},
            "time_user": {"value": 9.0, "unit": "second"},
            "memory_peak_resident": {"value": 4096, "unit": "byte"},
            "exit_code": 0,
        }

    entry = {"command": "make -j 2", "name": "build", "measurements": [*map(measured, (1.5, 2.5))]}
    document = {"schema_version": 2, "primary_metric": "time_wall_clock", "results": [entry]}

    (run,) = read_results([write_json(tmp_path, document)]).runs

    assert seconds(run) == {"build": [1.5, 2.5]}


def test_parameters_that_a_command_does_not_show_stand_behind_it(tmp_path):
    document = {"results": [
        {"command": "make", "mean": 1.0, "median": 1.0, "times": [1.0], "parameters": {"j": jobs}}
        for jobs in "24"
    ]}  # fmt: skip

    assert read_results([write_json(tmp_path, document)]).benchmark_names == (
        "make (j=2)",
        "make (j=4)",
    )


def test_a_parameter_may_be_empty(tmp_path):
    document = {"results": [
        {"command": f"cc {flag} a.c", "mean": 1.0, "median": 1.0, "times": [1.0],
         "parameters": {"flag": flag}}
        for flag in ("", "-O2")
    ]}  # fmt: skip

    assert read_results([write_json(tmp_path, document)]).benchmark_names == (
        "cc  a.c",
        "cc -O2 a.c",
    )


def test_a_benchmark_of_google_that_skips_itself_has_no_error(tmp_path):
    document = loaded(GOOGLE)
    first, second = (
        document["benchmarks"][0],
        next(benchmark for benchmark in document["benchmarks"] if benchmark["name"] == "fails"),
    )
    skipped = {"name": "skips", "run_name": "skips", "run_type": "iteration", "skipped": True}
    document["benchmarks"] = [
        first, skipped | {"skip_message": "no GPU"},
        second, skipped | {"name": "fails", "run_name": "fails"},
    ]  # fmt: skip

    (run,) = read_results([write_json(tmp_path, document)]).runs

    assert run.processes["skips"][0].failure == Skipped("it skips itself: no GPU")
    assert run.processes["fails"][0].failure.reason == "it ended with an error: no device"


def test_repetitions_of_google_benchmark_are_values_in_real_time():
    results = read_results([GOOGLE])

    (run,) = results.runs
    units = {"ns": 1e-9, "ms": 1e-3}
    stored = {}
    for benchmark in loaded(GOOGLE)["benchmarks"]:
        if benchmark["run_type"] == "iteration" and not benchmark.get("error_occurred"):
            value = benchmark["real_time"] * units[benchmark["time_unit"]]
            stored.setdefault(benchmark["name"], []).append(value)
    assert results.harness == "google-benchmark"
    assert {name: values for name, values in seconds(run).items() if name != "fails"} == stored
    assert [len(values) for values in stored.values()] == [4, 4, 4]
    assert run.processes["fails"][0].failure.reason == "it ended with an error: no device"
    assert dict(run.host.facts)["cores"] == "2"


def test_of_aggregates_alone_there_is_the_mean():
    (run,) = read_results([AGGREGATES]).runs

    (mean,) = [
        benchmark
        for benchmark in loaded(AGGREGATES)["benchmarks"]
        if benchmark["name"] == "copy/8_mean"
    ]
    (process,) = run.processes["copy/8"]
    assert (len(process.seconds), process.middle) == (0, pytest.approx(mean["real_time"] * 1e-9))


def test_old_files_of_google_benchmark_say_no_run_type(tmp_path):
    document = loaded(GOOGLE)
    for benchmark in document["benchmarks"]:
        for key in ("run_type", "run_name", "aggregate_name", "repetition_index"):
            benchmark.pop(key, None)

    (run,) = read_results([write_json(tmp_path, document)]).runs

    assert {name: len(values) for name, values in seconds(run).items() if values} == {
        "copy/8": 4, "copy/64": 4, "slow": 4,
    }  # fmt: skip


def estimated(value, *spreads):
    document = {"confidence_interval": {}, "point_estimate": value, "standard_error": 0.1}
    return dict.fromkeys(("mean", "median", *spreads), document)


def criterion(folder, factor=1.0):
    """What `cargo bench` leaves in target/criterion: an id may have parts of a path."""
    for name in ("alone", "sums/fold/10", "sums/a b_c"):
        benchmark = {"full_id": name.replace("_", "/"), "directory_name": name}
        counts = [2.0, 4.0, 6.0]
        times = [30.0 * count * factor for count in counts]
        sample = {"sampling_mode": "Linear", "iters": counts, "times": times}
        estimates = estimated(30.0 * factor, "median_abs_dev", "std_dev")
        for place in ("new", "base"):
            sample_folder = folder / name / place
            sample_folder.mkdir(parents=True)
            write_json(sample_folder, benchmark, "benchmark.json")
            write_json(sample_folder, sample, "sample.json")
            write_json(sample_folder, estimates, "estimates.json")
        (folder / name / "change").mkdir()
        write_json(folder / name / "change", estimated(0.03), "estimates.json")
    return folder


def test_a_folder_of_criterion_is_a_run_of_all_its_benchmarks(tmp_path):
    results = read_results([criterion(tmp_path / "target/criterion")])

    (run,) = results.runs
    assert results.harness == "criterion"
    assert set(run.processes) == {"alone", "sums/fold/10", "sums/a b/c"}
    for values in seconds(run).values():
        assert values == pytest.approx([30e-9] * 3)
    assert read_results([tmp_path]).runs[0].processes.keys() == run.processes.keys()


def test_copies_of_the_folder_are_runs_and_files_of_one_are_one(tmp_path):
    folders = [criterion(tmp_path / "monday"), criterion(tmp_path / "tuesday", 1.1)]
    files = [folders[0] / name / "new/sample.json" for name in ("alone", "sums/fold/10")]

    assert [len(run.processes) for run in read_results(folders).runs] == [3, 3]
    assert [len(run.processes) for run in read_results(files).runs] == [2]


def test_estimates_are_figures_where_the_samples_are_gone(tmp_path):
    for path in criterion(tmp_path / "criterion").rglob("sample.json"):
        path.unlink()

    (run,) = read_results([tmp_path / "criterion"]).runs

    for (process,) in run.processes.values():
        assert (len(process.seconds), process.middle) == (0, pytest.approx(30e-9))


def test_the_estimates_of_a_change_are_no_times(tmp_path):
    path = criterion(tmp_path) / "alone/change/estimates.json"

    with pytest.raises(UsageError, match=r"may be changes instead of times.*target/criterion"):
        read_results([path])


HOSTILE = {
    "times": ({"results": [{"command": "a", "mean": 1, "median": 1, "times": ["1"]}]}, "a text"),
    "command": ({"results": [{"command": 7, "mean": 1, "median": 1, "times": [1]}]}, "command is"),
    "no clock": ({"results": [{"command": "a", "measurements": [{}]}]}, "time_wall_clock is"),
    "unit": (
        {"context": {"num_cpus": 1}, "benchmarks": [{"name": "a", "time_unit": "h"}]},
        "time_unit is",
    ),
    "unit that is not a text": (
        {"context": {"num_cpus": 1}, "benchmarks": [{"name": "a", "time_unit": []}]},
        "time_unit is",
    ),
    "no time": ({"context": {"num_cpus": 1}, "benchmarks": [{"name": "a"}]}, "real_time is"),
    "no iterations": ({"iters": [0], "times": [1.0]}, "iters has a zero"),
    "fewer": ({"iters": [1], "times": [1.0, 2.0]}, "differ in length"),
    "no samples": ({"iters": 5, "times": []}, "iters is a number, but must be a list"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_bad_file_is_refused_in_one_line(tmp_path, document, message):
    path = write_json(tmp_path, document)

    with pytest.raises(UsageError) as refused:
        read_results([path])

    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), 10**400])
def test_a_value_that_is_no_time_fails_its_benchmark_alone(tmp_path, value):
    document = loaded(GOOGLE)
    document["benchmarks"][0]["real_time"] = value

    (run,) = read_results([write_json(tmp_path, document)]).runs

    failed = {name for name, (process,) in run.processes.items() if process.failure}
    assert failed == {"fails", "copy/8"}


SUMMARIES = {
    "hyperfine, printed": ("hyperfine.txt", "--export-json FILE"),
    "hyperfine, CSV": ("hyperfine.csv", "--export-json FILE"),
    "hyperfine, Markdown": ("hyperfine.md", "--export-json FILE"),
    "Google Benchmark, printed": ("google-benchmark.txt", "--benchmark_out_format=json"),
    "Google Benchmark, CSV": ("google-benchmark.csv", "--benchmark_out_format=json"),
    "criterion, printed": (
        "sums/fold/10            time:   [26.029 ns 26.251 ns 26.505 ns]\n", "target/criterion"
    ),
    "JMH": ("Benchmark   (n)  Mode  Cnt  Score   Error  Units\nA.b  1  avgt  5  2,1", "-rf json"),
    "benchstat": ("goos: linux\npkg: p\n   │ a.txt │\n   │ sec/op │\nA-8  1µ ± 1%\n", "-count 10"),
    "benchstat, CSV": (",a.txt\n,sec/op,CI\nA-8,1e-06,1%\n ", "-count 10"),
    "criterion, CSV": (
        "group,function,value,throughput_num,throughput_type\n a", "sample.json"
    ),
    "cargo bench": ("test sum ... bench:       1,234.5 ns/iter (+/- 56)\n", "with criterion"),
    "old benchstat": ("name  old time/op  new time/op  delta\nA-8  1ns  2ns  ~\n", "-count 10"),
    "pytest-benchmark": (
        "--------- benchmark: 2 tests --------\nName (time in us)   Min  Max\n",
        "--benchmark-save-data",
    ),
    "pyperf": ("parse: Mean +- std dev: 1.01 us +- 0.02 us\n", "-o FILE"),
    "asv": ("[ 50.00%] ··· suite.time_a      1.2±0.1ms\n", "--record-samples"),
    "github-action-benchmark": ('[{"name": "a", "unit": "ns", "value": 1}]', "framework itself"),
    "Bencher": ('{"a": {"latency": {"value": 88.0, "lower_value": 87.4}}}', "framework itself"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "way_out"), SUMMARIES.values(), ids=SUMMARIES)
def test_a_summary_is_refused_with_the_option_that_keeps_values(tmp_path, content, way_out):
    path = OTHER_TOOLS / content
    if content.count(" ") or content.startswith("["):
        path = tmp_path / "in.txt"
        path.write_text(content)

    assert is_stored(path)
    with pytest.raises(UsageError) as refused:
        read_results([path])

    assert way_out in str(refused.value)
    assert "GoABS" not in str(refused.value)


def test_the_log_of_jmh_ends_with_its_table_and_is_none():
    assert "\nBenchmark " in (RECORDED / "jmh/small.log").read_text()
    assert read_results([RECORDED / "jmh/small.log"]).harness == "jmh"
