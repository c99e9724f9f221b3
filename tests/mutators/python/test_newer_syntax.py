"""Modules whose syntax the interpreter that runs us may not know."""

import ast

from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.subject import SourceFile, SourceRole
from mutators.python.mutator import PythonMutator
from mutators.python.newer_syntax import parse_newer_syntax
from mutators.python.public import describe_name_problems

NEWER = '''"""A module."""
type Pair[T,
          U] = (tuple[T, U])

def first[T: (int, str)](
    pair: Pair[T, T],
) -> T:
    type Local = int; x = pair[0]
    return x

class Box[T]:
    def show[*Ts, **P](self): return f"{self.d["a"]} {f"{1}"!r:>{self.w["z"]}}"
    @property
    def lines(self):
        return ("a" f"""{
            self.d["a"]  # why
        }""")
    def name(self): return self.lines

def last(d):
    yield f"{"\\n".join(d)}"
    return f"{(yield d["a"])}"

def seen(d): return f"{locals()["d"]}" + f"{d}"
'''


def source(text, unit="lib"):
    return SourceFile(path=f"{unit}.py", unit=unit, role=SourceRole.LIBRARY, text=text.encode())


def test_functions_of_a_module_in_newer_syntax_are_listed_where_they_are():
    methods = PythonMutator().find_methods([source(NEWER)])

    lines = NEWER.splitlines()
    assert [method.id for method in methods] == [
        "lib.first",
        "lib.Box.show",
        "lib.Box.lines",
        "lib.Box.name",
        "lib.last",
        "lib.seen",
    ]
    assert all(f"def {method.name}" in lines[method.span.first_line - 1] for method in methods)
    refusals = {method.name: method.refusal for method in methods if method.refusal}
    assert refusals.keys() == {"last", "seen"}
    assert not any(method.trivial for method in methods)
    assert all(method.public for method in methods)


def test_functions_of_a_module_in_newer_syntax_can_be_slowed():
    mutator = PythonMutator()
    for method in mutator.find_methods([source(NEWER)]):
        overlay = mutator.build_overlay([source(NEWER)], Variant(VariantKind.DELAYED, (method,)))

        assert isinstance(overlay, Overlay) == (method.refusal is None)


def test_newer_syntax_is_written_in_the_lines_of_before():
    tree = parse_newer_syntax(f"\ufeff{NEWER}".replace("\n", "\r\n").encode())

    definitions = {
        node.name: node.end_lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert definitions["lines"] == 17
    assert definitions["last"] == 22
    assert ast.unparse(tree.body[1]) == "Pair = tuple[T, U]"


def test_what_a_function_inside_an_f_string_yields_is_not_yielded_by_the_method():
    text = """def f(d): return f"{d["a"]}{(lambda: f'{(yield)}')}"\n"""

    (method,) = PythonMutator().find_methods([source(text)])

    assert not method.refusal


def test_a_field_that_only_a_newer_interpreter_knows_loses_no_method():
    text = """def f(d): return f"{f"{d["a"]}"}"\n"""

    assert [method.id for method in PythonMutator().find_methods([source(text)])] == ["lib.f"]


def test_lines_inside_a_value_of_an_f_string_count_once():
    text = """x = f"{dict(\n    a=d["a"])}"\ndef f(): pass\n"""

    (method,) = PythonMutator().find_methods([source(text)])

    assert method.span.first_line == 3


def test_a_byte_order_mark_shifts_nothing():
    tree = parse_newer_syntax("\ufefftype A = int\n".encode())

    assert ast.unparse(tree) == "A = int"


def test_joined_strings_that_are_known_here_stay_a_constant():
    text = """type A = int\ndef f(): return "a" "b"\n"""

    (method,) = PythonMutator().find_methods([source(text)])

    assert method.trivial


def test_a_module_in_newer_syntax_with_a_very_long_sum_is_left_out():
    text = "type A = int\nx = " + "1 + " * 1200 + "1\ndef f(): pass\n"

    assert parse_newer_syntax(text.encode()) is None


def test_a_module_that_cannot_be_parsed_is_named():
    sources = [source("def f(): pass\n"), source("print 1\ndef g(): pass\n", "lib.old")]

    assert [method.id for method in PythonMutator().find_methods(sources)] == ["lib.f"]
    (note,) = describe_name_problems(sources)
    assert note == "these modules cannot be parsed, so their functions are no methods here: lib.old"
