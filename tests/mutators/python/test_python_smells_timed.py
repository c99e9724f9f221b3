"""Rules about the code that is timed: set-up, I/O, and lazy objects nobody consumes."""

import textwrap

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.lint_rules.linter import PythonLinter


def look(text, path="tests/test_it.py", **modules):
    files = {path: text} | {
        f"{name.replace('__', '/')}.py": module_text for name, module_text in modules.items()
    }
    findings = PythonLinter().find_smells(
        SourceFile(
            path=file_path, unit="", role=SourceRole.BENCHMARKS, text=textwrap.dedent(code).encode()
        )
        for file_path, code in files.items()
    )
    assert findings.unread == ()
    return [(smell.rule, smell.span.first_line, smell.text) for smell in findings.smells]


def timed(*lines, name="test_parse", head=""):
    """Return a test whose timed function has some lines; the first is line 4."""
    body = "".join(f"        {line}\n" for line in lines)
    imports = f"import json, random, re, time; {head}\n"
    return f"{imports}def {name}(benchmark):\n    def run():\n{body}    benchmark(run)\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("import pack", "pack.f()"), "`import pack` is run by every timed call"),
        (("from pack import f", "f()"), "`from pack import f` is run by every timed call"),
        (("f(random.random())",), "`random.random()` makes random data inside"),
        (("x = random.randint(1, 9)", "f(x)"), "each call measures other data"),
        (("f([random.random() for _ in range(9)])",), "`random.random()` makes random data"),
        (("data = [i * i for i in range(1000)]", "f(data)"), "`data` is made of constants"),
        (("data = list(range(SIZE))", "f(data)"), "`data` is made of constants"),
        (("data = 'x' * 1_000_000", "f(data)"), "`data` is made of constants"),
        (("data = np.arange(1_000_000)", "f(data, 3)"), "`data` is made of constants"),
        (("data = json.loads('[1, 2]')", "f(data)"), "`data` is made of constants"),
        ((f"data = {list(range(60))}", "f(data)"), "`data` is made of constants"),
    ],
)
def test_set_up_inside_the_timed_function_is_found(lines, message):
    name = "test_sum"
    result = look(timed(*lines, name=name, head="SIZE = 5000; import numpy as np"))

    assert [finding[:2] for finding in result] == [("py-setup-in-timed", 4)]
    assert message in result[0][2]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("test_import_pack", ("import pack",)),
        ("test_random_numbers", ("f(random.random())",)),
        ("test_sum", ("return random.random()",)),
        ("test_sum", ("for _ in range(9):", "    f(random.random())")),
        ("test_sum", ("f(random.choice(data))",)),
        ("test_create_list", ("data = [i for i in range(1000)]", "f(data)")),
        ("test_sum", ("data = [i for i in range(10)]", "f(data)")),
        ("test_sum", ("data = [i for i in source]", "f(data)")),
        ("test_sum", ("data = [i for i in range(1000)]", "return data")),
        ("test_sum", ("data = [i for i in range(1000)]", "data.sort()", "f(data)")),
        ("test_sum", ("data = [i for i in range(1000)]", "f(data)", "return data[0]")),
        ("test_sum", ("data = list(range(n))", "f(data)")),
        ("test_sum", ("data = [make() for i in range(1000)]", "f(data)")),
        ("test_sum", ("data = [1, 2, 3]", "f(data)")),
        ("test_sum", ("data = [0] * 100", "f(data)")),
        ("test_parse_json", ("data = json.loads('[1, 2]')", "f(data)")),
        ("test_regex", ("p = re.compile('a')", "f(p)")),
        ("test_sum", ("data = (i for i in range(1000))", "f(data)")),
    ],
)
def test_what_is_measured_or_small_or_not_constant_is_left_alone(name, lines):
    assert look(timed(*lines, name=name)) == []


def test_a_file_or_class_that_is_named_after_it_is_left_alone():
    text = timed("import pack", "pack.f()", name="test_all")

    assert len(look(text)) == 1
    assert look(text, path="tests/test_import.py") == []


def test_set_up_in_time_methods_and_in_tests_of_codspeed_is_found():
    asv = """
    class Sums:
        def setup(self): ...
        def time_sum(self):
            import pack
            pack.f()
        def track_sum(self):
            import pack
    """
    marked_test = """
    import pytest_codspeed, pytest
    @pytest.mark.benchmark
    def test_sum():
        import pack
        pack.f()
    """

    assert [finding[:2] for finding in look(asv, path="benchmarks/sums.py")] == [
        ("py-setup-in-timed", 5)
    ]
    assert [finding[:2] for finding in look(marked_test)] == [("py-setup-in-timed", 5)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("print(parse(1))",), "`print(parse(1))` writes to standard output"),
        (("with open(name) as f:", "    parse(f)"), "`open(name)` opens a file"),
        (("parse(path.read_text())",), "`path.read_text()` reads a file"),
        (("path.write_bytes(parse(1))",), "writes a file"),
        (("time.sleep(0.1)", "parse(1)"), "`time.sleep(0.1)` sleeps"),
        (("parse(requests.get(url).json())",), "waits for the network"),
        (("parse(urllib.request.urlopen(url))",), "waits for the network"),
        (("subprocess.run(['x'])", "parse(1)"), "starts a process"),
        (("logger.warning('x')", "parse(1)"), "writes to the log"),
    ],
)
def test_io_beside_what_is_measured_is_found(lines, message):
    result = look(timed(*lines, head="import requests, subprocess, urllib.request"))

    assert [finding[:2] for finding in result] == [("py-io-in-timed", 4)]
    assert message in result[0][2]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("test_read", ("with open(name) as f:", "    parse(f)")),
        ("test_parse_file", ("parse(path.read_text())",)),
        ("test_save_all", ("path.write_bytes(parse(1))",)),
        ("test_parse", ("requests.get(url)",)),
        ("test_parse", ("time.sleep(0.1)",)),
        ("test_wait", ("time.sleep(0.1)", "parse(1)")),
        ("test_parse", ("print(parse(1), file=out)",)),
        ("test_parse", ("logger.debug('x')", "parse(1)")),
        ("test_parse", ("book.open(name)", "parse(1)")),
        ("test_parse", ("def later():", "    print(parse(1))", "parse(later)")),
    ],
)
def test_io_that_is_the_subject_is_left_alone(name, lines):
    assert look(timed(*lines, name=name, head="import requests")) == []


def test_names_of_ones_own_are_not_the_builtins():
    assert look(timed("print(parse(1))", head="from mine import print")) == []
    assert look(timed("open(parse(1))", head="open = make()")) == []


LAZY = """
import itertools
def numbers(n):
    for i in range(n):
        yield i
async def wait(): ...
def plain(n): return [n]
@contextmanager
def managed(): yield 1
def test_it(benchmark):
    {line}
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("benchmark(numbers, 3)", "`numbers` is a generator function"),
        ("benchmark(wait)", "`wait` is a coroutine function"),
        ("benchmark(map, str, [1])", "`map` is lazy"),
        ("benchmark(lambda: (x for x in [1]))", "a generator expression that nobody consumes"),
        ("benchmark(lambda: filter(None, [1]))", "`filter(None, [1])` is lazy"),
        ("benchmark(lambda: numbers(3))", "`numbers(3)` is a generator function"),
        ("benchmark(itertools.chain, [1])", "`itertools.chain` is lazy"),
        ("benchmark.pedantic(numbers, args=(3,), rounds=5)", "`numbers` is a generator function"),
    ],
)
def test_what_nobody_consumes_is_found(line, message):
    result = look(LAZY.format(line=line))

    assert [finding[:2] for finding in result] == [("py-unused-generator", 11)]
    assert message in result[0][2]


@pytest.mark.parametrize(
    "line",
    [
        "benchmark(lambda: list(numbers(3)))",
        "benchmark(lambda: sum(x for x in [1]))",
        "benchmark(plain, 3)",
        "benchmark(managed)",
        "benchmark(sorted, [1])",
        "numbers = make(); benchmark(numbers, 3)",
        "benchmark(lambda: [x for x in [1]])",
        "benchmark(obj.numbers, 3)",
        "benchmark(imported)",
        "benchmark(lambda: dict(zip('a', 'b')))",
    ],
)
def test_what_is_consumed_or_not_seen_is_left_alone(line):
    assert look(LAZY.format(line=line)) == []


def test_generators_inside_the_test_and_in_the_project_are_found():
    text = """
    from pack.tools import walk, stream
    def test_decorated(benchmark):
        @benchmark
        def run():
            yield 1
    def test_alias(benchmark):
        bench = benchmark
        @bench
        def run():
            yield 1
    def test_project(benchmark):
        benchmark(walk, 3)
    def test_again(benchmark):
        benchmark(stream, 3)
    """
    tools = "def walk(n):\n    yield n\ndef stream(n):\n    return n\n"

    result = look(text, pack__tools=tools)
    assert [finding[:2] for finding in result] == [
        ("py-unused-generator", 5),
        ("py-unused-generator", 10),
        ("py-unused-generator", 13),
    ]


def test_time_methods_that_yield_or_wait_measure_nothing():
    text = """
    class Walks:
        def setup(self): ...
        def time_walk(self):
            yield 1
        async def time_wait(self):
            await x
        def time_map(self):
            map(str, [1])
        def time_list(self):
            list(map(str, [1]))
    """

    result = look(text, path="benchmarks/walks.py")
    assert [finding[:2] for finding in result] == [
        ("py-unused-generator", line) for line in (4, 6, 9)
    ]


def test_coroutines_of_pyperf_are_awaited():
    text = """
    import pyperf
    async def wait(): ...
    runner = pyperf.Runner()
    runner.bench_async_func("a", wait)
    runner.bench_func("b", wait)
    """

    result = look(text, path="bench.py")
    assert [finding[:2] for finding in result] == [("py-unused-generator", 6)]


def test_strings_of_code_are_looked_at_where_they_are_given():
    text = """
    import pyperf
    runner = pyperf.Runner()
    runner.timeit("a", stmt="import os; os.getpid()")
    runner.timeit("b", stmt="len([])")
    """

    result = look(text, path="bench.py")
    assert [finding[:2] for finding in result] == [("py-setup-in-timed", 4)]
