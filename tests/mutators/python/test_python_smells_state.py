"""Rules about what a benchmark is handed: changed arguments, rounds, results of calls, seeds."""

import textwrap

import pytest

from auditor.core.contracts.lint import Confidence
from auditor.core.subject import SourceFile, SourceRole
from mutators.python.lint_rules.linter import PythonLinter


def look(text, **modules):
    """Return what is found in `tests/test_it.py`, or where `# path: ` says, one by one."""
    text = textwrap.dedent(text).lstrip("\n")
    path = "tests/test_it.py"
    if text.startswith("# path: "):
        path = text.split("\n", 1)[0].removeprefix("# path: ")
    files = {path: text} | {
        f"{name.replace('__', '/')}.py": textwrap.dedent(module_text)
        for name, module_text in modules.items()
    }
    findings = PythonLinter().find_smells(
        SourceFile(path=file_path, unit="", role=SourceRole.BENCHMARKS, text=code.encode())
        for file_path, code in files.items()
    )
    assert findings.unread == ()
    return [(smell.rule, smell.span.first_line, smell.text) for smell in findings.smells]


def check_finding(rule, line, text, findings):
    """Check that there is one finding, and what it says."""
    assert [finding[:2] for finding in findings] == [(rule, line)]
    assert text in findings[0][2]


def bench(*body):
    return "def test_it(benchmark):\n" + "".join(f"    {line}\n" for line in body)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("data = [3, 1, 2]", "benchmark(data.sort)"), "`data.sort` puts `data` in order"),
        (("data = list(range(9))", "benchmark(data.pop)"), "`data.pop` takes out of `data`"),
        (("data = []", "benchmark(data.append, 1)"), "`data.append` adds to `data`"),
        (("data = {}", "benchmark(data.update, a=1)"), "is there already"),
        (("data = {1} | {2}; s = set()", "benchmark(s.add, 1)"), "`s.add` adds to `s`"),
        (("data = dict(a=1)", "benchmark(data.clear)"), "`data.clear` takes out of"),
        (("import heapq; h = []", "benchmark(heapq.heappush, h, 1)"), "adds to `h`"),
        (("from heapq import heapify; h = [2, 1]", "benchmark(heapify, h)"), "`heapify` puts `h`"),
        (("from collections import deque; d = deque([1])", "benchmark(d.popleft)"), "out of `d`"),
        (("a = [2, 1]", "benchmark(a.copy().sort)"), "puts `a.copy()` in order"),
        (("a = [2, 1]", "benchmark(lambda: a.sort())"), "`a.sort` puts `a` in order"),
        (("a = [0] * 9", "benchmark.pedantic(a.pop, rounds=9)"), "takes out of `a`"),
        (("a = (x for x in 'ab')", "benchmark(list, a)"), "`list` is given `a`, an iterator"),
        (("benchmark(sum, map(int, '123'))",), "`sum` is given `map(int, '123')`"),
        (("a = iter('ab')", "benchmark(lambda: sorted(a))"), "`sorted` is given `a`"),
    ],
)
def test_an_argument_that_the_timed_call_changes_is_found(lines, message):
    result = look(bench(*lines))

    check_finding("py-mutated-argument", len(lines) + 1, message, result)


@pytest.mark.parametrize(
    "lines",
    [
        ("data = [3, 1, 2]", "benchmark(sorted, data)"),
        ("data = [3, 1, 2]", "benchmark(lambda: data[:].sort())"),
        ("data = [3, 1, 2]", "benchmark(data.index, 1)"),
        ("data = [3, 1, 2]", "benchmark(data.reverse)"),
        ("data = frame()", "benchmark(data.sort)"),
        ("data = [1]", "data = frame()", "benchmark(data.sort)"),
        ("benchmark.pedantic(sort, setup=make, rounds=9)",),
        ("a = [1]", "benchmark.pedantic(a.sort, setup=make, rounds=9)"),
        ("a = [1]", "benchmark.pedantic(a.sort, **options)"),
        ("a = []", "benchmark(lambda: (a.append(1), a.pop()))"),
        ("a = []", "@benchmark", "def run():", "    a.append(f(1))"),
        ("a = {}", "@benchmark", "def run():", "    a.update(x=1)", "    del a['x']"),
        ("a = {}", "@benchmark", "def run():", "    a.pop('x', None)", "    a['x'] = 1"),
        ("@benchmark", "def run():", "    a = [2, 1]", "    a.sort()"),
        ("a = [2, 1]", "def run(a):", "    a.sort()", "benchmark(run, frame())"),
        ("a = iter('ab')", "benchmark(next, a)"),
        ("a = ['a']", "benchmark(list, a)"),
        ("a = [2, 1]", "@benchmark", "def run():", "    b = sorted(a)", "    b.sort()"),
    ],
)
def test_what_every_call_gets_anew_or_may_is_left_alone(lines):
    assert look(bench(*lines)) == []


def test_functions_of_the_project_are_read():
    sorting = """
    def bubble(items):
        for i in range(len(items)):
            for j in range(i):
                if items[j] > items[i]:
                    items[i], items[j] = items[j], items[i]

    def bubble_sort(items):
        for i in range(len(items)):
            items[i], items[0] = items[0], items[i]

    def safe_sort(items):
        items = list(items)
        items[0] = 1

    def drain(queue, n):
        queue.pop()

    @cached
    def hidden_sort(items):
        items.sort()
    """
    text = """
    from pack.sorting import bubble, bubble_sort, safe_sort, drain, hidden_sort
    from pack import sorting as s

    def test_found(benchmark, data):
        benchmark(bubble_sort, data)

    def test_found_too(benchmark):
        data = [2, 1]
        benchmark(s.drain, data, 3)

    def test_found_inside(benchmark):
        data = [2, 1]
        benchmark(lambda: bubble_sort(data))

    def test_copied(benchmark, data):
        benchmark(safe_sort, data)

    def test_unknown(benchmark, data):
        benchmark(drain, data, 3)
        benchmark(hidden_sort, [2, 1])
        benchmark(bubble, [2, 1])

    def test_copy_inside(benchmark, data):
        benchmark(lambda: bubble_sort(data.copy()))
    """
    result = look(text, src__pack__sorting=sorting, src__pack____init__="")

    assert [(finding[0], finding[1]) for finding in result] == [
        ("py-mutated-argument", line) for line in (5, 9, 13)
    ]
    assert "`bubble_sort` sorts `data` in place" in result[0][2]


ASV = """
# path: benchmarks/sorting.py
class Sorting:
    {attribute}
    def setup(self):
        self.data = [3, 1, 2]
        self.other = Frame()
    def time_sort(self):
        {line}
"""


def test_what_setup_of_asv_makes_serves_many_calls():
    result = look(ASV.format(attribute="params = [1]", line="self.data.sort()"))

    check_finding("py-mutated-argument", 8, "asv sets up once for many calls", result)


@pytest.mark.parametrize(
    ("attribute", "line"),
    [
        ("number = 1", "self.data.sort()"),
        ("number = N", "self.data.sort()"),
        ("params = [1]", "self.other.sort()"),
        ("params = [1]", "sorted(self.data)"),
        ("params = [1]", "self.data = [2, 1]; self.data.sort()"),
        ("params = [1]", "self.data.append(1); self.data.pop()"),
    ],
)
def test_asv_with_one_call_per_setup_is_left_alone(attribute, line):
    assert look(ASV.format(attribute=attribute, line=line)) == []


def test_arguments_of_pyperf_are_made_once_too():
    result = look(
        """
        import pyperf
        data = [3, 1, 2]
        def sort(): data.sort()
        def loops(n):
            items = [3, 1, 2]
            t0 = pyperf.perf_counter()
            for _ in range(n):
                items.sort()
            return pyperf.perf_counter() - t0
        def fresh(n):
            t0 = pyperf.perf_counter()
            for _ in range(n):
                items = [3, 1, 2]
                items.sort()
            return pyperf.perf_counter() - t0
        runner = pyperf.Runner()
        runner.bench_func("a", sort)
        runner.bench_time_func("b", loops)
        runner.bench_time_func("c", fresh)
        runner.bench_func("d", data.sort)
        """
    )

    assert [finding[:2] for finding in result] == [
        ("py-mutated-argument", line) for line in (3, 8, 20)
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("benchmark.pedantic(f)", "makes, where nothing else is said, one round"),
        ("benchmark.pedantic(f, args=(1,), setup=s)", "makes, where nothing else is said,"),
        ("benchmark.pedantic(f, rounds=1)", "is told to make one round"),
        ("benchmark.pedantic(f, rounds=ONE, iterations=1)", "is told to make one round"),
        ("benchmark.pedantic(f, (), {}, None, None, 1, 0, 1)", "is told to make one round"),
        ("benchmark.pedantic(f, warmup_rounds=5)", "makes, where nothing else is said,"),
    ],
)
def test_one_round_of_one_call_is_found(call, message):
    check_finding("py-one-round", 3, message, look("ONE = 1\n" + bench(call)))
    renamed = bench("bench = benchmark", call.replace("benchmark.", "bench."))
    check_finding("py-one-round", 4, message, look("ONE = 1\n" + renamed))


@pytest.mark.parametrize(
    "call",
    [
        "benchmark(f)",
        "benchmark.pedantic(f, rounds=2)",
        "benchmark.pedantic(f, rounds=1, iterations=1000)",
        "benchmark.pedantic(f, rounds=MANY)",
        "benchmark.pedantic(f, rounds=rounds())",
        "benchmark.pedantic(f, **options)",
        "benchmark.pedantic(f, (), {}, None, None, 5)",
        "other.pedantic(f)",
    ],
)
def test_several_rounds_or_an_unknown_number_are_left_alone(call):
    assert look("MANY = 10\n" + bench(call)) == []


HELPERS = """
import functools
def value(x): return x * 2
def nothing(x): print(x)
async def wait(): ...
def numbers():
    yield 1
def factory(x):
    def run(): return x
    return run
def lazily(x): return lambda: x
def unclear(x):
    if x: return 1
    return factory(x)
@decorated
def hidden(x): return 1
"""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("benchmark(value(3))", "`value(3)` is called once, before anything is timed"),
        ("benchmark(nothing(3))", "`nothing` returns nothing"),
        ("benchmark(wait())", "`wait` returns a coroutine"),
        ("benchmark(numbers())", "`numbers` returns a generator"),
        ("benchmark(sorted([2, 1]))", "`sorted` returns a value"),
        ("benchmark.pedantic(value(3), rounds=5)", "`value` returns a value"),
    ],
)
def test_the_result_of_a_call_is_no_function(call, message):
    check_finding("py-result-of-call", 17, message, look(HELPERS + bench(call)))


@pytest.mark.parametrize(
    "call",
    [
        "benchmark(value, 3)",
        "benchmark(factory(3))",
        "benchmark(lazily(3))",
        "benchmark(unclear(3))",
        "benchmark(hidden(3))",
        "benchmark(functools.partial(value, 3))",
        "benchmark(imported(3))",
        "benchmark(client.request(3))",
        "value = make(); benchmark(value(3))",
        "benchmark(lambda: value(3))",
    ],
)
def test_functions_that_are_made_are_left_alone(call):
    assert look(HELPERS + bench(call)) == []


@pytest.mark.parametrize(
    "line",
    [
        "data = [0 for _ in range(random.randint(10, 30))]",
        "data = 'x' * random.randint(1, 9)",
        "data = [x for x in range(9) if random.random() < 0.5]",
        "data = whole[:random.randrange(100)]",
        "data = make(size=random.randint(1, 9))",
    ],
)
def test_an_amount_that_is_drawn_without_a_seed_is_found(line):
    result = look("import random\n" + bench(line, "benchmark(len, data)"))

    check_finding("py-unseeded-random", 3, "draws how much the inputs hold", result)


def test_unseeded_draws_of_numpy_and_in_shared_set_up_are_found():
    result = look(
        """
        # path: asv_bench/queues.py
        import numpy as np
        rng = np.random.default_rng()
        class Queues:
            def setup(self):
                self.data = list(range(np.random.randint(5, 9)))
            def time_a(self): len(self.data)
            def time_b(self): len(self.data)
        SIZES = range(rng.integers(5, 9))
        """
    )

    assert [finding[:2] for finding in result] == [
        ("py-unseeded-random", 6),
        ("py-unseeded-random", 9),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "import random\nrandom.seed(3)\n" + bench("benchmark(f, range(random.randint(1, 9)))"),
        "import random\n"
        + bench("data = [random.random() for _ in range(9)]", "benchmark(f, data)"),
        "import random\n" + bench("data = random.sample(range(99), 9)", "benchmark(f, data)"),
        "from mine import random\n" + bench("benchmark(f, range(random.randint(1, 9)))"),
        bench("import numpy as np", "r = np.random.default_rng(3)", "f(range(r.integers(9)))"),
        "import random\n" + bench("r = random.Random(3)", "f(range(r.randint(1, 9)))"),
    ],
)
def test_seeded_draws_and_mere_values_are_left_alone(text):
    assert look(text) == []


def test_a_seed_in_a_file_that_runs_before_counts():
    text = "import random\nfrom .common import f\n" + bench("f(range(random.randint(1, 9)))")
    seeded = "import random\nrandom.seed(1)\n"

    assert len(look(text)) == 1
    assert look(text, conftest=seeded) == []
    assert look(text, tests__common=seeded) == []
    assert len(look(text, elsewhere__conftest=seeded)) == 1


GENERATORS = """
def few(n):
    yield n

def endless(n):
    while True:
        yield n

"""


@pytest.mark.parametrize(
    "lines", [("benchmark(sum, few(3))",), ("a = few(3)", "benchmark(lambda: sum(a))")]
)
def test_a_generator_of_the_project_is_used_up_by_the_first_call(lines):
    check_finding(
        "py-mutated-argument", 8 + len(lines), "an iterator", look(GENERATORS + bench(*lines))
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("benchmark(next, few(3))",),
        ("benchmark(take_some, endless(3))",),
        ("few = list", "benchmark(sum, few('1'))"),
        ("benchmark(lambda: sum(few(3)))",),
    ],
)
def test_other_generators_are_left_alone(lines):
    assert look(GENERATORS + bench(*lines)) == []


def test_a_function_whose_name_the_module_binds_again_is_not_known():
    text = "def many():\n    yield 1\nmany = list\n" + bench("benchmark(many)")

    assert look(text) == []
    assert len(look(text.replace("many = list\n", ""))) == 1


@pytest.mark.parametrize("tool", ["cachegrind", "codspeed", "perf"])
def test_one_round_is_not_certain_to_be_wrong_where_instructions_are_counted(tool):
    text = f"# counted by {tool}\n" + bench("benchmark.pedantic(f)")
    source = SourceFile(path="test_it.py", unit="", role=SourceRole.BENCHMARKS, text=text.encode())

    (smell,) = PythonLinter().find_smells([source]).smells

    assert smell.sure is (None if tool == "perf" else Confidence.POSSIBLE)


@pytest.mark.parametrize(
    "lines",
    [
        ("if f:", "    def run(): return [1]", "else:", "    def run(): yield 1", "benchmark(run)"),
        ("def run(): yield 1", "run = list", "benchmark(run)"),
        ("def zip(a): return list(a)", "benchmark(zip, '12')"),
        ("def map(a): return list(a)", "benchmark(lambda: map('12'))"),
        ("def str(a): return lambda: a", "benchmark(str(3))"),
        ("def run(filter): return filter('1')", "benchmark(run, list)"),
    ],
)
def test_names_that_a_test_binds_again_are_not_known(lines):
    assert look(bench(*lines)) == []


@pytest.mark.parametrize(
    ("alias", "expected"),
    [
        ("bench = benchmark", True),
        ("bench = benchmark or other", False),
        ("bench = benchmark; bench = other", False),
    ],
)
def test_another_name_of_the_fixture_is_the_fixture(alias, expected):
    text = f"""
        def test_sort(benchmark):
            {alias}
            data = [3, 1, 2]
            bench.pedantic(data.sort, rounds=9)
        """

    assert bool(look(text)) is expected
    assert look(text.replace("bench.", "benchmark."))
