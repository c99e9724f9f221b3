"""Which stored benchmarks are one: names of Go, variants of JMH, choices of asv."""

import json
from pathlib import Path

import pytest

from auditor.analyze.study import compare_benchmarks
from auditor.compare.model import PerformanceChange
from auditor.importers.reading import read_results

RECORDED = Path(__file__).parent / "recorded"
ASV = Path(__file__).parents[2] / "runners/pybench/recorded/asv/box"


def go(path, *names, seconds=1000.0, package="example.org/text", before=""):
    """A file of go test with three lines of each name."""
    lines = [f"pkg: {package}"] if package else []
    lines += [before] if before else []
    lines += [f"{name}\t100\t{seconds + index} ns/op" for name in names for index in range(3)]
    path.write_text("\n".join([*lines, f"written to {path.name}", "PASS", ""]))
    return path


def names(*paths):
    return [
        benchmark.removeprefix("example.org/text.")
        for benchmark in read_results(paths).benchmark_names
    ]


NAMES = {
    "a function has none of its own": (
        ["BenchmarkA-8", "BenchmarkB/utf-8-8"], ["BenchmarkA", "BenchmarkB/utf-8"],
    ),
    "a sub-benchmark may have one": (["BenchmarkB/utf-8"], ["BenchmarkB/utf-8"]),
    "all of them may": (["BenchmarkB/a-8", "BenchmarkC/b-8"], ["BenchmarkB/a-8", "BenchmarkC/b-8"]),
    "several numbers": (["BenchmarkA", "BenchmarkA-2"], ["BenchmarkA", "BenchmarkA-2"]),
    "none": (["BenchmarkB/utf-8", "BenchmarkB/utf-16"], ["BenchmarkB/utf-8", "BenchmarkB/utf-16"]),
}  # fmt: skip


@pytest.mark.parametrize(("printed_names", "expected_names"), NAMES.values(), ids=NAMES)
def test_a_number_is_left_out_where_it_is_surely_that_of_processors(
    tmp_path, printed_names, expected_names
):
    assert names(go(tmp_path / "a.txt", *printed_names)) == expected_names


@pytest.mark.parametrize("lone_name", ["BenchmarkB/utf", "BenchmarkB/utf-8"])
def test_names_that_stand_alone_tell_what_is_theirs(tmp_path, lone_name):
    assert names(go(tmp_path / "a.txt", "BenchmarkB/utf-8", before=lone_name)) == [lone_name]


def test_the_files_of_a_call_settle_each_other(tmp_path):
    first_file = go(tmp_path / "1.txt", "BenchmarkB/utf-8", "BenchmarkB/utf-16")
    more = [
        go(tmp_path / f"{letter}.txt", "BenchmarkB/utf-8-4", "BenchmarkB/utf-16-4")
        for letter in "23"
    ]

    assert names(first_file, *more) == ["BenchmarkB/utf-8", "BenchmarkB/utf-16"]


def sides(folder, base, head):
    """Three files of each side, head 30 % slower; `base` and `head` are keywords of `go`."""
    paths = {"base": [], "head": []}
    for side, (printed_names, more) in (("base", base), ("head", head)):
        for index in range(3):
            seconds = (1000 if side == "base" else 1300) + index
            path = folder / f"{side}{index}.txt"
            paths[side].append(go(path, *printed_names, seconds=seconds, **more))
    return read_results(paths["base"]), read_results(paths["head"])


def test_a_name_of_one_processor_is_found_in_that_of_eight(tmp_path):
    base, head = sides(
        tmp_path, (["BenchmarkB/utf-8"], {}), (["BenchmarkB/utf-8-8"], {})
    )  # fmt: skip

    result = compare_benchmarks(base, head, 0.05, unlike=True)

    (benchmark,) = result.benchmarks
    assert (benchmark.id, benchmark.change) == (
        "example.org/text.BenchmarkB/utf-8",
        PerformanceChange.REGRESSION,
    )
    assert result.added == result.removed == ()


DOUBTS = {
    "numbers": ((["BenchmarkB/n-8"], {}), (["BenchmarkB/n-4"], {}), "processors or a part"),
    "packages": ((["BenchmarkB-8"], {}), (["BenchmarkB-8"], {"package": ""}), "lost its pkg:"),
}  # fmt: skip


@pytest.mark.parametrize(("base", "head", "reason"), DOUBTS.values(), ids=DOUBTS)
def test_names_that_may_be_one_cannot_be_told(tmp_path, base, head, reason):
    result = compare_benchmarks(*sides(tmp_path, base, head), 0.05, unlike=True)

    (benchmark,) = result.benchmarks
    assert benchmark.change is PerformanceChange.UNKNOWN
    assert reason in benchmark.reason
    assert result.added == result.removed == ()


def test_names_that_are_surely_two_are_new_and_gone(tmp_path):
    result = compare_benchmarks(
        *sides(tmp_path, (["BenchmarkB-8"], {}), (["BenchmarkC-8"], {})), 0.05
    )

    assert (len(result.added), len(result.removed), result.benchmarks) == (1, 1, ())


def test_a_line_with_two_values_of_a_unit_fails_its_benchmark_alone(tmp_path):
    path = go(tmp_path / "a.txt", "BenchmarkA-8")
    path.write_text(path.read_text() + "BenchmarkB-8\t5\t100 ns/op\t1 ns/op\n")

    (run,) = read_results([path]).runs

    (bad,), (good,) = (run.processes[f"example.org/text.Benchmark{name}"] for name in "BA")
    assert "two values in ns/op" in bad.failure.reason
    assert good.failure is None


def test_a_file_without_packages_says_that_they_are_not_told_apart(tmp_path):
    packaged = read_results([go(tmp_path / "a.txt", "BenchmarkA-8")])
    cut = read_results(
        [go(tmp_path / name, "BenchmarkA-8", package="") for name in ("b.txt", "c.txt")]
    )

    assert [caveat.slug for caveat in packaged.caveats] == []
    assert [caveat.slug for caveat in cut.caveats] == ["no-packages"]


def entry(name="org.x.Q.offer", micros=10.0, **more):
    metric = {"scoreUnit": "us/op", "rawData": [[micros, micros * 1.01], [micros, micros * 0.99]]}
    fields = {"benchmark": name, "mode": "avgt", "threads": 1, "forks": 2, "jvmArgs": []}
    return fields | {"jdkVersion": "21.0.4"} | more | {"primaryMetric": metric}


def jmh(path, *entries):
    path.write_text(json.dumps([{**fields, "file": path.name} for fields in entries]))
    return path


VARIANTS = {
    "threads": ({"threads": 4}, ["offer (threads=1)", "offer (threads=4)"]),
    "flags": ({"jvmArgs": ["-Xint"]}, ["offer (jvmArgs=none)", "offer (jvmArgs=-Xint)"]),
    "mode": ({"mode": "ss"}, ["offer (avgt)", "offer (ss)"]),
    "batch": ({"measurementBatchSize": 5}, ["offer (batch=none)", "offer (batch=5)"]),
}


@pytest.mark.parametrize(("more", "expected_names"), VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("files", [1, 2])
def test_variants_are_named_by_what_differs(tmp_path, more, expected_names, files):
    entries = [entry(), entry(micros=40.0, **more)]
    if files == 1:
        paths = [jmh(tmp_path / "a.json", *entries, entry("org.x.Q.poll"))]
    else:
        paths = [jmh(tmp_path / f"{index}.json", variant) for index, variant in enumerate(entries)]

    benchmark_names = [
        benchmark.removeprefix("org.x.Q.") for benchmark in read_results(paths).benchmark_names
    ]

    assert benchmark_names == expected_names + ["poll"] * (files == 1)


@pytest.mark.parametrize("files", [1, 2])
def test_variants_keep_the_unit_of_their_tool(tmp_path, files):
    groups = [[entry(), entry(threads=4)]] if files == 1 else [[entry()], [entry(threads=4)]]
    result = read_results(
        [jmh(tmp_path / f"{index}.json", *group) for index, group in enumerate(groups)]
    )

    assert [result.find_unit(name) for name in result.benchmark_names] == ["us/op", "us/op"]


def test_what_differs_in_the_jvm_is_told_apart_within_a_file(tmp_path):
    path = jmh(tmp_path / "a.json", entry(), entry(jdkVersion="25.0.1"))

    first, second = read_results([path]).benchmark_names

    assert ("21.0.4" in first, "25.0.1" in second) == (True, True)


@pytest.mark.parametrize("flag", ["-Didea.port={}", "-XX:HeapDumpPath=/tmp/{}"])
def test_what_a_build_tool_passes_tells_no_files_apart(tmp_path, flag):
    paths = [
        jmh(tmp_path / f"{letter}.json", entry(jvmArgs=[flag.format(letter)])) for letter in "12"
    ]

    assert read_results(paths).benchmark_names == ("org.x.Q.offer",)


def read_sides(folder, base, head):
    return [
        read_results([jmh(folder / f"{side}{index}.json", *entries) for index in range(3)])
        for side, entries in (("base", base), ("head", head))
    ]


def test_one_variant_finds_itself_among_several(tmp_path):
    base, head = read_sides(
        tmp_path, [entry(), entry(micros=40.0, threads=4)], [entry(micros=52.0, threads=4)]
    )

    result = compare_benchmarks(base, head, 0.05)

    (benchmark,) = result.benchmarks
    assert (benchmark.id, benchmark.change) == (
        "org.x.Q.offer (threads=4)",
        PerformanceChange.REGRESSION,
    )
    assert result.removed == ("org.x.Q.offer (threads=1)",)


def test_other_flags_are_compared_and_other_threads_are_not(tmp_path):
    flags = compare_benchmarks(
        *read_sides(tmp_path, [entry()], [entry(micros=13.0, jvmArgs=["-Xint"])]), 0.05
    )
    threads = compare_benchmarks(
        *read_sides(tmp_path, [entry()], [entry(micros=13.0, threads=2)]), 0.05
    )

    assert [benchmark.change for benchmark in flags.benchmarks] == [PerformanceChange.REGRESSION]
    assert [benchmark.reason for benchmark in threads.benchmarks] == [
        "base and head measure different things: threads 1 / 2"
    ]


def test_a_log_tells_threads_apart_as_well(tmp_path):
    text = (RECORDED / "jmh/small.log").read_text()
    paths = [tmp_path / "1.log", tmp_path / "4.log"]
    paths[0].write_text(text)
    paths[1].write_text(text.replace("# Threads: 1 thread", "# Threads: 4 threads"))

    benchmarks = read_results(paths).benchmark_names

    assert {"(threads=1)" in benchmark for benchmark in benchmarks} == {True, False}
    assert len(benchmarks) == 2 * len(read_results(paths[:1]).benchmark_names)


def asv(folder, commit, address, *, factor=1.0, units=True):
    """A file of asv with a choice of objects, and a benchmark of which all choices failed."""
    (path,) = ASV.glob(f"{commit}*.json")
    document = json.loads(path.read_text())
    row = [
        [0.01 * factor, 0.02 * factor],
        [[f"<A object at {address}>", "<B object at 0xabcdef123>"]],
    ]
    filled = row + [None] * (len(document["result_columns"]) - 2)
    columns = {name: number for number, name in enumerate(document["result_columns"])}
    filled[columns["stats_number"]] = [3, 3]
    filled[columns["samples"]] = [[0.01 * factor] * 3, [0.02 * factor] * 3]
    document["results"] = {
        "cost.time_of": filled,
        "cost.time_all_failed": [None, [["1", "2"]]],
        "cost.track_size": [None, []],
    }
    folder.mkdir(exist_ok=True)
    result_file = folder / f"{address}.json"
    result_file.write_text(json.dumps(document))
    return result_file


def test_addresses_are_no_part_of_a_name(tmp_path):
    base, head = (
        read_results(
            [
                asv(tmp_path / side, "be57ad87", f"0x7f{side}{letter}", factor=factor)
                for letter in "123"
            ]
        )
        for side, factor in (("ba5e", 1.0), ("4ead", 1.25))
    )

    result = compare_benchmarks(base, head, 0.05)

    assert [benchmark.change for benchmark in result.benchmarks if not benchmark.reason] == [
        PerformanceChange.REGRESSION
    ] * 2
    assert result.added == result.removed == ()
    assert "cost.time_of(<A object at 0x…>)" in base.benchmark_names
    assert [caveat.slug for caveat in base.caveats] == ["addresses-in-names"]


def test_objects_of_one_kind_have_numbers(tmp_path):
    path = asv(tmp_path / "one", "be57ad87", "0x7f0000001")
    path.write_text(path.read_text().replace("<B object", "<A object"))

    benchmark_names = [
        benchmark for benchmark in read_results([path]).benchmark_names if "time_of" in benchmark
    ]

    assert benchmark_names == [f"cost.time_of(<A object at 0x…>) #{number}" for number in (1, 2)]


def test_what_failed_is_said_without_the_list_of_units(tmp_path):
    result = read_results([asv(tmp_path / "one", "be57ad87", "0x7f0000001")])

    failures = {name for name, (process,) in result.runs[0].processes.items() if process.failure}
    assert failures == {"cost.time_all_failed(1)", "cost.time_all_failed(2)"}
    assert result.left_out == ("cost.track_size",)
