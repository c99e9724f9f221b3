"""Result files of pytest-benchmark, asv and pyperf, as recorded/README.md says they were made."""

import gzip
import json
import shutil
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.errors import UsageError
from auditor.core.outcome import Skipped, Unreadable
from auditor.importers import files
from auditor.importers.reading import is_stored, read_results

RECORDED = Path(__file__).parents[2] / "runners" / "pybench" / "recorded"
PYTEST = RECORDED / "pytest-benchmark" / "with-data.json"
SAVED = RECORDED / "pytest-benchmark" / "Linux-CPython-3.11-64bit"
PYPERF = RECORDED / "pyperf"
ASV = RECORDED / "asv"
FIRST, SECOND = (
    "b9749b2e7843e8e42831a8d6e96b681ace98a7dc",
    "be57ad87355117f876537cf265887d0b0d813bfd",
)


def loaded(path):
    return json.loads(path.read_text())


def asv_file(commit):
    (path,) = (ASV / "box").glob(f"{commit[:8]}-*.json")
    return path


def write_input(folder, document, name="in.json"):
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def refused(*paths, **more):
    with pytest.raises(UsageError) as error:
        read_results(paths, **more)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
    return str(error.value)


def test_rounds_of_pytest_benchmark_are_seconds_per_call():
    results = read_results([PYTEST])

    (run,) = results.runs
    assert (results.harness, run.commit) == ("pytest", SECOND)
    assert results.benchmark_names == (
        "test_ring.py::test_total[100]", "test_ring.py::test_total[1000]",
        "test_ring.py::test_plain",
    )  # fmt: skip
    stored = {
        benchmark["fullname"]: benchmark["stats"] for benchmark in loaded(PYTEST)["benchmarks"]
    }
    for name, (process,) in run.processes.items():
        assert list(process.seconds) == stored[name]["data"]
        assert process.middle == pytest.approx(stored[name]["mean"])
    facts = dict(run.host.facts)
    assert (run.host.name, facts["cpu"], facts["python"]) == ("vm", "AMD EPYC", "CPython 3.11.7")


def test_without_rounds_there_is_their_mean():
    (run,) = read_results([SAVED]).runs

    (path,) = SAVED.glob("*.json")
    means = {
        benchmark["fullname"]: benchmark["stats"]["mean"]
        for benchmark in loaded(path)["benchmarks"]
    }
    assert {name: process.middle for name, (process,) in run.processes.items()} == means
    assert all(len(process.seconds) == 0 for (process,) in run.processes.values())


@pytest.mark.parametrize(
    ("info", "commit"),
    [
        ({"id": "abc", "dirty": True}, "abc-dirty"),
        ({"id": "unversioned"}, ""),
        ({"id": 7}, ""),
        (None, ""),
    ],
)
def test_what_was_not_committed_is_no_commit(tmp_path, info, commit):
    document = loaded(PYTEST) | {"commit_info": info}

    assert read_results([write_input(tmp_path, document)]).runs[0].commit == commit


def test_processes_of_pyperf_are_told_apart_and_their_warm_ups_are_no_values():
    results = read_results([PYPERF / "one.json"])

    (run,) = results.runs
    stored = loaded(PYPERF / "one.json")["benchmarks"]
    assert results.harness == "pyperf"
    assert results.benchmark_names == ("total 100", "total 1000")
    for name, benchmark in zip(results.benchmark_names, stored, strict=True):
        assert [list(process.seconds) for process in run.processes[name]] == [
            stored_run["values"] for stored_run in benchmark["runs"]
        ]
        assert [list(process.warmups) for process in run.processes[name]] == [
            [value for _, value in stored_run["warmups"]] for stored_run in benchmark["runs"]
        ]
    assert dict(run.host.facts)["cores"] == "2"


def test_a_compressed_file_is_told_by_its_content(tmp_path):
    shutil.copy(PYPERF / "two.json.gz", tmp_path / "two.dat")
    (tmp_path / "three.json").write_bytes(gzip.compress(PYTEST.read_bytes()))

    assert read_results([tmp_path / "two.dat"]).runs[0].processes == (
        read_results([PYPERF / "two.json.gz"]).runs[0].processes
    )
    assert read_results([tmp_path / "three.json"]).harness == "pytest"


def test_processes_of_pyperf_that_calibrate_are_none(tmp_path):
    document = loaded(PYPERF / "one.json")
    runs = document["benchmarks"][0]["runs"]
    runs.insert(0, {"metadata": {"calibrate_loops": 64}, "warmups": [[64, 1e-6]]})

    (run,) = read_results([write_input(tmp_path, document)]).runs

    assert len(run.processes["total 100"]) == 3


def test_a_benchmark_of_pyperf_alone_has_its_name_at_the_top(tmp_path):
    document = loaded(PYPERF / "one.json")
    (only, *_) = document["benchmarks"]
    document["benchmarks"] = [only]
    document["metadata"] |= only.pop("metadata")

    assert read_results([write_input(tmp_path, document)]).benchmark_names == ("total 100",)


def test_units_of_pyperf_that_are_no_seconds_are_left_out(tmp_path):
    document = loaded(PYPERF / "one.json")
    document["benchmarks"][0]["metadata"]["unit"] = "byte"

    results = read_results([write_input(tmp_path, document)])

    assert (results.benchmark_names, results.left_out) == (("total 1000",), ("total 100",))


def test_the_choices_of_asv_are_named_as_our_own_listing_names_them():
    results = read_results([ASV])

    assert results.harness == "asv"
    assert results.benchmark_names[4:] == (
        "rings.Suite.time_total(20, 'a')", "rings.Suite.time_total(20, 'b')",
        "rings.Suite.time_total(100, 'a')", "rings.Suite.time_total(100, 'b')",
        "rings.time_plain",
    )  # fmt: skip
    assert results.left_out == ("rings.mem_list", "rings.track_size")


def test_samples_of_asv_are_values_and_its_result_is_their_median():
    (run,) = read_results([ASV], FIRST[:6]).runs

    (process,) = run.processes["rings.time_plain"]
    row = dict(
        zip(
            loaded(asv_file(FIRST))["result_columns"],
            loaded(asv_file(FIRST))["results"]["rings.time_plain"],
            strict=False,
        )
    )
    assert list(process.seconds) == row["samples"][0]
    assert process.middle == row["result"][0]


def test_what_failed_under_asv_has_no_values():
    (run,) = read_results([ASV], SECOND).runs

    (failed,) = run.processes["rings.Suite.time_fails(20, 'b')"]
    (skipped,) = run.processes["rings.Suite.time_total(100, 'b')"]
    assert isinstance(failed.failure, Unreadable)
    assert isinstance(skipped.failure, Skipped)
    assert (len(failed.seconds), failed.middle, skipped.middle) == (0, None, None)


def test_a_file_of_asv_alone_tells_times_by_their_calls(tmp_path):
    shutil.copy(asv_file(FIRST), tmp_path / "alone.json")

    results = read_results([tmp_path / "alone.json"])

    assert results.left_out == ("rings.mem_list", "rings.track_size")
    assert "rings.time_plain" in results.benchmark_names


def test_of_several_commits_the_newest_is_taken_and_the_others_named():
    newest = read_results([ASV])

    assert (newest.commit_ids, newest.older) == ((SECOND,), (FIRST,))
    assert (read_results([ASV], FIRST[:4]).commit_ids, read_results([ASV], FIRST[:4]).older) == (
        (FIRST,),
        (),
    )


def test_files_that_are_named_are_all_taken():
    assert read_results([asv_file(FIRST), asv_file(SECOND)]).commit_ids == (FIRST, SECOND)


def test_a_file_counts_once_however_it_is_named(tmp_path):
    assert len(read_results([PYTEST, PYTEST.parent / "." / PYTEST.name, SAVED]).runs) == 2


@pytest.mark.parametrize("commit", ["abc", "b", ""])
def test_a_commit_that_is_not_clear_is_refused(commit):
    assert "be57ad873551" in refused(ASV, commit=commit)


def test_a_folder_of_two_machines_is_refused(tmp_path):
    shutil.copytree(ASV, tmp_path / "asv")
    document = loaded(asv_file(SECOND))
    document["params"]["machine"] = "other"
    (tmp_path / "asv" / "other").mkdir()
    write_input(tmp_path / "asv" / "other", document)

    assert "different machines or environments" in refused(tmp_path / "asv")


def test_two_tools_at_once_are_refused():
    assert "of pytest-benchmark" in refused(PYTEST, PYPERF)


def test_an_empty_folder_is_refused(tmp_path):
    assert "holds no result file" in refused(tmp_path)


def test_a_folder_of_other_files_is_refused(tmp_path):
    write_input(tmp_path, {"name": "package"})

    assert "no result of pytest-benchmark, asv, pyperf" in refused(tmp_path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert "it does not exist" in refused(tmp_path / "absent.json")
    assert "it is not a regular file" in refused(Path("/dev/null"))


def test_what_is_a_table_is_not_taken_for_a_stored_result(tmp_path):
    table = write_input(tmp_path, "0;Baseline;b;1\n", "in.csv")

    assert [is_stored(path) for path in (table, tmp_path / "no", tmp_path, PYTEST)] == [
        False, False, True, True,
    ]  # fmt: skip


def edited(path, *way, to):
    """The document in a file with another value at a place."""
    document = loaded(path)
    inner = document
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = to
    return document


@pytest.mark.parametrize(
    ("path", "way", "message", "expected"),
    [
        (asv_file(FIRST), ("params", "ram"), "8151276", {"memory": "8 GiB"}),
        (asv_file(FIRST), ("params", "ram"), "16GB", {"memory": "16GB"}),
        (
            PYPERF / "one.json",
            ("metadata", "cpu_config"),
            "0-3=driver:intel_pstate, intel_pstate:no turbo, governor:powersave; idle:intel_idle",
            {"governor": "powersave", "turbo": "off"},
        ),
        (
            PYPERF / "one.json",
            ("metadata", "cpu_config"),
            "0=governor:performance, intel_pstate:turbo; 1=governor:powersave",
            {"governor": "performance, powersave", "turbo": "on"},
        ),
        (
            PYPERF / "one.json",
            ("metadata", "cpu_config"),
            "idle:haltpoll",
            {"governor": "unknown", "turbo": "unknown"},
        ),
    ],
)
def test_what_decides_how_fast_a_machine_is_is_read(tmp_path, path, way, message, expected):
    results = read_results([write_input(tmp_path, edited(path, *way, to=message))])

    facts = dict(results.runs[0].host.facts)
    assert {key: facts[key] for key in expected} == expected


RESULTS = ("results", "rings.time_plain")
STATS = ("benchmarks", 0, "stats")
HOSTILE = {
    "another list": (edited(PYTEST, "benchmarks", to={}), "benchmarks is an object, but must be"),
    "no entry": (edited(PYTEST, "benchmarks", 0, to=None), "benchmarks[0] is missing"),
    "no name": (edited(PYTEST, "benchmarks", 0, "fullname", to=7), "benchmarks[0].fullname is"),
    "no stats": (edited(PYTEST, *STATS, to="x"), "stats is a text, but must be an object"),
    "texts": (edited(PYTEST, *STATS, "data", to=["1"]), "stats.data is a text, but must be"),
    "truth": (edited(PYTEST, *STATS, "data", to=[True]), "is a truth value, but must be a number"),
    "no mean": (edited(PYTEST, *STATS, to={}), "stats.mean is missing, but must be a number"),
    "twice": (
        edited(PYTEST, "benchmarks", to=[loaded(PYTEST)["benchmarks"][0]] * 2),
        "exists twice",
    ),
    "nothing": (edited(PYTEST, "benchmarks", to=[]), "holds no times of any benchmark"),
    "old pyperf": (edited(PYPERF / "one.json", "version", to=6), "pyperf convert"),
    "no pyperf name": (
        edited(PYPERF / "one.json", "benchmarks", 0, "metadata", to={}), "metadata.name is missing",
    ),
    "pyperf values": (
        edited(PYPERF / "one.json", "benchmarks", 0, "runs", 0, "values", to=[[]]), "is a list",
    ),
    "old asv": ({"results": {}, "commit_hash": FIRST}, "asv update"),
    "no columns": (edited(asv_file(FIRST), "result_columns", to=["x"]), "lacks 'result'"),
    "no row": (edited(asv_file(FIRST), *RESULTS, to=3), "is a number, but must be a list"),
    "too few": (edited(asv_file(FIRST), *RESULTS, 0, to=[]), "must have one value for each"),
    "too many choices": (
        edited(asv_file(FIRST), *RESULTS, 1, to=[["1"] * 100] * 4), "more than 100000 parameter",
    ),
    "another file": ({"name": "package"}, "no result of pytest-benchmark, asv, pyperf"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "cut off": (PYTEST.read_text()[:3000], "no JSON, or cut off"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "no JSON, or cut off"),
    "a list": ("[]", "an empty list, so nothing was measured"),
    "empty": ("", "it is empty"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_bad_file_is_refused_in_one_line_that_names_it(tmp_path, content, message):
    line = refused(write_input(tmp_path, content))

    assert line.startswith(f"{tmp_path / 'in.json'}")
    assert message in line


NO_TIMES = {"NaN": float("nan"), "infinity": float("inf"), "negative": -1e-6, "huge": 10**400}


@pytest.mark.parametrize("value", NO_TIMES.values(), ids=NO_TIMES)
@pytest.mark.parametrize(
    ("path", "way"),
    [
        (PYTEST, (*STATS, "data")),
        (PYPERF / "one.json", ("benchmarks", 0, "runs", 0, "values")),
        (asv_file(FIRST), (*RESULTS, 11, 0)),
    ],
    ids=["pytest-benchmark", "pyperf", "asv"],
)
def test_a_value_that_is_no_time_fails_its_benchmark_alone(tmp_path, path, way, value):
    (run,) = read_results([write_input(tmp_path, edited(path, *way, to=[value]))]).runs

    failed = {name for name, all_ in run.processes.items() for process in all_ if process.failure}
    (original_run,) = read_results([path]).runs
    before = {
        name for name, all_ in original_run.processes.items() for process in all_ if process.failure
    }
    assert len(failed - before) == 1
    assert set(run.processes) == set(original_run.processes)


def test_the_choices_of_all_benchmarks_of_asv_are_counted_together(tmp_path):
    document = loaded(asv_file(FIRST))
    sixty_thousand = [["1"] * 100, ["1"] * 100, ["1"] * 6]
    for name in ("rings.Suite.time_fails", "rings.time_plain"):
        document["results"][name][:2] = None, sixty_thousand
        document["results"][name][document["result_columns"].index("samples")] = None

    assert "more than 100000 parameter" in refused(write_input(tmp_path, document))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "in.json").write_bytes(b'{"benchmarks": "\xff"}')

    assert "not UTF-8" in refused(tmp_path / "in.json")


def test_a_time_that_was_rounded_to_nothing_makes_its_process_unreadable(tmp_path):
    document = edited(PYTEST, *STATS, "data", to=[0.0, 1e-6])

    (run,) = read_results([write_input(tmp_path, document)]).runs

    (process,) = run.processes["test_ring.py::test_total[100]"]
    assert process.failure == Unreadable("1 of 2 values cannot be times: 0.0", "")


def test_half_a_character_in_a_name_becomes_an_escape(tmp_path):
    document = edited(PYTEST, "benchmarks", 0, "fullname", to="a\ud800b")

    assert "a\\ud800b" in read_results([write_input(tmp_path, document)]).benchmark_names


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1 << 20)
    with gzip.open(tmp_path / "in.json.gz", "wb") as packed:
        packed.write(b" " * (1 << 24))

    tracemalloc.start()
    message = refused(tmp_path / "in.json.gz")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert "holds more than 1 MiB" in message
    assert most < 1 << 23


def test_a_large_file_is_not_read(tmp_path):
    with (tmp_path / "in.json").open("wb") as sparse:
        sparse.write(b"{")
        sparse.truncate(files.LARGEST + 2)

    assert "holds more than 256 MiB" in refused(tmp_path / "in.json")


@pytest.mark.parametrize("cut", [3, 200])
def test_a_compressed_file_that_is_cut_off_is_refused(tmp_path, cut):
    (tmp_path / "in.json.gz").write_bytes((PYPERF / "two.json.gz").read_bytes()[:cut])

    assert "broken or cut off" in refused(tmp_path / "in.json.gz")


def test_a_broken_list_of_units_is_named(tmp_path):
    shutil.copytree(ASV, tmp_path / "asv")
    write_input(tmp_path / "asv", "{", "benchmarks.json")

    assert "benchmarks.json: no JSON, or cut off" in refused(tmp_path / "asv" / "box")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["metadata", "name", "runs", "values", "stats", "data", "mean", "fullname",
                         "result", "params", "b"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(inner=JSON, shape=st.sampled_from(["pytest", "asv", "pyperf"]))
def test_no_document_does_more_than_to_be_refused(tmp_path_factory, inner, shape):
    document = {
        "pytest": {"machine_info": inner, "commit_info": inner, "benchmarks": [inner, inner]},
        "asv": {"result_columns": ["result", "params", "samples", "stats_number"],
                "results": {"b": [inner, inner, inner, 1]}, "params": inner, "date": inner},
        "pyperf": {"version": "1.0", "benchmarks": [{"runs": [inner], "metadata": inner}],
                   "metadata": {"name": "b"}},
    }[shape]  # fmt: skip
    path = write_input(tmp_path_factory.mktemp("any"), document)

    try:
        results = read_results([path])
    except UsageError:
        return
    assert results.benchmark_names
