"""Which functions are benchmarks, and what the linter makes of odd and hostile files."""

import textwrap

import pytest

from auditor.core.contracts.lint import Linter, SourceFindings
from auditor.core.request import FolderSpec
from auditor.core.subject import SourceFile, SourceRole
from mutators.python.lint_rules.linter import PythonLinter
from mutators.python.lint_rules.rules import RULES
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.subjects.sources import read_subject_sources


def source(text, path="tests/test_it.py"):
    if isinstance(text, str):
        text = textwrap.dedent(text).lstrip("\n").encode()
    return SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text)


def look(**files):
    """Look at files by path: two underscores stand for a slash, `.py` is added."""
    return PythonLinter().find_smells(
        [source(text, path.replace("__", "/") + ".py") for path, text in files.items()]
    )


SORTED = """
def test_sort(benchmark):
    data = [3, 1, 2]
    benchmark(data.sort)
"""


def test_it_is_a_linter_whose_rules_have_ids_of_their_own():
    linter: Linter = PythonLinter()

    assert linter.comment_prefix == "#"
    assert linter.rules == RULES
    assert len({rule.id for rule in RULES}) == len(RULES) == 10
    assert all(rule.id.startswith("py-") for rule in RULES)


def test_benchmarks_of_pytest_have_the_fixture():
    result = look(
        tests__test_it="""
        import pytest

        def test_push(benchmark):
            benchmark(len, [])

        async def test_async(benchmark): ...

        def bench_pop(benchmark, size): ...

        def test_plain(): ...

        def helper(benchmark): ...

        @pytest.fixture
        def test_data(benchmark): ...

        class TestQueue:
            def test_pop(self, benchmark): ...
            def test_other(self): ...
        """
    )

    assert result == SourceFindings(
        benchmarks=("test_push", "test_async", "bench_pop", "TestQueue.test_pop"), smells=()
    )


def test_a_marker_makes_a_benchmark_where_codspeed_reads_it():
    marked = """
    import pytest

    @pytest.mark.benchmark
    def test_push(): ...

    @pytest.mark.benchmark(group="x")
    class TestQueue:
        def test_pop(self): ...

    def test_plain(): ...
    """
    marked_module = """
    import pytest
    pytestmark = [pytest.mark.slow, pytest.mark.benchmark()]
    def test_all(): ...
    """

    assert look(test_it=marked).benchmarks == ()
    result = look(test_it=marked, conftest="import pytest_codspeed\n", test_whole=marked_module)
    assert result.benchmarks == ("test_push", "TestQueue.test_pop", "test_all")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[dependency-groups]\ndev = ["pytest-codspeed>=3"]\n'),
        ("requirements-dev.txt", "pytest-codspeed==3.0\n"),
        ("requirements/bench.txt", "pytest-codspeed\n"),
        ("tox.ini", "[testenv]\ndeps = pytest-codspeed\n"),
        (".github/workflows/codspeed.yml", "uses: CodSpeedHQ/action@v3\n"),
        ("noxfile.py", "session.install('pytest-codspeed')\n"),
    ],
)
def test_what_a_project_needs_says_that_codspeed_reads_markers(tmp_path, path, text):
    test = "import pytest\n\n@pytest.mark.benchmark\ndef test_push(): ...\n"
    for name, file_text in ((path, text), ("tests/test_it.py", test)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(file_text)
    read = read_subject_sources(
        FolderSpec(tmp_path),
        PythonLinter().file_suffixes,
        home=HomeFolder(tmp_path / "home"),
        host=LocalHost(SystemClock()),
        environment=(),
    )

    findings = PythonLinter().find_smells(read.files)

    assert {file.path for file in read.files} == {path, "tests/test_it.py"}
    assert findings == SourceFindings(benchmarks=("test_push",), smells=())


def test_what_a_project_needs_is_no_python():
    text = "def test_sort(benchmark):\n    benchmark.pedantic(f\n"
    needs = [source(text, path) for path in ("pyproject.toml", "requirements.txt")]

    assert PythonLinter().find_smells(needs) == SourceFindings(benchmarks=(), smells=())
    assert not any(PythonLinter().may_hold(need) for need in needs)


def test_benchmarks_of_one_name_count_once_for_each_file():
    result = look(a__test_it=SORTED + SORTED, b__test_it=SORTED)

    assert result.benchmarks == ("test_sort", "test_sort")


def test_a_fixture_of_the_projects_own_is_not_ours():
    own_fixture = "import pytest\n@pytest.fixture\ndef benchmark(): ...\n"

    assert look(a__conftest=own_fixture, a__b__test_it=SORTED).benchmarks == ()
    assert look(test_it=own_fixture + SORTED).benchmarks == ()
    assert look(a__conftest=own_fixture, c__test_it=SORTED).benchmarks == ("test_sort",)


def test_benchmarks_of_asv_are_in_its_folder_and_have_its_shape():
    suite = """
    class Queues:
        params = [1, 2]
        def setup(self, n): ...
        def time_push(self, n): ...
        def track_size(self, n): ...
        def peakmem_push(self, n): ...
        def helper(self): ...

    class _Base:
        def setup(self): ...
        def time_inherited(self): ...

    class Heaps(_Base):
        pass

    def time_alone(): ...
    """
    names = (
        *("Queues.time_push", "Queues.track_size", "Queues.peakmem_push"),
        *("Heaps.time_inherited", "time_alone"),
    )

    assert look(benchmarks__queues=suite).benchmarks == names
    assert look(asv_bench__benchmarks__queues=suite).benchmarks == names
    assert look(src__queues=suite).benchmarks == ()
    assert look(benchmarks__tool="class Timer:\n    def time_it(self): ...\n").benchmarks == ()
    assert look(benchmarks__a=suite, benchmarks__b="def time_b(): ...\n").benchmarks[-1] == "time_b"


def test_benchmarks_of_pyperf_are_what_a_runner_is_given():
    result = look(
        scripts__bench="""
        import pyperf

        def work(): ...
        def loops(n): ...
        def main():
            runner = pyperf.Runner()
            runner.bench_func("first", work)
            runner.bench_time_func(NAME, loops)
            runner.timeit("third", stmt="sorted(x)", setup="x = []")
            runner.parse_args()
        """,
        other="runner.bench_func('no', work)\n",
    )

    assert result.benchmarks == ("first", "loops", "third")


def test_a_finding_has_the_lines_of_its_place_and_of_its_benchmark():
    result = look(
        tests__test_b="""
        import pytest

        @pytest.mark.slow
        @pytest.mark.parametrize(
            "n", [1])
        def test_sort(benchmark, n):
            data = [3, 1, 2]
            benchmark(
                data.sort,
            )
        """,
        tests__test_a=SORTED,
    )

    first, second = result.smells
    assert (first.span.file, first.span.first_line, first.top) == ("tests/test_a.py", 3, 1)
    assert (second.span.file, second.top) == ("tests/test_b.py", 3)
    assert (second.span.first_line, second.span.last_line) == (8, 10)
    assert second.benchmark == "test_sort"
    assert second.calls is None


def test_findings_are_in_the_order_of_files_and_lines():
    result = look(
        test_b=SORTED + SORTED.replace("test_sort", "test_again"),
        test_a="import json\n" + SORTED,
    )

    places = [(smell.span.file, smell.span.first_line) for smell in result.smells]
    assert places == sorted(places)
    assert len(places) == 3


@pytest.mark.parametrize(
    "text",
    [
        b"def test_it(benchmark):\n    benchmark((\n",
        b"def test_it(benchmark):\n    x = " + b"(" * 5000 + b"1" + b")" * 5000 + b"\n",
        b"def test_it(benchmark):\n    x = " + b"lambda:" * 5000 + b"1\n",
        b"def test_it(benchmark):\n    x = " + b"-" * 5000 + b"1\n",
        b"def test_it(benchmark):\n    x = " + b"f'{" * 5000 + b"1" + b"}'" * 5000 + b"\n",
        b"def test_it[T](benchmark):\n    x = " + b"(" * 5000 + b"1" + b")" * 5000 + b"\n",
        b"def test_it[T](benchmark):\n    x = " + b"1+" * 5000 + b"1\n",
        b"# \xff\xfe\ndef test_it(benchmark):\n    benchmark(len, '\xe9')\n",
        b"def test_it(benchmark):\n    \x00benchmark(len)\n",
        b"# coding: no-such-thing\ndef test_it(benchmark): ...\n",
    ],
)
def test_what_cannot_be_read_is_said_and_the_rest_is_looked_at(text):
    # The names of the files say nothing: the bytes alone show that this one holds a benchmark.
    if b"[T]" in text:
        text = b"@pytest.mark.benchmark\n" + text

    findings = PythonLinter().find_smells([source(text, "test_a.py"), source(SORTED, "test_b.py")])

    assert findings.unread == ("test_a.py",)
    assert [smell.span.file for smell in findings.smells] == ["test_b.py"]


@pytest.mark.parametrize(
    "deep",
    [
        "x = " + "a" + ".b" * 3000,
        "x = " + "+".join("1" * 3000),
        "if a: pass\n" + "elif b: pass\n" * 900,
    ],
)
def test_what_is_deep_in_other_ways_does_no_harm(deep):
    result = look(test_it=deep + "\n" + SORTED)

    assert result.unread in ((), ("test_it.py",))


def test_broken_files_without_a_benchmark_are_no_business_of_ours():
    assert look(a="def broken(:\n", benchmark="# benchmark\nclass (:\n") == SourceFindings(
        benchmarks=(), smells=()
    )


def test_syntax_that_is_newer_than_this_interpreter_is_read():
    result = look(
        test_it="""
        def test_sort[T](benchmark) -> None:
            data = [3, 1, 2]
            benchmark(data.sort)
        """
    )

    assert result.unread == ()
    assert [smell.rule for smell in result.smells] == ["py-mutated-argument"]


def test_nothing_and_empty_files_give_nothing():
    assert PythonLinter().find_smells([]) == SourceFindings(benchmarks=(), smells=())
    assert look(test_it="", test_that="benchmark\n") == SourceFindings(benchmarks=(), smells=())
