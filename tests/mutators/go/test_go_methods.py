"""Which methods a Go library has."""

import pytest
from go_making import UNIT, benchmarks, left_out, library, methods

from auditor.core.subject import Span
from mutators.go import GoMutator


def test_functions_and_methods_are_named_by_import_path_and_type():
    result = methods(
        "package m\nfunc F() {}\nfunc (T) A() {}\nfunc (t *T) B() {}\nfunc (s *S[K, V]) C() {}\n"
    )

    assert list(result) == [f"{UNIT}.{name}" for name in ("F", "T.A", "T.B", "S.C")]


def test_exported_methods_of_exported_types_are_public():
    result = methods("package m\nfunc F() {}\nfunc g() {}\nfunc (T) A() {}\nfunc (u) A() {}\n")

    assert [method.public for method in result.values()] == [True, False, True, False]


def test_entry_points_of_go_fuzz_are_not_public():
    result = methods(
        "package m\nfunc Fuzz(data []byte) int {}\nfunc FuzzTree(data []byte) (n int) {}\n"
        "func FuzzRate(rate float64) int {}\nfunc Fuzzy(data []byte) int {}\n"
        "func Hash(data []byte) int {}\nfunc FuzzAll(data []byte) error {}\n"
    )

    assert [method.name for method in result.values() if method.public] == [
        "FuzzRate",
        "Fuzzy",
        "Hash",
        "FuzzAll",
    ]


def test_each_parameter_has_its_type():
    (method,) = methods("package m\nfunc F(a, b int, _ map[string]*T, more ...error) {}\n").values()

    assert method.parameters == ("int", "int", "map[string]*T", "...error")


def test_the_span_is_that_of_the_declaration():
    (method,) = methods("package m\n\nfunc F() {\n}\n").values()

    assert method.span == Span("m.go", 3, 4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("func F(x int) int", "no body"),
        ("func init() {}", "called by the runtime"),
        ("//go:nosplit\nfunc F() {}", "go:nosplit"),
        ("// F does.\n//\n//go:nosplit\nfunc F() {}", "go:nosplit"),
        ("func F(n int) { F := F; F(n - 1) }", "hides"),
        ("func F(n int) { type F = int; F(n) }", "hides"),
        ("func F(n int) (F func(int)) { F(n - 1); return }", "hides"),
        ("func F(F ...func()) { F(0) }", "hides"),
        ("func (t *T) F() { switch t := t.next.(type) { case *U: t.F() } }", "hides"),
        ("func (t *T) F() { select { case t := <-t.others: t.F() } }", "hides"),
        ("func (t *T) F() { select { case t, ok := <-t.others: t.F() } }", "hides"),
        ("func (t *T) F() { each(func(t ...U) { t[0].F() }); t.F() }", "hides"),
        ("func F(n int) { recover(); F(n - 1) }", "recover"),
        ('import "runtime"\nfunc F(n int) { runtime.Caller(1); F(n - 1) }', "call stack"),
        ('import d "runtime/debug"\nfunc F(n int) { func() { d.Stack() }(); F(0) }', "call stack"),
        ("func F(x struct {\n a int\n}) { F(x) }", "several lines"),
    ],
)
def test_what_cannot_be_slowed_says_why(text, reason):
    (method,) = methods(f"package m\n{text}\n").values()

    assert reason in (method.refusal or "")


@pytest.mark.parametrize(
    "body",
    ["select { case t = <-t.others: t.F() }", "for t = range t.others { t.F() }"],
)
def test_a_receiver_with_another_value_is_still_the_receiver(body):
    (method,) = methods(f"package m\nfunc (t *T) F() {{ {body} }}\n").values()

    assert method.refusal is None


ITERATOR = "{ return func(yield func(int) bool) { yield(n) } }"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"func F(n int) iter.Seq[int] {ITERATOR}", "an iterator"),
        (f"func F(n int) func(func(int) bool) {ITERATOR}", "an iterator"),
        (f"func F(n int) iter.Seq[int] {{ n++; {ITERATOR[2:]}", "an iterator"),
        ("func F() Seq { return Seq(func(yield func(K, V) bool) { yield(k, v) }) }", "an iterator"),
        ("func F(m M) iter.Seq[int] { return maps.Keys(m.values) }", "an iterator"),
        ("func F(m M) iter.Seq[int] { n++; return maps.Keys(m.values) }", "an iterator"),
    ],
)
def test_a_function_whose_work_is_in_the_iterator_that_it_returns_is_refused(text, reason):
    (method,) = methods(f'package m\nimport ("iter"; "maps")\n{text}\n').values()

    assert reason in (method.refusal or "")


@pytest.mark.parametrize(
    "text",
    [
        "func F(n int) func() int { n = g(n); return func() int { return n } }",
        f"func F(n int) iter.Seq[int] {{ n = g(n); {ITERATOR[2:]}",
        f"func F(n int) iter.Seq[int] {{ for range n {{ n++ }}; {ITERATOR[2:]}",
        "func F(n int) int { return sort.Search(n, func(i int) bool { return i > n }) }",
        "func F(m M) iter.Seq[int] { return maps.Keys(sorted(m)) }",
        "func F(m M) iter.Seq[int] { return g(m) }",
        "func F() func(func(int) int) { return func(visit func(int) int) { visit(1) } }",
        "func F(m M) []int { return slices.Clone(m) }",
        "func F() (func(), error) { return func() { g() }, g() }",
        "func F() {}",
        "func F() { return }",
    ],
)
def test_a_function_that_works_before_it_returns_is_slowed(text):
    (method,) = methods(f'package m\nimport ("iter"; "maps"; "slices")\n{text}\n').values()

    assert method.refusal is None


@pytest.mark.parametrize(
    "text",
    [
        "func F(n int) Option { return func(o *options) { o.size = n } }",
        "func F(n int) func() int { return func() int { return g(n) } }",
        "func F() H { return http.HandlerFunc(func(w W, r *R) { g(w) }) }",
        "func F() H { return H(func(w W, r *R) { g(w) }) }",
    ],
)
def test_a_function_that_only_makes_a_function_cannot_get_slower(text):
    (method,) = methods(f"package m\n{text}\n").values()

    assert method.trivial == "it only makes a function: the work is in that one"
    assert method.refusal is None


@pytest.mark.parametrize(
    "text",
    [
        "func (t *T) F(each func(t *T) bool) { each(t); t.left.F(each) }",
        "func (t *T) F(v interface{ Visit(t *T) (x int) }) { t.F(v) }",
        "func (t *T) F() { var x struct{ each func(t T) }; _ = x; t.F() }",
        "func F(each func(F int)) func(F int) { each(1); return F(each) }",
    ],
)
def test_a_name_inside_a_type_hides_nothing(text):
    (method,) = methods(f"package m\n{text}\n").values()

    assert method.refusal is None


def test_an_ordinary_function_below_one_that_may_not_be_split_is_not_refused():
    result = methods("package m\n//go:nosplit\nfunc F() {}\nfunc G() {}\n")

    assert result[f"{UNIT}.G"].refusal is None


def test_a_function_that_cannot_be_parsed_is_refused_and_the_others_are_not():
    result = methods("package m\nfunc F() { if }\nfunc G() {}\n")

    assert result[f"{UNIT}.F"].refusal == "its source could not be parsed"
    assert result[f"{UNIT}.G"].refusal is None


@pytest.mark.parametrize(
    "value",
    [
        "42",
        "f(3)",
        "new(1)",
        "x + 1",
        "T{new(2)}",
        "f(new(T), ')')",
        '"a)"',
        "[]int{1}",
        "-x",
        "*x",
    ],
)
def test_new_may_have_a_value(value):
    text = f"package m\nfunc F() *int {{ p := new({value}); return p }}\nfunc G() {{ if }}\n"
    result = methods(text)

    assert result[f"{UNIT}.F"].refusal is None
    assert result[f"{UNIT}.G"].refusal == "its source could not be parsed"


@pytest.mark.parametrize(
    "spelling",
    ["example.org/m.T.B", "m.T.B", "example.org/m.(*T).B", "example.org/m.T[K].B()", "T.B", "B"],
)
def test_a_method_is_known_by_the_ways_people_write_it(spelling):
    (method,) = GoMutator().find_methods([library("package m\nfunc (t *T[K]) B() {}\n")])

    assert GoMutator().matches_name(spelling, method)
    assert not GoMutator().matches_name("U.B", method)
    assert not GoMutator().matches_name("xT.B", method)


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("//go:build never && !x\r\n\npackage m\nfunc G() {}\n", "g.go", "//go:build never && !x"),
        ("package m\nfunc G() {}\n", "d/g_windows.go", "g_windows.go"),
        ('package m\nimport "C"\nfunc G() {}\n', "g.go", 'import "C"'),
    ],
)
def test_what_is_not_built_is_refused_with_what_keeps_it_out(text, path, reason):
    sources = [library("package m\nfunc F() {}\n"), left_out(text, path)]
    refusals = {method.id: method.refusal for method in GoMutator().find_methods(sources)}

    assert refusals == {
        f"{UNIT}.F": None,
        f"{UNIT}.G": f"left out by the build tags in force ({reason})",
    }


def test_what_is_not_built_is_no_method_beside_one_that_is_nor_of_another_package():
    built = library("package m\nfunc F() {}\n")
    excluded_files = left_out("package m\nfunc F() {}\n"), left_out("package main\nfunc G() {}\n")

    assert [method.refusal for method in GoMutator().find_methods([built, *excluded_files])] == [
        None
    ]


def public(*sources):
    return [method.id for method in GoMutator().find_methods(sources) if method.public]


@pytest.mark.parametrize(
    "text",
    [
        "func New() *tree { return nil }",
        "func All() ([]tree, error) { return nil, nil }",
        "type Ring struct { tree }",
        "type Ring struct { *tree; size int }",
        "type Ring struct { Root *tree }",
        "type Rings []tree",
        "type Alias = tree",
        "type API interface { Tree() *tree }",
        "type ring struct { tree }\nfunc New() ring { return ring{} }",
        "type Ring struct{}\nfunc (r Ring) Tree() tree { return r.tree }",
        "var Default = &tree{}",
        "var (\n\tDefault tree\n)",
        "const Red, Green tree = 1, 2",
        "type alias = tree\nfunc New() *alias { return nil }",
    ],
)
def test_methods_of_an_unexported_type_that_clients_get_are_public(text):
    found_methods = methods("package m\nfunc (t *tree) Push() {}\n", f"package m\n{text}\n")

    assert found_methods[f"{UNIT}.tree.Push"].public


@pytest.mark.parametrize(
    "text",
    [
        "func build() *tree { return nil }",
        "func New(t *tree) int { return 0 }",
        "func New() other.tree { return x }",
        "type Option func(*tree)",
        "type Ring struct { root *tree }",
        "type Tree tree",
        "type ring struct { tree }",
        "type ring struct{}\nfunc (r ring) Tree() tree { return r.tree }",
        "var initial = tree{}",
        "func New() int { return len(tree{}) }",
        "type API interface { Get() int; hidden() *tree }",
    ],
)
def test_methods_of_an_unexported_type_that_clients_cannot_get_are_not_public(text):
    found_methods = methods("package m\nfunc (t *tree) Push() {}\n", f"package m\n{text}\n")

    assert not found_methods[f"{UNIT}.tree.Push"].public


@pytest.mark.parametrize(
    ("text", "is_public"),
    [
        ("type Tree interface{ Push() }\nfunc New() Tree { return &tree{} }", True),
        ("type Tree interface{ Push(); size() int }\nfunc (t *tree) size() int {}", True),
        ("type Tree interface{ pusher }\ntype pusher interface{ Push() }", True),
        (
            "type Tree interface{ Push(); Pop() }\n"
            "type base struct{}\nfunc (base) Pop() {}\ntype tree struct{ base }",
            True,
        ),
        ("type Tree interface{ Push(); Pop() }", False),
        ("type pusher interface{ Push() }", False),
        ("type Tree interface{ Pop() }\nfunc (t *tree) Pop() {}", False),
        ("type Tree interface{ any }", False),
        ("type Tree interface{ ~int; Push() }", False),
        ("type Tree interface{ []int | string; Push() }", False),
        ("type Tree interface{ Size; Push() }\ntype Size int", False),
        ("type Tree interface{ Push(int) }", False),
        ("type Tree interface{ Push() error }", False),
        ("type Tree interface{ other.Kind; Push() }", False),
        ("type Tree interface{ io.Closer; Push() }", False),
        ("type Tree interface{ io.Closer; Push() }\nfunc (tree) Close() error {}", True),
        ("type Tree interface{ Push(); Pop() }\ntype tree struct{ Tree }", True),
        ("type Tree interface{ Push(); Pop() }\ntype tree struct{ Pop func() }", False),
    ],
)
def test_methods_by_which_an_unexported_type_implements_an_interface_are_public(text, is_public):
    found_methods = methods("package m\nfunc (t *tree) Push() {}\n", f"package m\n{text}\n")

    assert found_methods[f"{UNIT}.tree.Push"].public is is_public


def test_a_promoted_method_that_implements_an_interface_is_public_where_it_is_declared():
    found_methods = methods(
        "package m\ntype Tree interface{ Push(); Pop() }\ntype tree struct{ base }\n"
        "func (tree) Push() {}\nfunc (base) Pop() {}\nfunc (base) Len() {}\ntype base struct{}\n"
    )

    assert [method.name for method in found_methods.values() if method.public] == ["Push", "Pop"]


def test_interfaces_of_other_packages_make_methods_public_if_clients_can_import_these():
    interface = "type Tree interface{ Push() }\n"
    tree = library("package m\nfunc (tree) Push() {}\n")
    interface_sources = [
        library(f"package {name}\n{interface}", f"{name}/m.go", f"{UNIT}/{name}")
        for name in ("internal", "inner")
    ]

    assert public(tree, interface_sources[0]) == []
    assert public(tree, interface_sources[1]) == [f"{UNIT}.tree.Push"]


def test_an_interface_with_an_unexported_method_is_that_of_its_package_alone():
    interface = "type Tree interface{ Push(); push() }\n"
    tree = library("package m\nfunc (tree) Push() {}\nfunc (tree) push() {}\n")

    assert public(tree, library(f"package inner\n{interface}", "inner/m.go", f"{UNIT}/inner")) == []


@pytest.mark.parametrize(
    ("text", "is_public"),
    [
        ("type Ring struct{ shape }\nfunc (Ring) Len() {}", False),
        ("type Ring struct{ *shape; Len int }", False),
        ("type Ring struct{ shape }\nfunc (Ring) Size() {}", True),
        ("type Ring struct{ shape }\nfunc (Ring) Len() {}\ntype Box struct{ shape }", True),
        ("type Ring struct{ shape }\nfunc (Ring) Len() {}\nvar Empty shape", True),
        ("type Ring struct{ ring }\nfunc (Ring) Len() {}\ntype ring struct{ shape }", False),
        ("type Ring struct{ ring }\ntype ring struct{ shape; *ring }\nfunc (ring) Len() {}", False),
        ("type Ring struct{ ring }\ntype ring struct{ shape }", True),
        (
            "type Ring struct{ ring }\nfunc (Ring) Len() {}\n"
            "type ring struct{ shape; *hoop }\ntype hoop struct{ *ring }",
            False,
        ),
    ],
)
def test_a_method_that_all_embedding_types_shadow_is_not_public(text, is_public):
    shape = "package m\ntype shape struct{}\nfunc (shape) Len() {}\n"

    assert methods(f"{shape}{text}\n")[f"{UNIT}.shape.Len"].public is is_public


def test_a_method_of_an_alias_is_one_of_its_type():
    (method,) = methods(
        "package m\nfunc (a *alias) Push() {}\n",
        "package m\ntype Ring struct{ next *Ring }\ntype (\n\tother = Ring\n\talias = other\n)\n",
    ).values()

    assert (method.id, method.owner, method.public) == (f"{UNIT}.Ring.Push", f"{UNIT}.Ring", True)


EXPORTED = "package m\nfunc Push() {}\nfunc pop() {}\n"


def test_what_other_modules_cannot_import_is_not_public():
    ring = library(EXPORTED)
    inner = library(EXPORTED, "internal/deep/m.go", f"{UNIT}/internal/deep")
    program = library(EXPORTED.replace("package m", "package main"), "cmd/m.go", f"{UNIT}/cmd")
    internals = library(EXPORTED, "internals/m.go", f"{UNIT}/internals")

    assert public(ring, inner, program, internals) == [f"{UNIT}.Push", f"{UNIT}/internals.Push"]
    assert {method.id for method in GoMutator().find_methods([ring, inner])} == {
        f"{UNIT}.{name}" for name in ("Push", "pop")
    } | {f"{UNIT}/internal/deep.{name}" for name in ("Push", "pop")}


def test_a_module_below_an_internal_folder_is_importable_there():
    unit = "example.org/all/internal/ring"

    assert public(
        library(EXPORTED, unit=unit), library(EXPORTED, "internal/m.go", f"{unit}/internal")
    ) == [f"{unit}.Push"]


def test_where_nothing_can_be_imported_what_is_exported_is_public():
    inner = library(EXPORTED, "internal/m.go", f"{UNIT}/internal")
    program = library(EXPORTED.replace("package m", "package main"))

    assert public(inner, program) == [f"{UNIT}/internal.Push", f"{UNIT}.Push"]


def test_where_only_what_cannot_be_imported_has_benchmarks_all_that_is_exported_is_public():
    version = library(EXPORTED, "version/m.go", f"{UNIT}/version")
    inner = library(EXPORTED, "internal/m.go", f"{UNIT}/internal")
    bench = "package m\nfunc BenchmarkPush(b *testing.B) {}\n"
    inside = benchmarks(bench, "internal/m_test.go", f"{UNIT}/internal")
    outside = benchmarks(bench, "version/m_test.go", f"{UNIT}/version")

    assert public(version, inner, inside) == [f"{UNIT}/version.Push", f"{UNIT}/internal.Push"]
    assert public(version, inner, inside, outside) == [f"{UNIT}/version.Push"]


def test_examples_and_benchmarks_are_no_library():
    ring = library(EXPORTED, "ring/m.go", f"{UNIT}/ring")
    inner = library(EXPORTED, "internal/m.go", f"{UNIT}/internal")
    example = library(EXPORTED, "examples/tree/m.go", f"{UNIT}/examples/tree")
    helper = library(EXPORTED, "benchmarks/m.go", f"{UNIT}/benchmarks")
    bench = "package m\nfunc BenchmarkPush(b *testing.B) {}\n"
    measured = benchmarks(bench, "benchmarks/m_test.go", f"{UNIT}/benchmarks")

    assert public(ring, example, helper, measured) == [f"{UNIT}/ring.Push"]
    assert public(inner, example) == [f"{UNIT}/internal.Push"]
    assert public(example) == [f"{UNIT}/examples/tree.Push"]

    program = library(EXPORTED.replace("package m", "package main"), "bench/m.go", f"{UNIT}/bench")
    measured = benchmarks(bench, "bench/m_test.go", f"{UNIT}/bench")
    assert public(ring, inner, program, measured) == [f"{UNIT}/ring.Push"]


@pytest.mark.parametrize(
    ("folder", "is_api"), [("latest", True), ("testutil", False), ("a/iotest", False)]
)
def test_helpers_of_tests_are_no_library_beside_others(folder, is_api):
    ring = library(EXPORTED, "ring/m.go", f"{UNIT}/ring")
    helpers = library(EXPORTED, f"{folder}/m.go", f"{UNIT}/{folder}")

    assert (f"{UNIT}/{folder}.Push" in public(ring, helpers)) == is_api
    assert public(helpers) == [f"{UNIT}/{folder}.Push"]


def test_what_cannot_be_slowed_hides_nothing():
    inner = library(EXPORTED, "internal/m.go", f"{UNIT}/internal")
    empty = library("package m\nfunc Push()\n")

    assert f"{UNIT}/internal.Push" in public(empty, inner)


def test_type_parameters_of_a_function_or_receiver_make_a_method_generic():
    result = methods(
        "package m\nfunc F[T any](v T) {}\nfunc G(v []int) {}\nfunc (s *S[K]) H() {}\n"
        "func (t *T) I(v [2]int) {}\n"
    )

    assert [method.name for method in result.values() if method.generic] == ["F", "H"]
