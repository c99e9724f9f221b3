"""Files that are no results, or none of use, among those that are; and what is no file at all."""

import gzip
import json
import os
from pathlib import Path

import pytest

from auditor.core.errors import UsageError
from auditor.importers import files
from auditor.importers.reading import is_stored, read_results

RECORDED = Path(__file__).parent / "recorded"
JMH, LOG = RECORDED / "jmh" / "small.json", RECORDED / "jmh" / "small.log"
PYTEST = Path(__file__).parents[2] / "runners/pybench/recorded/pytest-benchmark/with-data.json"


def session(path, **more):
    """A file of pytest-benchmark with other keys, no copy of another."""
    path.write_text(json.dumps(json.loads(PYTEST.read_text()) | {"file": path.name} | more))
    return path


def odd_of(results):
    (caveat,) = [caveat for caveat in results.caveats if caveat.slug == "odd-files"]
    return caveat.text


ODD = {
    "empty": ("", "it is empty"),
    "cut off": (PYTEST.read_text()[:2000], "no JSON, or cut off"),
    "no benchmarks": (json.dumps(json.loads(PYTEST.read_text()) | {"benchmarks": []}), "no times"),
    "another tool": (JMH.read_text(), "it is of JMH (JSON), the others of pytest-benchmark"),
    "another program": ('{"name": "package"}', "its format is unknown"),
    "a summary": ("Benchmark   Mode  Cnt  Score  Error  Units\n", "JMH's last table"),
}


@pytest.mark.parametrize("is_folder", [True, False], ids=["folder", "named"])
@pytest.mark.parametrize(("content", "message"), ODD.values(), ids=ODD)
def test_an_odd_file_takes_no_other_with_it(tmp_path, content, message, is_folder):
    good = [session(tmp_path / f"{number}.json") for number in (1, 3)]
    (tmp_path / "2.json").write_text(content)

    results = read_results([tmp_path] if is_folder else [good[0], tmp_path / "2.json", good[1]])

    assert [run.name for run in results.runs] == ["1.json", "3.json"]
    assert odd_of(results).startswith("a file was left out: 2.json: ")
    assert message in odd_of(results)


@pytest.mark.parametrize("is_folder", [True, False], ids=["folder", "named"])
def test_a_copy_of_a_file_is_no_further_run(tmp_path, is_folder):
    first = session(tmp_path / "1.json")
    copies = [tmp_path / name for name in ("2.json", "3.json.gz")]
    copies[0].write_bytes(first.read_bytes())
    copies[1].write_bytes(gzip.compress(first.read_bytes()))
    last = session(tmp_path / "4.json")

    results = read_results([tmp_path] if is_folder else [first, *copies, last])

    assert [run.name for run in results.runs] == ["1.json", "4.json"]
    assert odd_of(results) == (
        f"2 files were left out: 2.json: it is a copy of {first}; 3.json.gz: it is a copy of "
        f"{first}"
    )


def test_a_file_without_a_commit_is_named_where_others_have_one(tmp_path):
    for number in (1, 2):
        session(tmp_path / f"{number}.json")
    session(tmp_path / "old.json", commit_info={}, datetime="2015-11-27T10:00:00")

    results = read_results([tmp_path])

    assert len(results.runs) == 2
    assert "old.json: it names no commit" in odd_of(results)


def test_all_that_is_odd_is_counted_and_the_first_ones_are_named(tmp_path):
    session(tmp_path / "a.json")
    for number in range(5):
        (tmp_path / f"b{number}.json").write_text("")

    assert odd_of(read_results([tmp_path])).startswith("5 files were left out: b0.json")
    assert odd_of(read_results([tmp_path])).endswith("; and 2 more")


def test_nothing_but_odd_files_is_refused_with_the_reason_of_the_first(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("")

    with pytest.raises(UsageError, match=r"a\.json: it is empty.*\(and 1 more"):
        read_results([tmp_path])


def test_half_of_one_format_and_half_of_another_are_refused(tmp_path):
    for name, content in (("a.json", JMH), ("b.log", LOG)):
        (tmp_path / name).write_bytes(content.read_bytes())

    with pytest.raises(UsageError, match=r"a\.json is of JMH \(JSON\), .*b\.log of JMH \(log\)"):
        read_results([tmp_path])


def make_odd_file(folder, kind):
    path = folder / "odd.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(PYTEST)
    else:
        with path.open("w") as file:
            file.truncate(3 << 30)
    return path


KINDS = {
    "pipe": "not a regular file",
    "link": "it is a symbolic link",
    "huge": "holds more than 2048 MiB",
}


@pytest.mark.parametrize(("kind", "message"), KINDS.items(), ids=KINDS)
def test_what_is_no_small_regular_file_is_refused_when_named(tmp_path, kind, message):
    path = make_odd_file(tmp_path, kind)

    with pytest.raises(UsageError, match=message) as refused:
        read_results([path])

    assert str(path) in str(refused.value)


@pytest.mark.parametrize(("kind", "message"), KINDS.items(), ids=KINDS)
def test_the_same_is_left_out_of_a_folder(tmp_path, kind, message):
    session(tmp_path / "a.json")
    make_odd_file(tmp_path, kind)

    results = read_results([tmp_path])

    assert [run.name for run in results.runs] == ["a.json"]
    assert f"odd.json: {message}" in odd_of(results).replace("it is not", "not")


def test_a_folder_that_is_a_link_is_not_looked_into(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    session(outside / "theirs.json")
    session(inside / "mine.json")
    (inside / "way").symlink_to(outside)

    assert [run.name for run in read_results([inside]).runs] == ["mine.json"]


def test_a_text_that_grows_too_large_when_it_is_unpacked_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST_TEXT", 1000)
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(b"benchmark,fork,iteration,seconds\n" + b"a,1,1,1\n" * 200))

    with pytest.raises(UsageError, match="holds more than"):
        read_results([path])
    assert is_stored(path)
