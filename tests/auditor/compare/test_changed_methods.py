"""Which methods differ between two revisions, and whether nothing else does."""

from types import SimpleNamespace

import pytest

from auditor.compare.model import Patch
from auditor.compare.study_order import find_changed_methods
from auditor.core.subject import SourceFile, SourceRole
from mutators.go.mutator import GoMutator
from mutators.python.mutator import PythonMutator

BASE = """package toy

import "strings"

const Size = 1

func Add(a int) int { return a + 1 }

func Get(a int) int { return a }
"""


def revision(text, mutator):
    path = "toy.go" if isinstance(mutator, GoMutator) else "toy.py"
    source = SourceFile(
        path=path, unit="example.org/toy", role=SourceRole.LIBRARY, text=text.encode()
    )
    return SimpleNamespace(mutator=mutator, suite=SimpleNamespace(sources=(source,)))


def changed(head, *names, base=BASE, mutator_class=GoMutator):
    patch = Patch(changed=tuple(f"example.org/toy.{name}" for name in names), added=(), removed=())
    revisions = (revision(text, mutator_class()) for text in (base, head))
    return [changed_method.name for changed_method in find_changed_methods(patch, *revisions)]


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


def test_no_method_is_named_where_what_cannot_be_slowed_differs_too():
    base = BASE + "\nfunc init() { println(1) }\n"

    assert changed(base.replace("a + 1", "a + 2"), "Add", base=base) == ["Add"]
    assert changed(base.replace("a + 1", "a + 2").replace("n(1)", "n(2)"), "Add", base=base) == []


def test_each_definition_of_a_method_belongs_to_it():
    base = """import sys
if sys.platform == "win32":
    def get(a): return a
else:
    def get(a): return a + 1
"""

    head = base.replace("a + 1", "a + 2")

    assert changed(head, "get", base=base, mutator_class=PythonMutator) == ["get"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('import "example.org/fast"', 'import "example.org/fast/v2"'),
        ('import fast "example.org/a"', 'import fast "example.net/b"'),
    ],
)
def test_no_method_is_named_where_an_import_replaces_another(old, new):
    base = BASE.replace('import "strings"', old)
    head = base.replace("a + 1", "a + 2")

    assert changed(head, "Add", base=base) == ["Add"]
    assert changed(head.replace(old, new), "Add", base=base) == []


@pytest.mark.parametrize("sign", ['"a" +\n\t"b"', '`\nname "b"\n`'])
def test_a_text_on_a_line_of_its_own_is_no_import(sign):
    base = f"{BASE}\nvar sign = {sign}\n"
    head = base.replace("a + 1", "a + 2")

    assert changed(head, "Add", base=base) == ["Add"]
    assert changed(head.replace('"b"', '"c"'), "Add", base=base) == []


@pytest.mark.parametrize(
    ("new", "names"),
    [
        ('\t"fmt"\n\t"strings"\n', ["Add"]),
        ('\t"fmt" // for Add\n\t"strings"\n', ["Add"]),
        ('\t"example.org/strings"\n', []),
        ('\t_ "strings"\n', []),
    ],
)
def test_imports_in_parentheses_are_imports(new, names):
    base = BASE.replace('import "strings"', 'import (\n\t"strings"\n)')
    head = base.replace("a + 1", "a + 2")

    assert changed(head.replace('\t"strings"\n', new), "Add", base=base) == names


def test_no_method_is_named_where_none_has_changed():
    assert changed(BASE) == []
