"""Which methods differ between two revisions, and whether nothing else does."""

from types import SimpleNamespace

import pytest

from auditor.compare.model import Patch
from auditor.compare.study_order import find_changed_methods
from auditor.core.subject import SourceFile, SourceRole
from mutators.go.mutator import GoMutator

BASE = """package toy

import "strings"

const Size = 1

func Add(a int) int { return a + 1 }

func Get(a int) int { return a }
"""


def revision(text):
    source = SourceFile(
        path="toy.go", unit="example.org/toy", role=SourceRole.LIBRARY, text=text.encode()
    )
    return SimpleNamespace(mutator=GoMutator(), suite=SimpleNamespace(sources=(source,)))


def changed(head, *names):
    patch = Patch(changed=tuple(f"example.org/toy.{name}" for name in names), added=(), removed=())
    return [
        changed_method.name
        for changed_method in find_changed_methods(patch, revision(BASE), revision(head))
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return a + 1", "return a + 2"),
        ('import "strings"', 'import "strconv"'),
        ("const Size = 1\n", "// Size of all.\n\n\nconst Size = 1\n"),
    ],
)
def test_the_changed_methods_are_all_that_differs(old, new):
    assert old in BASE
    assert changed(BASE.replace(old, new), "Add") == ["Add"]


def test_no_method_is_named_where_a_line_outside_of_methods_differs():
    assert changed(BASE.replace("Size = 1", "Size = 2"), "Add") == []


def test_no_method_is_named_where_none_has_changed():
    assert changed(BASE) == []
