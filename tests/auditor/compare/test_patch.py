"""Which functions of Python differ between two revisions."""

import textwrap
from dataclasses import replace

import pytest
from toy_language import parts, request

from auditor.compare.study_patch import find_differing_methods
from auditor.core.subject import SourceFile, SourceRole
from auditor.core.suite import Suite
from mutators.python.mutator import PythonMutator


def revision(text):
    source = SourceFile(
        path="pack/module.py", unit="pack.module", role=SourceRole.LIBRARY, text=text.encode()
    )
    return replace(parts(request()), mutator=PythonMutator(), suite=Suite((), (source,)))


def changed(base, head):
    patch, caveats = find_differing_methods(revision(base), revision(head))
    assert caveats == ()
    assert patch.added == patch.removed == ()
    return [name.removeprefix("pack.module.") for name in patch.changed]


OVERLOADED = """
import typing as t

@t.overload
def f(x: int) -> int: ...
@t.overload
def f(x: str) -> str: ...
def f(x):
    return x
"""
BRANCHES = """
try:
    import fast
    def f(x):
        return fast.f(x)
except ImportError:
    def f(x):
        return sorted(x)
"""
CACHED = """
@functools.lru_cache(maxsize=8)
def f(x):
    return x
"""
LOOP = """
def f(xs):
    for x in xs:
        seen.add(x)
    total = sum(sorted(xs))
    return total
"""
DEEP = f"""
def f(x):
    return {" + ".join(["x"] * 900)}
"""


@pytest.mark.parametrize(
    ("base", "before", "after"),
    [
        (OVERLOADED, "return x", "return x + x"),
        (BRANCHES, "sorted(x)", "sorted(sorted(x))"),
        (CACHED, "@functools.lru_cache(maxsize=8)\n", ""),
        (CACHED, "maxsize=8", "maxsize=4"),
        (LOOP, "    total", "        total"),
        (DEEP, "return x", "return y"),
        ("def f():\n    return 'a  b'\n", "a  b", "a b"),
        ("def f():\n    return 0x" + "f" * 5000, "return 0x", "return 0xf"),
    ],
)
def test_a_function_is_changed_wherever_its_definitions_differ(base, before, after):
    assert changed(base, base.replace(before, after)) == ["f"]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (LOOP, f"if True:{textwrap.indent(LOOP, '    ')}"),
        (LOOP, LOOP.replace("    ", "\t")),
        (LOOP, f"import sys\n\n{LOOP}"),
        (LOOP, LOOP.replace("    return", "    # what is left\n\n    return")),
        (LOOP, LOOP.replace("sorted(xs))", "sorted( xs ))  # all")),
        (LOOP, LOOP.replace("(xs):\n", '(xs):\n    """Say what it does.\n\n  In full."""\n')),
        (OVERLOADED, OVERLOADED.replace("str) -> str", "bytes) -> bytes")),
    ],
)
def test_what_only_moved_or_was_laid_out_anew_is_not_changed(base, head):
    assert changed(base, head) == []


def test_a_function_is_where_its_real_definition_is():
    (method,) = PythonMutator().find_methods(revision(OVERLOADED).suite.sources)

    assert (method.span.first_line, method.span.last_line) == (8, 9)
