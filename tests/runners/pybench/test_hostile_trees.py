"""Python trees whose files were written to stop or to break what reads them."""

from time import process_time

import pytest

from auditor.core.request import PythonSpec
from runners.pybench.frontends import FRONTENDS
from runners.pybench.needs import of_suite


def examine(tree):
    """Do what is done with a tree before anything of it runs; return what was found."""
    suites = {name: frontend.suite(tree) for name, frontend in FRONTENDS.items()}
    counts = {name: frontend.count(tree) for name, frontend in FRONTENDS.items()}
    return suites, counts, of_suite(PythonSpec(), tree)


def examining_seconds(tree):
    durations = []
    for _ in range(3):
        begin = process_time()
        examine(tree)
        durations.append(process_time() - begin)
    return min(durations)


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

    # Five times the length takes 5 times the time where it is linear, 25 where it is quadratic.
    assert examining_seconds(tmp_path / "10000") < 12 * examining_seconds(tmp_path / "2000")
