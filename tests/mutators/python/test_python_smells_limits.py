"""What a hostile file costs the linter: growth by a ratio, never a time; and no crash."""

import sys

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.lint_rules.linter import PythonLinter

TEST = "tests/test_a.py"


def source(path, text):
    return SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text.encode())


def one_test(number, line):
    return f"def test_{number}(benchmark):\n    {line}\n"


def run(lines):
    return "def test_x(benchmark):\n    def run():\n" + lines + "    benchmark(run)\n"


def imports_and_calls(size):
    head = "".join(f"import m{i}\nfrom p{i}.q import f{i}\n" for i in range(size))
    lines = "".join(f"        random.random(f{i}(x))\n" for i in range(size))
    return {TEST: "import random\n" + head + run(lines)}


def functions_and_references(size):
    large = "def large(xs):\n" + "    xs.append(f(1))\n" * size
    return {TEST: large + "".join(one_test(i, "benchmark(large, [2, 1])") for i in range(size))}


def one_test_of_many_references(size):
    large = "def large():\n" + "    f(1)\n" * size
    return {TEST: large + "def test_x(benchmark):\n" + "    benchmark(large)\n" * size}


def draws_and_tests(size):
    draws = "".join(f"A{i} = range(R.randint(1, 2))\n" for i in range(size))
    tests = "".join(one_test(i, f"benchmark(len, A{i})") for i in range(size))
    return {TEST: "import random\nR = random.Random(1)\n" + draws + tests}


def files(size):
    text = "import random\n" + one_test(1, "benchmark(len, range(random.randint(1, 2)))")
    own_fixture = "import pytest\n@pytest.fixture\ndef benchmark(): ...\n"
    return {f"p{i}/conftest.py": own_fixture for i in range(size)} | {
        f"q{i}/test_a.py": text for i in range(size)
    }


def keys_and_calls(size):
    keys = ", ".join(map(str, range(size)))
    return {TEST: f"S = {{{keys}}}\n" + run("".join(f"        S.add({i})\n" for i in range(size)))}


def clocks(size):
    large = "def large(n):\n    t = pyperf.perf_counter()\n" + "    f(1)\n" * size
    return {"b.py": "import pyperf\n" + large + "runner.bench_time_func('x', large)\n" * size}


def steps(files):
    """Count the calls that a look makes."""
    counted = 0

    def count(frame, event, argument):
        nonlocal counted
        counted += 1

    sources = [source(path, text) for path, text in files.items()]
    sys.setprofile(count)
    try:
        PythonLinter().find_smells(sources)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize(
    "hostile",
    [
        imports_and_calls,
        functions_and_references,
        one_test_of_many_references,
        draws_and_tests,
        files,
        keys_and_calls,
        clocks,
    ],
)
def test_four_times_as_much_costs_no_more_than_seven_times_as_much(hostile):
    assert steps(hostile(400)) < 7 * steps(hostile(100))


@pytest.mark.parametrize(
    "deep",
    [
        "x = " + " and ".join("a" * 20_000),
        "import " + ".".join("a" * 20_000),
        "from " + ".".join("a" * 20_000) + " import b",
        "x = [1 " + "for a in b " * 20_000 + "]",
        "x = " + "'a' " * 20_000,
    ],
)
def test_what_only_libcst_nests_deeply_ends_no_process(deep):
    text = deep + "\ndef test_x(benchmark):\n    benchmark(f)\n"

    assert PythonLinter().find_smells([source(TEST, text)]).unread == (TEST,)


@pytest.mark.parametrize("line", ["a = a.copy()", "a = b[:]\nb = a[:]", "a = a + a", "a = a[:]"])
def test_what_is_made_of_itself_comes_to_an_end(line):
    findings = PythonLinter().find_smells(
        [source(TEST, line + "\n" + one_test(1, "benchmark(a.sort)"))]
    )

    assert findings.benchmarks == ("test_1",)


@pytest.mark.parametrize("odd", ["9" * 5000, "'\\N{no such name}'"])
def test_literals_that_python_refuses_have_no_value(odd):
    text = one_test(1, f"benchmark.pedantic(f, rounds={odd})")

    assert PythonLinter().find_smells([source(TEST, text)]).smells == ()
