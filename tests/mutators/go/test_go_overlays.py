"""What is inserted into Go sources."""

import pytest
from go_making import UNIT, benchmarks, changed, left_out, library, overlay
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.mutant import PLAIN, Overlay, OverlayRefusal, Variant, VariantKind
from mutators.go import GoMutator

_IMPORT = '; import zzBenchAudit "example.org/m/zz_bench_audit_guest"'
_DELAY = " defer zzBenchAudit.Exit(zzBenchAudit.Enter());"


def test_a_delay_is_one_statement_on_the_line_of_the_brace():
    text = changed(
        overlay(library("package m // it\n\nfunc F() int {\n\treturn 1\n}\n"), names=["F"])
    )

    assert text == (
        f"package m{_IMPORT} // it\n\nfunc F() int {{{_DELAY}\n\treturn 1\n}}\n"
        "\nvar _ = zzBenchAudit.Seen(0)\n"
    )


def test_counters_have_the_place_of_the_method_in_the_variant():
    source = library("package m\nfunc F() {}\nfunc G() {}\n")
    text = changed(overlay(source, names=["G", "F"], kind=VariantKind.COUNTING))

    assert "func F() { defer zzBenchAudit.Done(zzBenchAudit.Count(1));}" in text
    assert "func G() { defer zzBenchAudit.Done(zzBenchAudit.Count(0));}" in text
    assert "zzBenchAudit.Seen(0, 1)" in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "func F(n int) int { return F(n - 1) }",
            "func F(zzArgument0 int) int {DELAY return zzBenchAuditBodyF(zzArgument0) }; "
            "func zzBenchAuditBodyF(n int) int { return zzBenchAuditBodyF(n - 1) }",
        ),
        (
            "func F[T any](a, b T, c ...T) { F[T](a, b) }",
            "func F[T any](zzArgument0 T, zzArgument1 T, zzArgument2 ...T)  {DELAY "
            "zzBenchAuditBodyF[T](zzArgument0, zzArgument1, zzArgument2...) }; "
            "func zzBenchAuditBodyF[T any](a, b T, c ...T) { zzBenchAuditBodyF[T](a, b) }",
        ),
        (
            "func (t *F) F(n int) (x, y int) { return t.left.F(t.F(n)) }",
            "func (t *F) F(zzArgument0 int) (x, y int) {DELAY "
            "return t.zzBenchAuditBodyF(zzArgument0) }; "
            "func (t *F) zzBenchAuditBodyF(n int) (x, y int) "
            "{ return t.left.zzBenchAuditBodyF(t.zzBenchAuditBodyF(n)) }",
        ),
    ],
)
def test_what_calls_itself_gets_a_wrapper_that_its_own_calls_go_past(before, after):
    source = library(f"package m\ntype F struct {{ left, right *F }}\n{before}\n")
    name = "F.F" if before.startswith("func (") else "F"
    text = changed(overlay(source, names=[name]))

    assert text.splitlines()[2] == after.replace("DELAY", _DELAY)


def test_a_call_that_may_begin_a_goroutine_does_not_go_past_the_wrapper():
    source = library(
        "package m\nfunc F(n int) {\n go F(1)\n defer F(2)\n go func() { F(3) }()\n}\n"
    )
    text = changed(overlay(source, names=["F"]))

    assert text.splitlines()[2:5] == [
        " go F(1)",
        " defer zzBenchAuditBodyF(2)",
        " go func() { F(3) }()",
    ]


def test_a_file_that_is_not_built_is_not_changed():
    left = left_out("package m\nfunc G() {}\n")
    variant_overlay = overlay(library("package m\nfunc F() {}\n"), left, names=["F"])

    assert left.path not in [file.path for file in variant_overlay.files]


def test_a_method_is_seen_to_call_itself_on_fields_that_another_file_declares():
    method = library("package m\nfunc (t *T) F() { t.next.F() }\n")
    struct = library("package m\ntype (\n\tT struct{ next *T }\n)\n", path="t.go")
    text = changed(overlay(method, struct, names=["T.F"]))

    assert f"{{{_DELAY} t.zzBenchAuditBodyF() }}" in text
    assert "func (t *T) zzBenchAuditBodyF() { t.next.zzBenchAuditBodyF() }" in text


@pytest.mark.parametrize(
    "struct",
    [
        library("package m\ntype T struct{ next *T }\n", "d/t.go", f"{UNIT}/d"),
        benchmarks("package m\ntype T struct{ next *T }\n"),
        library("package m\nfunc f() { type T struct{ next *T } }\n", "t.go"),
        library("package m\ntype T struct{ in struct{ next *T } }\n", "t.go"),
    ],
)
def test_a_field_of_another_type_is_no_call_of_the_method_itself(struct):
    method = library("package m\nfunc (t *T) F() { t.next.F() }\n")
    text = changed(overlay(method, struct, names=["T.F"]))

    assert "zzBenchAuditBody" not in text


def test_a_guarded_delay_brings_the_part_of_the_guest_that_it_needs():
    source = library("package m\nfunc F() {}\n")
    guarded, free = overlay(source, names=["F"], guarded=True), overlay(source, names=["F"])
    more = {file.path for file in guarded.files} - {file.path for file in free.files}

    assert "ExitGuarded(zzBenchAudit.EnterGuarded())" in changed(guarded)
    assert {path.split("/")[1].split(".")[0].split("_")[0] for path in more} == {
        "guarded",
        "goroutine",
    }


def test_benchmarks_are_hooked_whatever_they_call_their_parameter():
    test = benchmarks(
        'package m_test\nimport check "testing"\nfunc BenchmarkA(bench *check.B) {}\n'
        "func BenchmarkB(_ *check.B) {}\nfunc BenchmarkC(*check.B) {}\n"
        'func BenchmarkD(b *check.B) { b.Run("", func(c *check.B) {}) }\n'
    )
    lines = changed(overlay(library("package m\nfunc F() {}\n"), test, names=["F"]), "m_test.go")
    a, b, c, d = lines.splitlines()[2:6]

    assert a.endswith("{ zzBenchAudit.Run(bench, &bench.N, func() {}) }")
    assert b.startswith("func BenchmarkB(zzBenchAuditB *check.B) { zzBenchAudit.Run(")
    assert c.startswith("func BenchmarkC(zzBenchAuditB *check.B) { zzBenchAudit.Run(")
    assert "Run(b, &b.N, func() {" in d
    assert "func(c *check.B) { zzBenchAudit.Run(c, &c.N, func() {}) }" in d


def test_text_with_a_new_of_a_value_is_kept():
    body = "{ p := new(n + 1); return p }"
    copied = changed(
        overlay(
            library(f"package m\nfunc F(n int) *int {body}\n"), names=["F"], has_plain_blocks=True
        )
    )
    test = 'package m\nimport "testing"\nfunc BenchmarkF(b *testing.B) { F(*new(7)) }\n'
    variant = overlay(library("package m\nfunc F(n int) {}\n"), benchmarks(test), names=["F"])

    assert copied.count("p := new(n + 1); return p }") == 2
    assert "zzBenchAudit.Run(b, &b.N, func() { F(*new(7)) })" in changed(variant, "m_test.go")


def test_what_testing_never_calls_as_a_benchmark_is_not_hooked():
    test = benchmarks(
        'package m\nimport "testing"\nfunc a(b *testing.B, n int) {}\nfunc c(t *testing.T) {}\n'
        "func d(b *testing.B) int { return 1 }\nfunc e(b *other.B) {}\n"
    )
    variant = overlay(library("package m\nfunc F() {}\n"), test, names=["F"])

    assert "m_test.go" not in [file.path for file in variant.files]


def test_the_guest_hears_of_a_timer_that_is_reset():
    test = benchmarks(
        'package m\nimport . "testing"\nfunc BenchmarkA(b *B) { b.ResetTimer() }\n'
        "func BenchmarkB(b *B) {\nouter:\n\tfor b.Loop() { continue outer }\n}\n"
    )
    text = changed(overlay(library("package m\nfunc F() {}\n"), test, names=["F"]), "m_test.go")

    assert "zzBenchAudit.Reset(); b.ResetTimer()" in text
    assert "zzBenchAudit.Reset(); outer:\n\tfor b.Loop()" in text


def test_the_guest_lies_below_the_package_with_the_shortest_path():
    deep = library("package d\nfunc F() {}\n", "x/d/d.go", f"{UNIT}/d")
    top = library("package m\nfunc F() {}\n", "x/m.go")
    variant = overlay(deep, top, names=["/d.F"])

    assert "x/zz_bench_audit_guest/delay.go" in [file.path for file in variant.files]
    assert f'import zzBenchAudit "{UNIT}/zz_bench_audit_guest"' in changed(variant, "x/d/d.go")


@pytest.mark.parametrize(
    ("paths", "place"),
    [
        (("x/a/internal/p", "x/b/internal/q"), "x/a"),
        (("x/a/internal/p/internal/r", "x/a/internal/p/s"), "x/a/internal/p/s"),
        (("x/internal/p/internal/r", "x/internal/q/internal/s"), "x/internal/p"),
        (("x/internal/p", "x/internal/q"), "x/internal/p"),
    ],
)
def test_the_guest_lies_where_all_packages_may_import_it(paths, place):
    units = {path: UNIT + path.removeprefix("x") for path in paths}
    sources = [library("package p\nfunc F() {}\n", f"{path}/p.go", units[path]) for path in paths]
    variant = overlay(*sources, names=[f"{sources[1].unit.removeprefix(UNIT)}.F"])

    assert f"{place}/zz_bench_audit_guest/delay.go" in [file.path for file in variant.files]
    guest = f"{UNIT}{place.removeprefix('x')}/zz_bench_audit_guest"
    assert f'import zzBenchAudit "{guest}"' in changed(variant, f"{paths[1]}/p.go")


@pytest.mark.parametrize(
    ("kind", "built"), [(VariantKind.COUNTING, (f"changed\t.\t{UNIT}",)), (VariantKind.DELAYED, ())]
)
def test_an_overlay_names_packages_with_tests_and_those_to_be_built_before_them(kind, built):
    """A delay is in one package, which is built with the programs that are run."""
    test = benchmarks("package m\n")
    variant = overlay(library("package m\nfunc F() {}\n"), test, names=["F"], kind=kind)

    assert variant.instructions == (*built, f"tests\t.\t{UNIT}")


def test_the_plain_variant_has_no_overlay():
    assert GoMutator().build_overlay([library("package m\n")], PLAIN) == Overlay()


def test_a_method_that_cannot_be_slowed_is_refused_with_its_reason():
    refusal = overlay(library("package m\nfunc F()\n"), names=["F"])

    assert isinstance(refusal, OverlayRefusal)
    assert "no body" in refusal.reason


def test_a_method_that_the_sources_do_not_declare_is_refused():
    (method,) = GoMutator().find_methods([library("package m\nfunc F() {}\n")])
    refusal = GoMutator().build_overlay(
        [library("package m\nfunc G() {}\n")], Variant(VariantKind.DELAYED, (method,))
    )

    assert refusal == OverlayRefusal(f"the sources that are built do not declare {UNIT}.F")


_FUNCTIONS = st.lists(
    st.sampled_from(
        (
            "func {n}() {{}}",
            "func {n}(x int) (y int) {{\n\ty = x // é\n\treturn\n}}",
            "func ({n}) M() {{ panic({{}}) }}",
            "var {n} = func() {{ /* }} */ }}",
            "type {n} struct{{ a, b int }}",
        )
    ),
    max_size=5,
)


@given(_FUNCTIONS)
def test_all_bytes_of_a_file_and_its_lines_are_kept(parts):
    body = "\n\n".join(part.format(n=f"N{index}") for index, part in enumerate(parts))
    source = library(f"package m\n\n{body}\nfunc Last() {{}}\n")
    methods = [method for method in GoMutator().find_methods([source]) if not method.refusal]
    variant_overlay = GoMutator().build_overlay(
        [source], Variant(VariantKind.COUNTING, tuple(methods))
    )
    text = changed(variant_overlay)
    for token in range(len(methods)):
        text = text.replace(f" defer zzBenchAudit.Done(zzBenchAudit.Count({token}));", "")
    restored_text, _, seen_call = text.replace(_IMPORT, "").rpartition("\nvar _ = ")

    assert restored_text.encode() == source.text
    assert seen_call.startswith("zzBenchAudit.Seen(")
