"""Series without a tool: the corpus, and the CSV that anybody can write."""

import csv
import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.errors import UsageError
from auditor.core.suite import IterationSettings
from auditor.importers.checking import LONGEST, SHORTEST, escape_text
from auditor.importers.reading import is_stored, read_results

NAMES = ("owner__repo#a.B.one#", "owner__repo#a.B.two#k=1&l=x.y")
SERIES = [[0.5, 0.25, 0.125], [1e-9, 2.5e-9, 1e-9]]
HEADER = "benchmark,fork,iteration,seconds\n"
MULTIPLE = 4
"""What reading may take, in doubles for each value: it and its place are two of them."""


def corpus_file(folder, name, series=SERIES):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(series))
    return path


def table(folder, text, name="in.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(*paths):
    with pytest.raises(UsageError) as error:
        read_results(paths)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("place", ["timeseries/all", "timeseries", "all", "."])
def test_files_of_a_corpus_are_benchmarks_of_one_run(tmp_path, place):
    for name in NAMES:
        corpus_file(tmp_path / place, name)
        for sibling in ("classification", "changepoints", "timeseries/filtered"):
            corpus_file(tmp_path / sibling, name, {"forks": []})

    results = read_results([tmp_path])

    (run,) = results.runs
    assert (results.harness, results.benchmark_names) == ("jmh", NAMES)
    assert [list(process.seconds) for process in run.processes[NAMES[1]]] == SERIES
    assert {process.iteration_seconds for process in run.processes[NAMES[1]]} == {0.1}


def test_a_file_of_a_corpus_alone_and_two_folders(tmp_path):
    first = corpus_file(tmp_path / "a", NAMES[0])
    second = corpus_file(tmp_path / "b", NAMES[0], [fork[::-1] for fork in SERIES])

    assert read_results([first]).benchmark_names == NAMES[:1]
    assert len(read_results([tmp_path / "a", tmp_path / "b"]).runs) == 2
    assert len(read_results([first, second]).runs) == 2


SUBJECTS = (
    "project,benchmark,params,warmupIterations,measurementIterations,forks,warmupTimeSec,"
    "measurementTimeSec\n"
    "owner/repo,a.B.one,,5,10,3,1.0,0.5\n"
)


@pytest.mark.parametrize("above", [".", "..", "../.."])
def test_a_table_beside_the_series_has_what_was_configured(tmp_path, above):
    folder = tmp_path / "timeseries" / "all"
    for name in NAMES:
        corpus_file(folder, name)
    (folder / above / "subjects.csv").write_text(SUBJECTS)

    (run,) = read_results([tmp_path]).runs

    processes, unlisted_processes = (run.processes[name] for name in NAMES)
    assert {process.configured for process in processes} == {
        IterationSettings(
            warmup_iterations=5,
            warmup_seconds=1.0,
            measurement_iterations=10,
            measurement_seconds=0.5,
            forks=3,
        )
    }
    assert {process.configured for process in unlisted_processes} == {None}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SUBJECTS.replace("5,10", "five,10"), "line 2: invalid literal"),
        (SUBJECTS.replace("5,10", "-5,10"), "line 2: a number is outside of JMH's range"),
        (SUBJECTS.replace("1.0", "nan"), "line 2: a number is outside of JMH's range"),
        (SUBJECTS.replace(",0.5", ""), "line 2: could not convert"),
        (SUBJECTS.replace("5,10", f"{10**400},10"), "line 2: a number is outside"),
        (SUBJECTS.replace("5,10", "5,0"), "line 2: a number is outside"),
        (SUBJECTS + "\x00\xff", "subjects.csv"),
    ],
)
def test_a_table_that_cannot_be_believed_is_refused(tmp_path, text, message):
    corpus_file(tmp_path, NAMES[0])
    (tmp_path / "subjects.csv").write_bytes(text.encode("latin-1"))

    with pytest.raises(UsageError, match=message):
        read_results([tmp_path])


def test_another_table_of_that_name_means_nothing(tmp_path):
    corpus_file(tmp_path, NAMES[0])
    (tmp_path / "subjects.csv").write_text("project,stars\nowner/repo,5\n")

    (run,) = read_results([tmp_path]).runs

    assert {process.configured for process in run.processes[NAMES[0]]} == {None}


def test_a_compressed_file_of_a_corpus_has_its_own_name(tmp_path):
    path = tmp_path / f"{NAMES[0]}.json.gz"
    path.write_bytes(gzip.compress(json.dumps(SERIES).encode()))

    assert read_results([path]).benchmark_names == NAMES[:1]


BAD_SERIES = {
    "places": ([[3, 2999], [2999]], "positions and not times"),
    "no fork": ([[0.1], 3], "no result of"),
    "text": ([["0.1"]], "'0.1' is not a time"),
    "truth": ([[True, 0.5]], "True is not a time"),
    "negative": ([[0.1, -0.5]], "fork 0: -0.5 is not a time"),
    "NaN first": ([[0.5], [float("nan"), 0.1]], "fork 1: nan is not a time"),
    "NaN last": ([[0.1, float("nan")]], "nan is not a time"),
    "infinity": ([[0.1, float("inf")]], "inf is not a time"),
    "huge": ([[0.1, 10**400]], "a huge number is not a time"),
    "nothing": ([], "an empty list"),
}


@pytest.mark.parametrize(("series", "message"), BAD_SERIES.values(), ids=BAD_SERIES)
def test_a_bad_series_is_refused(tmp_path, series, message):
    path = corpus_file(tmp_path, NAMES[0], series)

    line = refused(path)

    assert str(path) in line
    assert message in line


@pytest.mark.parametrize("fork", [[], [0.0, 0.1]])
def test_a_fork_without_times_fails_alone(tmp_path, fork):
    (run,) = read_results([corpus_file(tmp_path, NAMES[0], [fork, [0.1]])]).runs

    bad, good = run.processes[NAMES[0]]
    assert bad.failure is not None
    assert tuple(good.seconds) == (0.1,)


def test_rows_may_come_in_any_order_and_other_columns_are_passed_over(tmp_path):
    text = (
        "fork,warmup,seconds,iteration,benchmark,host\r\n"
        '1,0,3e-9,2,"b, c",x\r\n'
        "0,0,0.5,1,a,x\r\n"
        '1,1,9e-9,1,"b, c",x\r\n'
        '1,0,2e-9,1,"b, c",x\r\n'
        "\r\n"
        '0,0,1e-9,1,"b, c",x\r\n'
    )

    results = read_results([table(tmp_path, "\N{ZERO WIDTH NO-BREAK SPACE}" + text)])

    (run,) = results.runs
    assert results.harness == "csv"
    assert list(run.processes) == ["b, c", "a"]
    first, second = run.processes["b, c"]
    assert [*map(tuple, (first.seconds, second.seconds, second.warmups))] == [
        (1e-9,),
        (2e-9, 3e-9),
        (9e-9,),
    ]


def test_warm_up_alone_is_no_result(tmp_path):
    text = HEADER.replace("\n", ",warmup\n") + "a,0,1,0.5,1\n"

    (run,) = read_results([table(tmp_path, text)]).runs

    assert "warm-up only" in run.processes["a"][0].failure.reason


BAD_ROWS = {
    "no number": (HEADER + "a,0,1,x\n", "line 2: 'x' is not a time in seconds"),
    "underscore": (HEADER + "a,0,1,1_0\n", "'1_0' is not a time"),
    "NaN": (HEADER + "a,0,1,nan\n", "'nan' is not a time"),
    "infinity": (HEADER + "a,0,1,1e999\n", "'1e999' is not a time"),
    "negative": (HEADER + "a,0,1,-1\n", "'-1' is not a time"),
    "empty cell": (HEADER + "a,0,1,\n", "'' is not a time"),
    "place": (HEADER + "a,0,1.5,1\n", "iteration '1.5' is not a whole number"),
    "fork": (HEADER + "a,x,1,1\n", "fork 'x' is not a whole number"),
    "no benchmark": (HEADER + ",0,1,1\n", "a row has no benchmark"),
    "twice": (HEADER + "a,0,1,1\na,0,1,2\n", "iteration 1 exists twice"),
    "two ways": (HEADER + "a,0,1,1\na,00,2,2\n", "fork 0 is written in two forms"),
    "columns": (HEADER + "a,0,1,1,9\n", "line 2 has 5 columns, the header 4"),
    "cut off": (HEADER + "a,0,1,1\na,0", "line 3 has 2 columns"),
    "warm-up": (HEADER.replace("\n", ",warmup\n") + "a,0,1,1,yes\n", "warmup is 'yes', not 0 or 1"),
    "doubled": ("fork," + HEADER + "0,a,0,1,1\n", "the column 'fork' exists twice"),
    "no rows": (HEADER, "holds no times"),
    "quote": (HEADER + 'a,0,1,"1\n', "unexpected end of data"),
    "bytes": (HEADER.encode() + b"\xff,0,1,1\n", "line 2 is not UTF-8"),
    "long": (HEADER + "a" * 70_000, "line 2 is longer than 65536 bytes"),
    "empty": ("", "it is empty"),
    "binary": (bytes(range(256)), "no result of"),
}


@pytest.mark.parametrize(("text", "message"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_table_is_refused_in_one_line_that_names_it(tmp_path, text, message):
    path = table(tmp_path, text)

    line = refused(path)

    assert str(path) in line
    assert message in line


def test_names_are_made_visible(tmp_path):
    assert read_results([table(tmp_path, HEADER + '"a\x1b[1m",0,1,1\n')]).benchmark_names == (
        "a\\x1b[1m",
    )


def test_tables_of_other_columns_are_not_taken(tmp_path):
    assert not is_stored(table(tmp_path, "benchmark,fork,classification\na,0,steady\n"))


def test_a_name_that_is_as_a_line_of_go_makes_no_text_of_go(tmp_path):
    path = table(tmp_path, HEADER + "pkg: example.org/x,0,1,1\n")

    assert read_results([path]).benchmark_names == ("pkg: example.org/x",)


TIMES = st.floats(SHORTEST, LONGEST)
PROCESSES = st.lists(
    st.tuples(st.lists(TIMES, max_size=3), st.lists(TIMES, min_size=1, max_size=5)),
    min_size=1,
    max_size=3,
)


@given(
    forks_by_name=st.dictionaries(
        st.text(min_size=1, max_size=8), PROCESSES, min_size=1, max_size=3
    ),
    order=st.randoms(use_true_random=False),
)
def test_what_is_written_is_read_back_exactly(tmp_path_factory, forks_by_name, order):
    forks_by_name = {escape_text(name): forks for name, forks in forks_by_name.items()}
    rows = [
        (name, fork, index, repr(value), int(warm))
        for name, forks in forks_by_name.items()
        for fork, phases in enumerate(forks)
        for warm, values in zip((True, False), phases, strict=True)
        for index, value in enumerate(values)
    ]
    order.shuffle(rows)
    path = tmp_path_factory.mktemp("series") / "in.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["benchmark", "fork", "iteration", "seconds", "warmup"])
        writer.writerows(rows)

    (run,) = read_results([path]).runs

    assert {
        name: [(list(process.warmups), list(process.seconds)) for process in processes]
        for name, processes in run.processes.items()
    } == forks_by_name


@pytest.mark.parametrize(
    ("count", "shuffled"), [(1_000_000, False), (100_000, True)], ids=["in order", "shuffled"]
)
def test_a_million_values_take_little_more_than_themselves(tmp_path, count, shuffled):
    places = list(range(count))
    if shuffled:
        places = [*places[1::2], *reversed(places[::2])]
    path = tmp_path / "in.csv"
    with path.open("w") as file:
        file.write(HEADER)
        file.writelines(f"a,{place % 2},{place},{(place + 1) / count}\n" for place in places)
    del places

    tracemalloc.start()
    results = read_results([Path(path)])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    processes = results.runs[0].processes["a"]
    assert [process.seconds[1] for process in processes] == [3 / count, 4 / count]
    assert [len(process.seconds) for process in processes] == [count // 2] * 2
    assert most < MULTIPLE * 8 * count


LINES = st.lists(
    st.sampled_from(
        ["# Benchmark: a.B.c", "# Fork: 1 of 2", "# Fork: 2 of 2", "# Warmup Fork: 1 of 1",
         "# Parameters: (a = 1, b = 2)", "# Parameters: ", "# Benchmark mode: ", "Iteration   1: ",
         "# Warmup Iteration   1: 3 ns/op", "Iteration   1: 3,5 ops/s", "Iteration   1: <failure>",
         "# Measurement: 1 iterations, 1 s each", "<forked VM failed with exit code 1>", "3 ns/op",
         'Result "a.B.c":', "pkg: p", "BenchmarkA-2 \t 1\t 3 ns/op", "BenchmarkA-2 \t",
         "  1\t 3 x/op", "--- FAIL: BenchmarkA", "FAIL\tp\t1s", "ok  \tp\t1s",
         '{"Action":"output"}', '{"Output":"BenchmarkA \\t 1\\t 3 ns/op\\n"}', "{",
         '"', "a,0,1,1", "a,0,2"]
    )
    | st.text(max_size=9),
    max_size=12,
)  # fmt: skip
BEGINNINGS = ["# JMH version: 1\n", "goos: linux\n", '{"Action":"start"}\n', HEADER, ""]


@given(first=st.sampled_from(BEGINNINGS), lines=LINES)
def test_no_text_does_more_than_to_be_refused(tmp_path_factory, first, lines):
    path = tmp_path_factory.mktemp("any") / "in.txt"
    path.write_text(first + "\n".join(lines), encoding="utf-8", errors="replace")

    try:
        results = read_results([path])
    except UsageError:
        return
    assert results.benchmark_names


NUMBERS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
ANY = st.recursive(
    NUMBERS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["primaryMetric", "rawData", "scoreUnit"]), inner)
    ),
    max_leaves=10,
)


@given(inner=ANY, unit=st.sampled_from(["ns/op", "ops/s", "MB"]), as_series=st.booleans())
def test_no_list_does_more_than_to_be_refused(tmp_path_factory, inner, unit, as_series):
    metric = {"scoreUnit": unit, "rawData": [inner, [inner]], "rawDataHistogram": [[inner]]}
    metric.pop("rawData" if inner else "rawDataHistogram")
    entry = {"benchmark": "a.B.c", "mode": "avgt", "params": {"a": inner}, "forks": inner,
             "measurementTime": inner, "primaryMetric": metric}  # fmt: skip
    document = [inner, [inner]] if as_series else [entry]
    path = table(tmp_path_factory.mktemp("any"), json.dumps(document), "in.json")

    try:
        results = read_results([path])
    except UsageError:
        return
    assert results.benchmark_names
