"""Python trees whose files were written to stop or to break what reads them."""

import os
from dataclasses import replace

import pytest
from growth import growth

from auditor.core.errors import SourceUnreadable
from auditor.core.files.foreign_files import read_beginning
from auditor.core.jobs import CompletedProcess
from auditor.core.request import PythonSpec
from mutators.python.mutator import PythonMutator
from mutators.python.public import describe_name_problems
from runners.pybench import pytest_options
from runners.pybench.frontends import FRONTENDS
from runners.pybench.harness import PythonHarness
from runners.pybench.needs import find_suite_needs


def examine(tree):
    """Do what is done with a tree before anything of it runs; return what was found."""
    suites = {name: frontend.suite(tree) for name, frontend in FRONTENDS.items()}
    counts = {name: frontend.count(tree) for name, frontend in FRONTENDS.items()}
    return suites, counts, find_suite_needs(PythonSpec(), tree)


def fixture_chain(number):
    text = "".join(f"@fixture\ndef a{n}(a{n - 1}):\n" for n in reversed(range(1, number // 3)))
    return f"{text}@fixture\ndef a0(benchmark):\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bench_it.py", lambda number: "benchmark\n" + "def a(\n" * number),
        ("bench_it.py", lambda number: "benchmark\n" + "def test_a(): 1\n" * number),
        ("bench_it.py", lambda number: "benchmark\n" + "@pytest.fixture\n" * number),
        ("bench_it.py", lambda number: "\n" * 5 * number),
        ("bench_it.py", fixture_chain),
        ("asv.conf.json", lambda number: "\n" * 5 * number),
        ("asv.conf.json", lambda number: '{"benchmark_dir"\n' * number),
    ],
)
def test_the_time_for_a_file_grows_with_its_length(name, text, tmp_path):
    for number in (2_000, 10_000):
        tree = tmp_path / str(number)
        tree.mkdir()
        (tree / name).write_text(text(number))

    # The square of the length would be 25.
    assert growth(lambda number: examine(tmp_path / str(number)), 2_000, 10_000) < 12


def test_the_configuration_is_read_once_for_each_folder(tmp_path, monkeypatch):
    paths = []

    def reading(path):
        paths.append(path)
        return read_beginning(path)

    monkeypatch.setattr(pytest_options, "read_file_head", reading)
    for name in ("test_a.py", "test_b.py", "test_c.py"):
        (tmp_path / name).write_text("def test_it(benchmark): 1\n" * 20)

    assert FRONTENDS["pytest"].count(tmp_path) == 60
    once = len(paths)
    assert len(FRONTENDS["pytest"].suite(tmp_path)) == 3
    assert paths.count(tmp_path / "pytest.ini") == 2
    assert len(paths) == 2 * once


@pytest.mark.parametrize("name", ["asv.conf.json", "noxfile.py", "tox.ini", "requirements.txt"])
@pytest.mark.parametrize("kind", ["folder", "device", "pipe", "dangling"])
def test_what_is_no_file_is_read_as_an_empty_one(kind, name, tmp_path):
    without = examine(tmp_path)
    path = tmp_path / name
    make = {
        "folder": path.mkdir,
        "device": lambda: path.symlink_to("/dev/zero"),
        "pipe": lambda: os.mkfifo(path),
        "dangling": lambda: path.symlink_to("nowhere"),
    }
    make[kind]()

    assert examine(tmp_path) == without


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("noxfile.py", "@nox.session\ndef tests(session):\n    a" + ".a()" * 900 + "\n"),
        ("setup.py", "setup(extras_require={'test': [a" + ".a()" * 900 + "]})\n"),
        ("tox.ini", f"[testenv]\ndeps = -r {'a' * 5000}\n"),
        ("asv.conf.json", f'{{"benchmark_dir": "{"a" * 5000}"}}'),
        ("asv.conf.json", '{"benchmark_dir": "\\u0000", "matrix": {"req": []}}'),
    ],
)
def test_an_odd_file_is_no_error(name, text, tmp_path):
    (tmp_path / name).write_text(text)

    suites, counts, needs = examine(tmp_path)

    assert not any(suites.values())
    assert not any(counts.values())
    assert not any(need.spec.requirements for need in needs)


@pytest.mark.parametrize(
    "line", ["{", "[" * 100_000, "1", '{"benchmark": 1}', '{"unusable": "a", "why": []}', "{}"]
)
def test_a_listing_that_the_suite_wrote_over_is_refused(line, ring, tmp_path):
    frontend = replace(FRONTENDS["asv"], listings=lambda _: [[]])

    def ask(invocation):
        (path,) = invocation.collects
        return CompletedProcess(exit_code=0, files={path: line.encode()})

    with pytest.raises(
        SourceUnreadable, match="the suite overwrote the file of its benchmark list"
    ):
        PythonHarness(frontend).discover_suite(ring.project, tmp_path, ask)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (CompletedProcess(exit_code=None, seconds=120), "it was ended after 120 s"),
        (
            CompletedProcess(exit_code=3, stderr=b"a\nno display"),
            "its process ended with 3: no display",
        ),
        (CompletedProcess(exit_code=0), "its process ended with 0: it wrote nothing"),
    ],
)
def test_a_library_that_cannot_be_imported_is_read_and_it_is_said(answer, reason, ring, tmp_path):
    harness = PythonHarness(FRONTENDS["pytest"])

    sources = harness.read_sources(ring.project, tmp_path, lambda _: answer)

    (note,) = describe_name_problems(sources)
    assert note.endswith(f"its public names are those of its sources: {reason}")
    assert any(method.public for method in PythonMutator().find_methods(sources))
