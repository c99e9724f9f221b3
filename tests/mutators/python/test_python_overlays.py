"""What is written into Python modules: it runs as before, in the lines of before, and is seen."""

import ast
import inspect
import linecache
import sys
import textwrap
import traceback
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.core.mutant import PLAIN, Overlay, OverlayRefusal, Variant, VariantKind
from auditor.core.subject import SourceFile, SourceRole
from mutators.python.guest_call_edits import insert_guest_calls
from mutators.python.mutator import PythonMutator

sys.path.insert(0, str(Path(__file__).parents[3] / "runners" / "pybench" / "guest"))

import zz_bench_audit_hook as hook

MUTATOR = PythonMutator()
MARK = hook.MARK.decode()


def source(text, unit="pack.module"):
    return SourceFile(
        path=f"src/{unit.replace('.', '/')}.py",
        unit=unit,
        role=SourceRole.LIBRARY,
        text=textwrap.dedent(text).encode(),
    )


def parsed(changed, original):
    return hook.placed(changed.encode(), original.encode())


def delayed(text, name, **more):
    """Return the changed text of a module in which one function waits."""
    module_source = source(text)
    (method,) = [
        candidate
        for candidate in MUTATOR.find_methods([module_source])
        if MUTATOR.matches_name(name, candidate)
    ]
    overlay = MUTATOR.build_overlay(
        [module_source], Variant(VariantKind.DELAYED, (method,), **more)
    )
    assert isinstance(overlay, Overlay), overlay
    (file,) = overlay.files
    assert file.path == module_source.path
    return file.text.decode()


class Guest(ModuleType):
    """What a changed module calls; it writes down what it hears."""

    def __init__(self):
        super().__init__("zz_bench_audit")
        self.heard = []

    def enter(self):
        self.heard.append("enter")
        return len(self.heard)

    def leave(self, token):
        self.heard.append(f"leave {token}")

    enter_guarded, leave_guarded = enter, leave

    def begin(self, name):
        self.heard.append(f"begin {name}")
        return name

    def end(self, token):
        self.heard.append(f"end {token}")


@pytest.fixture
def guest(monkeypatch):
    result = Guest()
    monkeypatch.setitem(sys.modules, "zz_bench_audit", result)
    return result


def run(code, name="pack.module", file="<module>"):
    space = {"__name__": name, "log": []}
    exec(compile(code, file, "exec", dont_inherit=True), space)  # noqa: S102 - our own text
    return space


ONE_LINE = "def f(x): return x + 1  # why\n"
DOCUMENTED = '''
def f(x):
    """Says what it does."""
    return x + 1
'''
ONLY_DOCUMENTED = '''
def f(x):
    """Does nothing."""
'''
LINE_WITH_MORE = 'def f(x): "Says."; y = x; return y + 1\n'
BLOCK_WITH_MORE = '''
def f(x):
    """Says
    what it does."""; y = x  # why
    return y + 1
'''
MODULE_WITH_MORE = """"A module."; from __future__ import annotations; import os
def f(x): return x + 1
"""
STRINGS = '''
def f(x):
    text = """one
two
    three"""
    return text * x
'''


WITH_MORE = [LINE_WITH_MORE, BLOCK_WITH_MORE, MODULE_WITH_MORE]


@pytest.mark.parametrize("text", [ONE_LINE, DOCUMENTED, ONLY_DOCUMENTED, STRINGS, *WITH_MORE])
def test_a_function_is_left_on_its_way_out_and_says_the_same(text, guest):
    plain, changed = run(text), run(parsed(delayed(text, "f"), text))

    assert changed["f"](2) == plain["f"](2)
    assert changed["f"].__doc__ == plain["f"].__doc__
    assert changed.get("__doc__") == plain.get("__doc__")
    assert guest.heard == ["enter", "leave 1"]


@pytest.mark.parametrize("text", [LINE_WITH_MORE, BLOCK_WITH_MORE, ONLY_DOCUMENTED])
def test_a_traced_function_keeps_its_docstring(text):
    changed = insert_guest_calls(
        text.encode(), {text[: text.index("def")].count("\n") + 1: ("enter()", "")}
    )

    (function,) = [
        node for node in parsed(changed.decode(), text).body if isinstance(node, ast.FunctionDef)
    ]

    assert ast.get_docstring(function).startswith(("Says", "Does nothing"))
    assert any(isinstance(getattr(node, "value", None), ast.Call) for node in function.body)


def test_an_exception_and_an_inner_return_are_ways_out(guest):
    text = """
    def f(x):
        for y in x:
            if y:
                return 1 / y
        raise KeyError(x)
    """
    changed = run(delayed(text, "f"))

    assert changed["f"]([0, 4]) == 0.25
    with pytest.raises(KeyError):
        changed["f"]([0])
    assert guest.heard == ["enter", "leave 1", "enter", "leave 3"]


@pytest.mark.parametrize(
    ("name", "call", "result"),
    [
        ("C.plain", "C().plain(3)", 4),
        ("C.of_class", "C.of_class(3)", ("C", 3)),
        ("C.static", "C.static(3)", 3),
        ("C.size", "C().size", 7),
        ("C.size.setter", "setattr(C(), 'size', 1)", None),
        ("C.__len__", "len(C())", 5),
        ("C.Inner.deep", "C.Inner().deep()", "deep"),
        ("D.plain", "D().plain(3)", 5),
        ("outer.<locals>.inner", "outer(3)", 9),
        ("decorated", "decorated(3)", 6),
        ("cached", "cached(3)", 4),
    ],
)
def test_all_kinds_of_functions_can_be_slowed(name, call, result, guest):
    text = """
    from functools import lru_cache, wraps

    def twice(f):
        @wraps(f)
        def wrapper(x):
            return 2 * f(x)
        return wrapper

    class C:
        def plain(self, x): return x + 1
        @classmethod
        def of_class(cls, x): return cls.__name__, x
        @staticmethod
        def static(x):
            return x
        @property
        def size(self):
            return 7
        @size.setter
        def size(self, value):
            self.__hidden = value
        def __len__(self):
            return 5
        class Inner:
            def deep(self):
                return "deep"

    class D(C):
        def plain(self, x):
            return super().plain(x) + 1

    def outer(x):
        def inner():
            nonlocal x
            x = x * 3
            return x
        return inner()

    @twice
    def decorated(x):
        return x

    @lru_cache
    def cached(x):
        return x + 1
    """
    changed = run(delayed(text, name))

    assert eval(call, changed) == result  # noqa: S307 - our own text
    assert guest.heard == ["enter", "leave 1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f():\n    yield 1\n", "a generator"),
        ("def f():\n    x = yield from g()\n", "a generator"),
        ("async def f():\n    pass\n", "a coroutine"),
        ("async def f():\n    yield 1\n", "a coroutine"),
        ("def f(x):\n    return locals()\n", "its own local variables"),
        ("def f(x):\n    return eval('x')\n", "its own local variables"),
        ("def f(x):\n    return sys._getframe().f_locals\n", "its own local variables"),
        ("def f(x):\n    y = currentframe()\n    return y.f_locals\n", "its own local variables"),
        ("@numba.njit(cache=True)\ndef f(x):\n    return x\n", "its decorator njit compiles it"),
    ],
)
def test_what_cannot_be_slowed_rightly_is_refused_with_the_reason(text, reason):
    (method,) = MUTATOR.find_methods([source(text)])

    assert reason in (method.refusal or "")
    refused = MUTATOR.build_overlay([source(text)], Variant(VariantKind.DELAYED, (method,)))
    assert refused == OverlayRefusal(method.refusal)


@pytest.mark.parametrize(
    "text",
    [
        "@functools.partial(numba.njit, cache=False)\ndef f(x):\n    return x\n",
        "def f(x):\n    return x\narea = numba.njit(f)\n",
        "def f(x):\n    return x\narea = numba.njit(nogil=True)(f)\n",
        "fast = numba.njit(nogil=True)\n@fast\ndef f(x):\n    return x\n",
        "from numba import njit as fast\nfaster = fast\n@faster\ndef f(x):\n    return x\n",
        "@jitclass(SPEC)\nclass C:\n    def f(self):\n        return 1\n",
        "@torch.jit.script\ndef f(x):\n    return x\n",
    ],
)
def test_what_a_compiler_gets_is_refused(text):
    (method,) = MUTATOR.find_methods([source(text)])

    assert "compiles it" in (method.refusal or "")


def test_a_compiler_of_another_module_is_known():
    sources = [
        source("fast = functools.partial(numba.njit, nogil=True)\n", "pack.jits"),
        source("from pack.jits import fast\n@fast\ndef f(x):\n    return x\n"),
    ]

    (method,) = MUTATOR.find_methods(sources)

    assert (
        method.refusal == "its decorator fast compiles it: Python code laid over it would not run"
    )


@pytest.mark.parametrize(
    "text",
    [
        "@numpy.vectorize\ndef f(x):\n    return x\n",
        "from numpy import vectorize\ndef f(x):\n    return x\nfast = vectorize(f)\n",
        "script = options.script\n@runner.script\ndef f(x):\n    return x\n",
        "area = numba.njit(_area)\ndef _area(x): return x\n@area\ndef f(x):\n    return x\n",
        "class C:\n    def f(self): return 1\nnumba.njit(f)\n",
        "step = jax.jit(lambda x: x)\n@step\ndef f(x):\n    return x\n",
        "def script(run): return run\ndef f(x):\n    return x\nentry = script(f)\n",
        "from pack import vectorize\n@vectorize\ndef f(x):\n    return x\n",
        "@numpy.lib.vectorize\ndef f(x):\n    return x\n",
    ],
)
def test_what_no_compiler_gets_is_not_refused(text):
    methods = MUTATOR.find_methods([source(text)])

    assert [method.refusal for method in methods if method.name == "f"] == [None]


def test_what_only_its_inner_function_does_is_no_reason():
    text = "def f():\n    def g():\n        yield 1\n    return vars(g), [x for x in g()]\n"

    outer, inner = MUTATOR.find_methods([source(text)])

    assert outer.refusal is None
    assert "a generator" in (inner.refusal or "")


@pytest.mark.parametrize("frame", ["sys._getframe(1)", "inspect.currentframe().f_back", "given"])
def test_names_of_a_caller_are_no_reason(frame):
    walking = (
        "def f():\n    at = inspect.currentframe()\n    at = at.f_back\n    return at.f_locals\n"
    )
    assert [method.refusal for method in MUTATOR.find_methods([source(walking)])] == [None]
    text = f"def f(given):\n    frame = {frame}\n    return frame.f_locals\n"
    (method,) = MUTATOR.find_methods([source(text)])

    assert method.refusal is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"def f(x): return x  {MARK}\n", "how we know our own"),
        ("def f(x): return (x +\n  1)\n", "goes on below"),
        # libcst's tree is as deep as this is long, and ends the process.
        (f"def f(x):\n    return {' and '.join(['x'] * 20_000)}\n", "nested too deeply"),
    ],
)
def test_where_lines_could_not_be_told_apart_it_is_refused(text, reason):
    (method,) = MUTATOR.find_methods([source(text)])

    refused = MUTATOR.build_overlay([source(text)], Variant(VariantKind.DELAYED, (method,)))

    assert isinstance(refused, OverlayRefusal)
    assert reason in refused.reason


def test_stubs_of_overloads_are_no_methods_and_both_branches_are_one():
    text = """
    import sys
    from typing import overload

    @overload
    def f(x: int) -> int: ...
    @overload
    def f(x: str) -> str: ...
    def f(x):
        return x

    if sys.version_info > (3,):
        def g(x):
            return x
    else:
        def g(x):
            return -x
    """
    methods = MUTATOR.find_methods([source(text)])

    assert [method.id for method in methods] == ["pack.module.f", "pack.module.g"]
    assert delayed(text, "module.g").count(".enter()") == 2


@pytest.mark.parametrize(
    ("spelling", "meant"),
    [
        ("pack.module.C.f", True),
        ("C.f", True),
        ("pack.module:C.f", True),
        ("module.C.f(x, y)", True),
        ("f", True),
        ("B.f", False),
        ("ule.C.f", False),
    ],
)
def test_names_as_people_write_them(spelling, meant):
    (method,) = MUTATOR.find_methods([source("class C:\n    def f(self, x, y): pass\n")])

    assert MUTATOR.matches_name(spelling, method) is meant
    assert method.parameters == ("self", "x", "y")


def test_public_is_what_no_underscore_hides():
    text = """
    def shown(): pass
    def _hidden(): pass
    class _C:
        def inside(self): pass
    class C:
        def __len__(self): return 0
        def _own(self): pass
    """
    public = [method.name for method in MUTATOR.find_methods([source(text)]) if method.public]

    assert public == ["shown", "__len__"]
    assert not any(
        method.public for method in MUTATOR.find_methods([source(text, "pack._private")])
    )


def test_counted_methods_are_counted_by_their_names(guest):
    text = source("def f(x):\n    return g(x)\ndef g(x):\n    return x\ndef h(x): pass\n")
    counted_methods = tuple(
        method for method in MUTATOR.find_methods([text]) if method.name in "fg"
    )

    overlay = MUTATOR.build_overlay([text], Variant(VariantKind.COUNTING, counted_methods))
    assert isinstance(overlay, Overlay)
    run(overlay.files[0].text)["f"](1)

    assert guest.heard == [
        "begin pack.module.f",
        "begin pack.module.g",
        "end pack.module.g",
        "end pack.module.f",
    ]
    assert overlay.instructions == (
        "module\tpack.module\tsrc/pack/module.py",
        "library\tpack.module\tsrc/pack/module.py",
    )
    assert MUTATOR.build_overlay([text], PLAIN) == Overlay()


def test_modules_that_help_tests_are_no_part_of_the_library_that_calls():
    sources = [source("def f(): pass\n"), source("def g(): pass\n", "pack.testing.cases")]
    counted = tuple(method for method in MUTATOR.find_methods(sources) if method.name == "f")

    overlay = MUTATOR.build_overlay(sources, Variant(VariantKind.COUNTING, counted))

    assert [line for line in overlay.instructions if line.startswith("library")] == [
        "library\tpack.module\tsrc/pack/module.py"
    ]


def test_a_guarded_delay_is_another_text():
    assert "enter_guarded()" in delayed(ONE_LINE, "f", guarded=True)
    assert "enter()" in delayed(ONE_LINE, "f")


def test_the_import_stands_behind_what_has_to_be_first():
    text = '"""Doc."""\nfrom __future__ import annotations\n\ndef f(): pass\n'

    lines = delayed(text, "f").splitlines()

    assert lines[2] == f"import zz_bench_audit as _zz_bench_audit  {MARK}"


LINES = '''"""A module."""
import os

class C:
    @property
    def two(self):
        """Two."""
        # what follows is not indented

        s = """a
b"""
        if s:
            return (1 /
                    len(s[9:]))
        # the end

def one(x): return 1 / x
é = "ü"; later = [n for n in (1, 2)]
'''


def test_tracebacks_and_sources_are_those_of_the_users_file(guest, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(LINES)
    changed = LINES
    for name in ("two", "one"):
        frames_and_sources = []
        for text in (LINES, delayed(LINES, name)):
            linecache.checkcache(str(file))
            space = run(parsed(text, LINES), file=str(file))
            with pytest.raises(ZeroDivisionError) as raised:
                space["C"]().two if name == "two" else space["one"](0)
            function = space["C"].two.fget if name == "two" else space["one"]
            frames = traceback.extract_tb(raised.tb)[1:]
            frames_and_sources.append(
                ([(f.lineno, f.line, f.name) for f in frames], inspect.getsource(function))
            )
        assert frames_and_sources[0] == frames_and_sources[1]
    assert changed == LINES


@pytest.mark.parametrize("text", [ONE_LINE, DOCUMENTED.lstrip(), f"# coding: utf-8\n{ONE_LINE}"])
def test_a_byte_order_mark_is_no_reason_to_refuse(text, guest):
    marked = f"\ufeff{text}"

    changed = run(parsed(delayed(marked, "f"), marked))

    assert changed["f"](2) == 3
    assert guest.heard == ["enter", "leave 1"]


@pytest.mark.parametrize("name", ["two", "one"])
def test_what_is_not_ours_lies_where_it_lay(name):
    """All nodes but our own, and what ends with them, are in their lines and columns."""

    def places(tree):
        return {
            (type(node).__name__, node.lineno, node.col_offset, node.end_lineno)
            for node in ast.walk(tree)
            if isinstance(node, ast.expr | ast.stmt)
        }

    lost = places(ast.parse(LINES)) - places(parsed(delayed(LINES, name), LINES))

    # Of a function on one line only the line is kept; what holds a function ends where it ends.
    assert {place for place in lost if place[0] not in ("FunctionDef", "ClassDef")} == {
        place for place in lost if name == "one" and place[1] == 17
    }


def test_a_changed_text_of_another_file_is_noticed():
    with pytest.raises(ValueError, match="the file has 3 lines"):
        parsed(delayed(ONE_LINE, "f"), f"{ONE_LINE}b\nc\n")
    with pytest.raises(ValueError, match="line 1 is not the file's"):
        parsed(delayed(ONE_LINE, "f"), "def g(x): return x + 1\n")


def indented(lines):
    return [f"    {line}" for line in lines]


SIMPLE = st.sampled_from(
    ["log.append(x)", "x += 1", "x = -x", "log.append(str(x)); x *= 2", '"""a\nb"""', "pass"]
).map(lambda line: [line])
LEAVING = st.sampled_from(
    ["return x", "return", "raise ValueError(x)", "1 / 0", "return log.append('out')"]
).map(lambda line: [line])


def compound(inner):
    body = st.lists(inner, min_size=1, max_size=3).map(
        lambda parts: list(chain.from_iterable(parts))
    )
    return st.one_of(
        body.map(lambda lines: ["if x % 2:", *indented(lines)]),
        body.map(lambda lines: ["for n in range(3):", *indented(lines), "    x += n"]),
        st.tuples(body, body).map(
            lambda two: ["try:", *indented(two[0]), "except ArithmeticError:", *indented(two[1])]
        ),
        st.tuples(body, body).map(
            lambda two: ["try:", *indented(two[0]), "finally:", *indented(two[1])]
        ),
        body.map(lambda lines: ["def inner():", "    nonlocal x", *indented(lines), "inner()"]),
        body.map(lambda lines: ["with held(log):", *indented(lines)]),
    )


BODY = st.lists(st.recursive(SIMPLE | LEAVING, compound, max_leaves=8), min_size=1, max_size=5)
CONTEXT_MANAGER = """
class held:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append("in")
    def __exit__(self, *why): self.log.append("out")
"""


def outcome(space, argument):
    """Return what a call gives, raises and logs."""
    space["log"].clear()
    try:
        result = ("returns", space["f"](argument))
    except Exception as error:
        result = ("raises", type(error), str(error), traceback.extract_tb(error.__traceback__)[1:])
    return result, list(space["log"])


@settings(max_examples=150, deadline=None)
@given(BODY, st.integers(-3, 3))
def test_any_function_does_what_it_did(body, argument):
    lines = [line for part in body for statement in part for line in statement.split("\n")]
    text = CONTEXT_MANAGER + "\n".join(["def f(x):", *indented(lines)]) + "\n"
    try:
        compile(text, "m", "exec")
    except SyntaxError:
        return  # a string of two lines, indented: not what this is about
    guest = Guest()
    changed = delayed(text, "module.f")
    sys.modules["zz_bench_audit"] = guest
    try:
        space = run(parsed(changed, text))
        assert outcome(space, argument) == outcome(run(text), argument)
    finally:
        del sys.modules["zz_bench_audit"]
    assert guest.heard == ["enter", "leave 1"]
