"""What `go test -bench` prints, recorded and fresh, as text and as events."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from growth import growth

from auditor.core.errors import UsageError
from auditor.core.outcome import Skipped
from auditor.importers.reading import is_stored, read_results

RECORDED = Path(__file__).parent / "recorded" / "go"
TEXT, EVENTS, PROCESSORS = (RECORDED / name for name in ("small.txt", "small.json", "cpus.txt"))
PACKAGE = "example.org/small"
SMALL, NOISY, FAILS, SKIPS, NO_TIME = (
    f"{PACKAGE}.Benchmark{name}" for name in ("Sum/n-10", "Noisy", "Fails", "Skips", "NoTime")
)


def run_of(path):
    (run,) = read_results([path]).runs
    return run


def write_input(folder, text):
    path = folder / "in.txt"
    path.write_text(text)
    return path


def test_lines_of_one_name_are_the_values_of_one_process():
    results = read_results([TEXT])

    (run,) = results.runs
    (process,) = run.processes[SMALL]
    assert (results.harness, results.left_out) == ("go", (NO_TIME,))
    assert process.seconds == pytest.approx((7.36e-9, 7.31e-9, 7.06e-9))
    assert process.middle == pytest.approx(7.2433e-9, rel=1e-4)
    assert run.processes["example.org/small/deep.BenchmarkSum"][0].seconds[1] == 1.005e-9
    assert dict(run.host.facts) == {"arch": "amd64", "cpu": "AMD EPYC", "kernel": "linux"}


@pytest.mark.parametrize("path", [TEXT, EVENTS], ids=["text", "events"])
def test_what_benchmarks_print_is_passed_over_and_failures_are_kept(path):
    processes = run_of(path).processes

    assert len(processes[NOISY][0].seconds) == 3
    assert processes[FAILS][0].failure.reason == "it failed when go test ran it"
    assert len(processes[FAILS][0].seconds) == 0


def test_events_say_what_was_skipped_and_have_the_same_names():
    text, events = run_of(TEXT), read_results([EVENTS])

    (run,) = events.runs
    assert set(run.processes) - {SKIPS} == set(text.processes)
    assert isinstance(run.processes[SKIPS][0].failure, Skipped)
    assert (run.host, events.left_out) == (text.host, (NO_TIME,))


def test_numbers_of_processors_stay_where_there_are_several():
    assert list(run_of(PROCESSORS).processes) == [
        f"{PACKAGE}.BenchmarkSum/{name}" for name in ("n-10", "n-10-2", "n-1000", "n-1000-2")
    ]


def test_columns_may_have_been_parted_by_blanks(tmp_path):
    path = write_input(tmp_path, TEXT.read_text().replace("\t", "    "))

    assert run_of(path).processes[SMALL][0].seconds[0] == pytest.approx(7.36e-9)


def test_a_benchmark_that_ended_its_process_failed(tmp_path):
    text = (
        f"pkg: {PACKAGE}\nBenchmarkA-2 \t 10\t 5 ns/op\nBenchmarkB-2 \tpanic: no\n\nFAIL\t{PACKAGE}"
    )

    processes = run_of(write_input(tmp_path, text)).processes

    assert tuple(processes[f"{PACKAGE}.BenchmarkA"][0].seconds) == (5e-9,)
    assert processes[f"{PACKAGE}.BenchmarkB"][0].failure is not None


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("printed.", "BenchmarkA"),
        ("Benchmark", "BenchmarkBenchmarkA"),
        ("Benchmarks: Benchmark/", "Benchmark/BenchmarkA"),
        ("BenchmarksBenchmark/x ", "BenchmarkA"),
    ],
)
def test_the_first_name_with_values_behind_it_counts(tmp_path, before, name):
    path = write_input(tmp_path, f"pkg: p\nBenchmark/x {before}BenchmarkA \t 10\t 5 ns/op\n")

    assert list(run_of(path).processes) == [f"p.{name}"]


@pytest.mark.parametrize("part", ["Benchmark", "Benchmark/", "123456789"])
def test_a_line_that_is_eight_times_as_long_takes_about_eight_times_as_long(tmp_path, part):
    def read(size):
        text = f"BenchmarkB-2 \tx\n{part * size}\nBenchmarkA-2 \t 10\t 5 ns/op\n"
        processes = run_of(write_input(tmp_path, text)).processes["BenchmarkA"]
        assert tuple(processes[0].seconds) == (5e-9,)

    assert growth(read, 400, 3_200) < 24


@pytest.mark.parametrize("time", ["0.0", "NaN", "+Inf"])
def test_what_is_no_time_fails(tmp_path, time):
    path = write_input(tmp_path, f"BenchmarkA-2 \t 10\t {time} ns/op\n")

    assert run_of(path).processes["BenchmarkA"][0].failure is not None


HOSTILE = {
    "negative": ("BenchmarkA \t 10\t -5 ns/op\n", "a negative time"),
    "nothing": (f"pkg: {PACKAGE}\nPASS\n", "holds no times of any benchmark"),
    "cut off": (EVENTS.read_text()[:-100], "is not JSON, or cut off"),
    "no object": ('{"Action":"start"}\n{"Output":', "line 2 is not JSON, or cut off"),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_bad_file_is_refused_in_one_line_that_names_it(tmp_path, content, message):
    path = write_input(tmp_path, content)

    with pytest.raises(UsageError) as error:
        read_results([path])

    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_events_may_cut_a_line_anywhere(tmp_path):
    line = "BenchmarkA-2 \t     100\t        12.5 ns/op\n"
    events = [{"Action": "output", "Package": "p", "Output": letter} for letter in line]
    inserted_event = {"Action": "output", "Package": "q", "Output": "BenchmarkB-2 \t 1\t 3 ns/op\n"}
    events.insert(5, inserted_event)

    path = write_input(tmp_path, "".join(json.dumps(event) + "\n" for event in events))

    assert {
        name: tuple(process.seconds) for name, (process,) in run_of(path).processes.items()
    } == {
        "q.BenchmarkB": pytest.approx((3e-9,)),
        "p.BenchmarkA": pytest.approx((12.5e-9,)),
    }


def test_a_table_is_not_taken_for_it(tmp_path):
    path = write_input(tmp_path, "0-0-0;Baseline;a/b_test.go/BenchmarkA;100;12.5\n")

    assert not is_stored(path)


def test_fresh_output_of_this_go_is_read(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    (tmp_path / "go.mod").write_text(f"module {PACKAGE}\n\ngo 1.21\n")
    shutil.copy(RECORDED / "small_test.go.txt", tmp_path / "small_test.go")
    for more in ([], ["-json"]):
        go_test = subprocess.run(
            ["go", "test", *more, "-bench", ".", "-benchtime", "20x", "-count", "2"],
            cwd=tmp_path, capture_output=True, check=False,
        )  # fmt: skip
        processes = run_of(write_input(tmp_path, go_test.stdout.decode())).processes

        assert len(processes[SMALL][0].seconds) == 2
        assert processes[FAILS][0].failure is not None


BENCHSTAT = "goos: linux\npkg: p\n   │ a.txt │\n   │ sec/op │\nSum-2  1µ ± 1%\n"
TABLES = {
    "benchstat": BENCHSTAT,
    "old benchstat": "name  old time/op  new time/op  delta\nSum-2  1ns  2ns  ~\n",
}


@pytest.mark.parametrize("name", ["small.txt", "small.json"])
@pytest.mark.parametrize("is_before", [False, True])
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_of_benchstat_in_the_log_hides_no_results(tmp_path, name, is_before, table):
    text = (RECORDED / name).read_text()
    if is_before and name == "small.json":
        event = {"Action": "output", "Package": "p", "Output": table.replace("\n", " ") + "\n"}
        table = json.dumps(event, ensure_ascii=False) + "\n"
    path = tmp_path / name
    path.write_text(table + text if is_before else text + table)

    assert (
        read_results([path]).runs[0].processes == read_results([RECORDED / name]).runs[0].processes
    )
