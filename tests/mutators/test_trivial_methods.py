"""Methods that cannot get slower, and near misses, as the mutators find them."""

import json

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.go.mutator import GoMutator
from mutators.java.mutator import JavaMutator
from mutators.python.mutator import PythonMutator

GO = """package ring

import (
	"time"
	other "example.org/time"
	"myapp/codec"
)

type Ring struct{ size int; items []int }

func Empty() { /* nothing yet */ }
func (r *Ring) Size() int { return r.size }
func (r *Ring) Resize(n int) { r.size = n }
func Limit() (int, error) { return 8, nil }
func Now() time.Time { return time.Now() }

func (r *Ring) First() int { return r.items[0] }
func (r *Ring) Grow(n int) { r.size += n }
func Sum(a, b int) int { return work(a) + b }
func Later() int { return other.Now() }
func Load() int { return codec.Load("x") }
func Sleep(d time.Duration) { time.Sleep(d) }
func Two() int { work(1); return 2 }
"""
JAVA = """package org.example;

public class Text {
    private int size;
    private long[] many = new long[1000];

    public void empty() { }
    public int size() { return this.size; }
    public void resize(int n) { size = n; }
    public long now() { return System.nanoTime(); }

    public String doubled(String one) { return one + one; }
    public long first() { return many[0]; }
    public void copy(long[] to) { System.arraycopy(many, 0, to, 0, 1); }
    public int both() { empty(); return 2; }
}
"""
PYTHON = '''import json
import time
import other

def empty():
    """Do nothing."""

def abstract(): raise NotImplementedError("later")
def now(): return time.time()

class Ring:
    @property
    def size(self): return self._size
    def resize(self, n): self._size = n

    @property
    def total(self): return work(self)
    def whole(self): return self.total

    @functools.singledispatch
    def dispatched(self): ...
    def first(self): return self.items[0]
    def doubled(self): return self.size * 2

def read(text): return json.loads(text)
def later(): return other.now()
def fails(): raise ValueError(work())
'''
TRIVIAL = {
    "go": {"Empty", "Size", "Resize", "Limit", "Now"},
    "java": {"empty", "size", "resize", "now", "<init>"},
    "python": {"empty", "abstract", "now", "size", "resize"},
}


def source(path, text, unit="unit"):
    return SourceFile(path=path, unit=unit, role=SourceRole.LIBRARY, text=text.encode())


def class_file():
    """Return the list of the methods of `Text`, as the guest writes it."""
    named = [
        ("empty", "()V"), ("size", "()I"), ("resize", "(I)V"), ("now", "()J"),
        ("doubled", "(Ljava/lang/String;)Ljava/lang/String;"), ("first", "()J"), ("copy", "([J)V"),
        ("both", "()I"), ("<init>", "()V"),
    ]  # fmt: skip
    lines = [
        {
            "kind": "method",
            "part": "a.jar",
            "owner": "org/example/Text",
            "owner_access": 1,
            "access": 1,
            "name": name,
            "descriptor": descriptor,
        }
        for name, descriptor in named
    ]
    return source("classes.jsonl", "\n".join(map(json.dumps, lines)))


METHODS = {
    "go": lambda: GoMutator().find_methods([source("ring.go", GO)]),
    "java": lambda: JavaMutator().find_methods([class_file(), source("Text.java", JAVA)]),
    "python": lambda: PythonMutator().find_methods([source("ring.py", PYTHON)]),
}


@pytest.mark.parametrize("language", TRIVIAL)
def test_what_does_next_to_nothing_itself_cannot_get_slower(language):
    methods = METHODS[language]()

    assert len(methods) > len(TRIVIAL[language])
    assert {method.name for method in methods if method.trivial} == TRIVIAL[language]


def test_reading_a_property_of_another_module_is_no_reading_of_a_field():
    text = "class A:\n    @property\n    def v(self): return work(self)\n    w = property(work)\n"
    text += "    def p(self): return 1\n    def a(self): raise NotImplementedError(self.v)\n"
    user = "class B:\n" + "".join(
        f"    def {name}(self): return self.c.{attribute}\n"
        for name, attribute in (("total", "v"), ("wide", "w"), ("plain", "p"), ("field", "x"))
    )
    sources = [source("a.py", text, "a"), source("b.py", user, "b")]

    trivial = {method.name for method in PythonMutator().find_methods(sources) if method.trivial}

    assert trivial == {"p", "plain", "field", "a"}


def test_a_constructor_of_a_class_without_source_may_do_anything():
    (maker,) = [
        method for method in JavaMutator().find_methods([class_file()]) if method.name == "<init>"
    ]

    assert maker.trivial is None
