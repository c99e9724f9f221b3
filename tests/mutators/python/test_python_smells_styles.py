"""Benchmarks in the styles of real projects: what is found in them, and what is not."""

import textwrap

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.lint_rules.linter import PythonLinter

TEST = "tests/test_it.py"


def look(text, path=TEST):
    text = textwrap.dedent(text).encode()
    source = SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text)
    return PythonLinter().find_smells([source])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            TEST,
            """
        def test_pop(benchmark):
            d = {}
            benchmark(d.pop, "a", None)
        """,
        ),
        (
            TEST,
            """
        def test_discard(benchmark):
            s = {1, 2, 3}
            benchmark(s.discard, 99)
        """,
        ),
        (
            TEST,
            """
        def test_sort(benchmark):
            xs = list(range(1000))
            benchmark(xs.sort)
        """,
        ),
        (
            TEST,
            """
        def test_sort(benchmark):
            xs = sorted(make())
            benchmark(xs.sort)
        """,
        ),
        (
            TEST,
            """
        import random
        def test_shuffle(benchmark):
            random.seed(1)
            xs = list(range(10))
            benchmark(random.shuffle, xs)
        """,
        ),
        (
            TEST,
            """
        import pytest
        @pytest.fixture
        def data(): return list(range(1000))
        @pytest.mark.benchmark(group="sort", min_rounds=5)
        @pytest.mark.parametrize("n", [1, 10])
        def test_sort(benchmark, data, n):
            result = benchmark(sorted, data)
            assert result == data
        """,
        ),
        (
            TEST,
            """
        import pytest
        @pytest.mark.parametrize("n", [10, 100])
        def test_insert(benchmark, n):
            def setup():
                return ([3, 2, 1] * n,), {}
            def run(items):
                items.sort()
            benchmark.pedantic(run, setup=setup, rounds=50)
        """,
        ),
        (
            TEST,
            """
        def test_cache(benchmark):
            cache = {}
            def run():
                cache.clear()
                for i in range(100):
                    cache.setdefault(i, i)
            benchmark(run)
        """,
        ),
        (
            TEST,
            """
        def test_lru(benchmark):
            d = {"a": 1}
            benchmark(d.update, {"a": 2})
        """,
        ),
        (
            TEST,
            """
        def test_setdefault(benchmark):
            d = {"a": 1}
            benchmark(d.setdefault, "a", 2)
        """,
        ),
        (
            TEST,
            """
        def test_clear(benchmark):
            d = {}
            benchmark(d.clear)
        """,
        ),
        (
            TEST,
            """
        from collections import deque
        def test_rot(benchmark):
            d = deque(range(100))
            def step():
                d.append(d.popleft())
            benchmark(step)
        """,
        ),
        (
            "benchmarks/dicts.py",
            """
        class TimeDict:
            params = [[10, 100], ["a", "b"]]
            param_names = ["n", "k"]
            def setup(self, n, k):
                self.d = {i: i for i in range(n)}
            def teardown(self, n, k):
                del self.d
            def time_get(self, n, k):
                self.d.get(5)
            def time_iter(self, n, k):
                for _ in self.d:
                    pass
            def time_pop(self, n, k):
                self.d.pop("zzz", None)
        """,
        ),
        (
            "benchmarks/cache.py",
            """
        class Suite:
            def setup_cache(self):
                import random
                random.seed(0)
                return [random.random() for _ in range(100)]
            def time_sum(self, data):
                sum(data)
        """,
        ),
        (
            "benchmarks/np.py",
            """
        import numpy as np
        class Sort:
            number = 1
            def setup(self):
                self.a = np.random.rand(1000)
            def time_sort(self):
                self.a.sort()
        """,
        ),
        (
            "benchmarks/np.py",
            """
        import numpy as np
        class Sort:
            def setup(self):
                self.a = np.arange(1000)
            def time_sort(self):
                self.a.sort()
        """,
        ),
        (
            "bench.py",
            """
        import pyperf
        def bench_x(loops, data):
            range_it = range(loops)
            t0 = pyperf.perf_counter()
            for _ in range_it:
                sorted(data)
            return pyperf.perf_counter() - t0
        if __name__ == "__main__":
            runner = pyperf.Runner()
            runner.metadata["description"] = "x"
            args = runner.parse_args()
            runner.bench_time_func("x", bench_x, [3, 1, 2])
            runner.bench_func("y", sorted, [3, 1, 2])
            runner.timeit("z", stmt="s.sort()", setup="s=[3,1]")
        """,
        ),
        (
            TEST,
            """
        import pytest, random
        pytest_plugins = ["pytest_codspeed"]
        @pytest.mark.benchmark
        def test_fib():
            assert fib(20) == 6765
        @pytest.mark.benchmark
        def test_gen():
            for x in numbers(3):
                pass
        def numbers(n):
            yield n
        """,
        ),
        (
            TEST,
            """
        def test_async(benchmark, event_loop):
            async def work():
                await thing()
            @benchmark
            def _():
                event_loop.run_until_complete(work())
        """,
        ),
        (
            TEST,
            """
        def test_first(benchmark):
            it = iter(range(10**9))
            benchmark(lambda: list(islice(it, 10)))
        """,
        ),
        (
            TEST,
            """
        import itertools
        def test_next(benchmark):
            counter = itertools.count()
            benchmark(lambda: next(counter))
        """,
        ),
        (
            TEST,
            """
        import random
        DATA = [random.random()] * 1000
        def test_sum(benchmark):
            benchmark(sum, DATA)
        """,
        ),
        (
            TEST,
            """
        import random
        def test_sum(benchmark):
            data = []
            for _ in range(1000):
                if random.random() < 0.5:
                    data.append(1)
                else:
                    data.append(2)
            benchmark(sum, data)
        """,
        ),
        (
            TEST,
            """
        import random
        def test_sum(benchmark):
            data = [1 if random.random() < 0.5 else 0 for _ in range(1000)]
            benchmark(sum, data)
        """,
        ),
        (
            TEST,
            """
        import random
        def test_sum(benchmark):
            i = random.randrange(100)
            data = whole[i:i + 10]
            benchmark(sum, data)
        """,
        ),
        (
            TEST,
            """
        import random
        def test_sum(benchmark):
            data = random.sample(range(1000), 100)
            out = [0] * len(data)
            for k in range(len(data)):
                out[k] = data[k]
            benchmark(sum, out)
        """,
        ),
        (
            TEST,
            """
        def test_heap(benchmark):
            import heapq
            def run():
                h = []
                for i in [5, 3, 1]:
                    heapq.heappush(h, i)
                while h:
                    heapq.heappop(h)
            benchmark(run)
        """,
        ),
        (
            TEST,
            """
        def test_pedantic(benchmark):
            benchmark.pedantic(target=f, args=(1,), iterations=10, rounds=100, warmup_rounds=1)
        """,
        ),
        (
            TEST,
            """
        def test_write(benchmark, tmp_path):
            path = tmp_path / "x"
            benchmark(path.write_text, "hello")
        """,
        ),
        (
            TEST,
            """
        class TestThing:
            @pytest.fixture(autouse=True)
            def setup(self, benchmark):
                self.items = [3, 1, 2]
            def test_a(self, benchmark):
                benchmark(sorted, self.items)
        """,
        ),
        (
            TEST,
            """
        def test_partial(benchmark):
            import functools
            benchmark(functools.partial(sorted, [3, 1, 2]))
        """,
        ),
        (
            TEST,
            """
        def test_stack(benchmark):
            s = Stack()
            benchmark(s.push, 1)
        """,
        ),
        (
            TEST,
            """
        def test_default(benchmark):
            data = [3, 1, 2]
            def run(data=None):
                data = [3, 2]
                data.sort()
            benchmark(run)
        """,
        ),
        (
            TEST,
            """
        def test_bind(benchmark):
            data = [3, 1, 2]
            def run(d=data):
                d = d[:]
                d.sort()
            benchmark(run)
        """,
        ),
        (
            TEST,
            """
        def test_weave(benchmark, benchmark_weave):
            benchmark.group = "x"
            benchmark.extra_info["n"] = 3
            assert benchmark(f, 3) == 3
        """,
        ),
        (
            TEST,
            """
        import time
        def test_net(benchmark, client):
            def call():
                r = client.get("/")
                assert r.status_code == 200
            benchmark(call)
        """,
        ),
        (
            TEST,
            """
        def test_set_add(benchmark):
            s = set(range(1000))
            benchmark(s.add, 5)
        """,
        ),
        (
            TEST,
            """
        def test_gen_fn(benchmark):
            def run():
                return list(numbers(3))
            benchmark(run)
        def numbers(n):
            yield n
        """,
        ),
        (
            TEST,
            """
        def test_sort_rev(benchmark):
            xs = list(range(1000, 0, -1))
            benchmark(xs.sort, reverse=True)
        """,
        ),
        (
            TEST,
            """
        def test_sort_key(benchmark):
            xs = list(range(100))
            benchmark(xs.sort, key=lambda x: x)
        """,
        ),
        (
            "asv_bench/benchmarks/x.py",
            """
        import logging
        class TimeLog:
            def setup(self):
                self.log = logging.getLogger()
            def time_plain(self):
                x = compute()
                y = x + 1
        """,
        ),
        (
            TEST,
            """
        def test_drain(benchmark):
            stack = [1]
            def run():
                refill(stack)
                while stack:
                    stack.pop()
            benchmark(run)
        """,
        ),
    ],
)
def test_nothing_is_wrong_with_these(path, text):
    result = look(text, path)

    assert result.benchmarks
    assert result.smells == ()


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (
            "py-mutated-argument",
            TEST,
            """
        import random
        def test_sort(benchmark):
            xs = list(range(1000))
            random.shuffle(xs)
            benchmark(xs.sort)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        import random
        def test_sort(benchmark):
            xs = list(range(1000))
            xs.reverse()
            benchmark(xs.sort)
        """,
        ),
        (
            "py-mutated-argument",
            "benchmarks/it.py",
            """
        class It:
            def setup(self):
                self.it = iter(range(100))
            def time_sum(self):
                sum(self.it)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        def bubble_sort(xs):
            for i in range(len(xs)):
                xs[i], xs[0] = xs[0], xs[i]
        def test_sort(benchmark):
            xs = [3, 1, 2]
            benchmark(bubble_sort, xs=xs)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        def bubble_sort(*, xs):
            xs.sort()
        def test_sort(benchmark):
            xs = [3, 1, 2]
            benchmark.pedantic(bubble_sort, kwargs={"xs": xs}, rounds=10)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        def test_sort(benchmark):
            data = [3, 1, 2]
            def run(data=data):
                data.sort()
            benchmark(run)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        def test_sort(benchmark):
            data = [3, 1, 2]
            benchmark(lambda d=data: d.sort())
        """,
        ),
        (
            "py-unseeded-random",
            TEST,
            """
        import random
        def test_sum(benchmark):
            n = 10 if random.random() < 0.5 else 20
            data = list(range(n))
            benchmark(sum, data)
        """,
        ),
        (
            "py-unseeded-random",
            TEST,
            """
        import random
        N = random.randint(10, 100)
        DATA = [0] * N
        def test_sum(benchmark):
            benchmark(sum, DATA)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        def test_pop(benchmark):
            d = {"a": 1}
            benchmark(d.pop, "a", None)
        """,
        ),
        (
            "py-mutated-argument",
            TEST,
            """
        def test_sort(benchmark):
            xs = list(range(1000))
            benchmark(xs.sort, reverse=True)
        """,
        ),
    ],
)
def test_what_is_wrong_with_these_is_found(rule, path, text):
    assert [smell.rule for smell in look(text, path).smells] == [rule]
