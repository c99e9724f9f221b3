"""The unchanged function beside the changed one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from go_making import changed, library, methods, overlay

from auditor.core.edits import apply_edits
from auditor.core.mutant import OverlayRefusal
from auditor.core.subject import SourceFile, SourceRole
from mutators.go import dual_body, tree
from mutators.go.declared_types import find_declared_types
from mutators.go.methods import list_declared_methods


def text(source, name="F"):
    return changed(overlay(library(source), names=[name], has_plain_blocks=True))


def test_the_body_stays_where_it_is_behind_a_question():
    source = "package m\n\nfunc F(a int, rest ...string) (int, error) {\n\treturn a, nil\n}\n"
    lines = text(source).splitlines()

    assert lines[2] == (
        "func F(a int, rest ...string) (int, error) { if zzBenchAudit.Probed() "
        "{ return zzBenchAuditProbedF(a, rest...) };"
    )
    assert lines[3:5] == ["\treturn a, nil", "}"]


def test_the_copy_waits_and_has_the_places_of_the_original():
    lines = text("package m\n\n\nfunc F() {\n\tprintln()\n}\n").splitlines()
    line_index = lines.index("//line m.go:4")

    assert lines[line_index + 1] == (
        "func zzBenchAuditProbedF() { defer zzBenchAudit.Exit(zzBenchAudit.Enter());"
    )
    assert lines[line_index + 2 : line_index + 4] == ["\tprintln()", "}"]


@pytest.mark.parametrize(
    ("source", "question"),
    [
        ("func F(int, string) {}", "zzBenchAuditProbedF(zzBenchAuditArgument0, "),
        ("func F(a, _ int) {}", "zzBenchAuditProbedF(a, zzBenchAuditArgument1); return"),
        ("func F[K, V any](k K, v V) V { return v }", "return zzBenchAuditProbedF[K, V](k, v)"),
        ("type T struct{}\nfunc (t *T) F() {}", "t.zzBenchAuditProbedF(); return"),
        ("type T struct{}\nfunc (T) F() {}", "zzBenchAuditReceiver.zzBenchAuditProbedF()"),
        ("type T struct{}\nfunc (_ T) F() {}", "zzBenchAuditReceiver.zzBenchAuditProbedF()"),
    ],
)
def test_what_has_no_name_gets_one_to_be_handed_on(source, question):
    name = "T.F" if "T struct" in source else "F"

    assert question in text(f"package m\n{source}\n", name)


def test_calls_of_the_function_itself_go_past_the_delay_in_the_copy():
    changed_text = text("package m\nfunc F(n int) int { if n < 2 { return n }; return F(n-1) }\n")
    plain, copy = changed_text.split("//line m.go:2\n")

    assert "return F(n-1)" in plain
    assert "return zzBenchAuditBodyF(n-1)" in copy
    assert copy.count("defer ") == 1


@pytest.mark.parametrize(
    "source",
    [
        "func F() { recover() }",
        'import "runtime"\nfunc F() { runtime.Callers(1, nil) }',
        'import rt "runtime"\nfunc F() { func() { rt.Caller(1) }() }',
        "func F() { type t int; println(t(1)) }",
        "func F(b *testing.B) {}",
        "func F[_ any]() {}",
    ],
)
def test_what_would_do_something_else_as_a_copy_has_none(source):
    assert not methods(f"package m\n{source}\n")["example.org/m.F"].keeps_original
    refused = overlay(library(f"package m\n{source}\n"), names=["F"], has_plain_blocks=True)
    assert isinstance(refused, OverlayRefusal)


def test_a_literal_that_recovers_may_be_copied():
    methods_by_id = methods("package m\nfunc F() { defer func() { recover() }() }\n")

    assert methods_by_id["example.org/m.F"].keeps_original


STANDARD = ("container/list", "slices", "strings", "text/template", "encoding/json", "go/parser")
_STANDS_FOR_THE_GUEST = """package {name}
type zzGuest struct{{}}
var zzBenchAudit zzGuest
var zzProbed int32
func (zzGuest) Probed() bool {{ return zzProbed != 0 }}
func (zzGuest) Enter() int64 {{ return 0 }}
func (zzGuest) Exit(int64) {{}}
"""


@pytest.mark.subject
def test_all_functions_of_the_standard_library_compile_with_a_copy_beside_them(tmp_path):
    """Generic ones, methods of generic types, blank and variadic parameters, literals, labels."""
    go = shutil.which("go")
    assert go is not None
    fields = "-json=Dir,ImportPath,Name,GoFiles"
    go_list = subprocess.run([go, "list", fields, *STANDARD], capture_output=True, check=True)
    replaced, copies = {}, 0
    for package in _objects(go_list.stdout.decode()):
        folder = Path(package["Dir"])
        sources = [
            SourceFile(
                path=name,
                unit=package["ImportPath"],
                role=SourceRole.LIBRARY,
                text=(folder / name).read_bytes(),
            )
            for name in package["GoFiles"]
        ]
        package_folder = tmp_path / package["Name"]
        package_folder.mkdir()
        types = find_declared_types(sources)
        for source in sources:
            edits = []
            for declared_method in list_declared_methods(
                source, tree.parse_source(source.text), types
            ):
                if declared_method.method.keeps_original:
                    edits += dual_body.make_copy_edits(
                        source,
                        declared_method.declaration,
                        declared_method.self_calls,
                        "defer zzBenchAudit.Exit(zzBenchAudit.Enter())",
                        "zzBenchAudit",
                    )
                    copies += 1
            (package_folder / source.path).write_bytes(apply_edits(source.text, edits))
            replaced[str(folder / source.path)] = str(package_folder / source.path)
        (package_folder / "zz.go").write_text(_STANDS_FOR_THE_GUEST.format(name=package["Name"]))
        replaced[str(folder / "zz.go")] = str(package_folder / "zz.go")
    (tmp_path / "overlay.json").write_text(json.dumps({"Replace": replaced}))
    built = subprocess.run(
        [go, "build", "-overlay", str(tmp_path / "overlay.json"), *STANDARD],
        capture_output=True,
        text=True,
        check=False,
    )

    assert built.returncode == 0, built.stderr[-2000:]
    assert copies > 500


def _objects(stdout):
    decoder, position = json.JSONDecoder(), 0
    while (position := stdout.find("{", position)) >= 0:
        package, position = decoder.raw_decode(stdout, position)
        yield package
