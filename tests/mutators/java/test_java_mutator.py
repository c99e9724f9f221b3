"""Methods from a list of classes and from sources."""

import json

import pytest

from auditor.core.errors import SourceUnreadable
from auditor.core.mutant import PLAIN, Overlay, OverlayRefusal, Variant, VariantKind
from auditor.core.subject import SourceFile, SourceRole, Span
from mutators.java.mutator import JavaMutator

PUBLIC, PRIVATE, PROTECTED = 1, 2, 4
STATIC, FINAL, NATIVE, ABSTRACT, ENUM = 8, 16, 0x100, 0x400, 0x4000

SOURCE = b"""package org.example;

class Text {
    Text(int size) {
        super();
    }

    String format(final java.util.Map<String, ? extends T> values, int[]... more) {
        return "";
    }

    String format(String one) { return one; }

    static class Inner {
        @Override
        public String toString() {
            return "";
        }
    }

    record Pair(int one, String other) {
        Pair {
            one = 1;
        }
    }
}
"""


def method(name, descriptor="()V", **more):
    line = {
        "kind": "method",
        "part": "library.jar",
        "owner": "org/example/Text",
        "owner_access": PUBLIC,
        "name": name,
        "descriptor": descriptor,
        "signature": None,
        "access": PUBLIC,
        "nests": [],
    }
    return line | more


def make_sources(*lines, source=None):
    text = "\n".join(json.dumps(line) for line in lines).encode()
    files = [listing(text)]
    if source is not None:
        path = "org/example/Text.java"
        files.append(SourceFile(path=path, unit="src", role=SourceRole.LIBRARY, text=source))
    return files


def listing(text):
    return SourceFile(path="classes.jsonl", unit="classes", role=SourceRole.LIBRARY, text=text)


def ids(*lines):
    return [java_method.id for java_method in JavaMutator().find_methods(make_sources(*lines))]


def test_parameters_are_in_the_id_only_where_a_name_is_overloaded():
    names = ids(
        method("one", "(I)V"),
        method("two", "(I)V"),
        method("two", "(Ljava/lang/String;[J)V"),
        method("<init>"),
    )

    assert names == [
        "org.example.Text.one",
        "org.example.Text.two(int)",
        "org.example.Text.two(String,long[])",
        "org.example.Text.<init>",
    ]


def test_types_with_one_simple_name_are_told_apart():
    names = ids(method("at", "(Ljava/util/Date;)V"), method("at", "(Ljava/sql/Date;)V"))

    assert names == ["org.example.Text.at(java.util.Date)", "org.example.Text.at(java.sql.Date)"]


def test_nested_types_are_written_with_dots_and_anonymous_ones_are_not():
    inner = [["org/example/Text$In", "org/example/Text", "In", PUBLIC | STATIC]]
    hidden = [["org/example/Text$1", None, None, 0]]

    names = ids(
        method("a", owner="org/example/Text$In", nests=inner),
        method("b", owner="org/example/Text$1", nests=hidden),
    )

    assert names == ["org.example.Text.In.a", "org.example.Text$1.b"]


def test_what_the_compiler_adds_to_constructors_is_no_parameter():
    inner = [["org/example/Text$In", "org/example/Text", "In", PUBLIC]]

    inner_constructor, enum_constructor = JavaMutator().find_methods(
        make_sources(
            method("<init>", "(Lorg/example/Text;I)V", owner="org/example/Text$In", nests=inner),
            method("<init>", "(Ljava/lang/String;IJ)V", owner_access=PUBLIC | ENUM),
        )
    )

    assert (inner_constructor.parameters, enum_constructor.parameters) == (("int",), ("long",))


def test_static_initialisers_and_generated_benchmark_code_are_left_out():
    generated = "org/example/jmh_generated/Bench_one_jmhTest"

    assert ids(method("<clinit>"), method("run", owner=generated)) == []


def test_of_two_classes_with_one_name_the_first_on_the_class_path_counts():
    names = ids(method("a"), method("b"), method("a", part="other.jar"))

    assert names == ["org.example.Text.a", "org.example.Text.b"]


@pytest.mark.parametrize(
    ("changed", "public"),
    [
        ({}, True),
        ({"access": PROTECTED}, True),
        ({"access": PROTECTED, "owner_access": PUBLIC | FINAL}, False),
        ({"access": PRIVATE}, False),
        ({"access": 0}, False),
        ({"owner_access": 0}, False),
    ],
)
def test_public_is_what_users_of_the_library_can_call(changed, public):
    (java_method,) = JavaMutator().find_methods(make_sources(method("a", **changed)))

    assert java_method.public is public


def test_a_package_that_a_module_does_not_export_is_not_public():
    module = {"kind": "module", "part": "library.jar", "exports": ["org/other"]}

    (java_method,) = JavaMutator().find_methods(make_sources(module, method("a")))

    assert not java_method.public


def test_a_member_of_a_hidden_type_is_not_public():
    inner = [["org/example/Text$In", "org/example/Text", "In", PRIVATE | STATIC]]

    (java_method,) = JavaMutator().find_methods(
        make_sources(method("a", owner="org/example/Text$In", nests=inner))
    )

    assert not java_method.public


def test_spans_are_found_by_type_and_name_and_parameters():
    inner = [["org/example/Text$Inner", "org/example/Text", "Inner", STATIC]]
    pair = [["org/example/Text$Pair", "org/example/Text", "Pair", STATIC]]
    signature = "(Ljava/util/Map<Ljava/lang/String;+TT;>;[[I)Ljava/lang/String;"

    methods = JavaMutator().find_methods(
        make_sources(
            method("format", "(Ljava/util/Map;[[I)Ljava/lang/String;", signature=signature),
            method("format", "(Ljava/lang/String;)Ljava/lang/String;"),
            method("<init>", "(I)V"),
            method("toString", owner="org/example/Text$Inner", nests=inner),
            method("<init>", "(ILjava/lang/String;)V", owner="org/example/Text$Pair", nests=pair),
            method("implicit"),
            source=SOURCE,
        )
    )

    lines = [
        (java_method.span.first_line, java_method.span.last_line) if java_method.span else None
        for java_method in methods
    ]
    assert lines == [(8, 10), (12, 12), (4, 6), (15, 18), (22, 24), None]
    assert methods[0].span == Span("org/example/Text.java", 8, 10)


def test_a_source_that_does_not_parse_costs_no_more_than_its_spans():
    methods = JavaMutator().find_methods(
        make_sources(method("a"), source=b"package org.example; class {{{ \xff")
    )

    assert [java_method.span for java_method in methods] == [None]


@pytest.mark.parametrize(("access", "word"), [(ABSTRACT, "abstract"), (NATIVE, "native")])
def test_what_has_no_body_is_refused_with_the_reason(access, word):
    mutator = JavaMutator()
    files = make_sources(method("a", access=PUBLIC | access))

    (java_method,) = mutator.find_methods(files)
    refused = mutator.build_overlay(files, Variant(VariantKind.DELAYED, (java_method,)))

    assert word in java_method.refusal
    assert java_method.trivial == ("it is abstract" if word == "abstract" else None)
    assert refused == OverlayRefusal(java_method.refusal)


def test_an_overlay_is_an_instruction_to_the_agent_for_each_method():
    mutator = JavaMutator()
    files = make_sources(method("a"), method("b", "(I)V"))
    methods = tuple(mutator.find_methods(files))

    counting = mutator.build_overlay(files, Variant(VariantKind.COUNTING, methods))
    delayed = mutator.build_overlay(files, Variant(VariantKind.DELAYED, methods[1:]))
    guarded = mutator.build_overlay(files, Variant(VariantKind.DELAYED, methods[1:], guarded=True))

    assert counting.instructions == (
        "count\t0\torg/example/Text.a()V",
        "count\t1\torg/example/Text.b(I)V",
        "library\torg/example/Text",
    )
    assert delayed.instructions == ("delay\t0\tfree\torg/example/Text.b(I)V",)
    assert guarded.instructions == ("delay\t0\tguarded\torg/example/Text.b(I)V",)
    assert mutator.build_overlay(files, PLAIN) == Overlay()


@pytest.mark.parametrize("broken", [b"{", b"[]", b'{"kind": 3}', b"\xff\xfe"])
def test_a_broken_list_is_one_error_with_its_line(broken):
    with pytest.raises(SourceUnreadable, match=r"classes.jsonl, line 1"):
        JavaMutator().find_methods([listing(broken)])


CODES = b"""package org.example;

public enum Code {
    A;

    public static Code valueOf(int number) {
        return lookup(number);
    }

    public record Point(int x) {
        public boolean equals(Point other) {
            return same(other);
        }
    }

    public record Line(int x) {
        public int x() {
            return x + shift;
        }

        public boolean equals(@Marked(by = @Reason(1)) Object other) {
            return same(other);
        }
    }

    public static class Plain {}

    public static class Filled {
        Filled(@Marked(by = @Reason(1)) int size) {
            grow(size);
        }

        void at(java.sql.Date date) { grow(1); }

        void at(java.util.Date date) {}
    }
}
"""


def code_facts():
    """Return the methods of `CODES` by what they are called without their package."""
    enum = {"owner": "org/example/Code", "owner_access": PUBLIC | ENUM}
    text, code = "Ljava/lang/String;", "Lorg/example/Code;"

    def nested(name, *members, above=()):
        owner = f"org/example/Code${name}"
        nests = [[owner, "org/example/Code", name, PUBLIC | STATIC]]
        more = {"owner": owner, "nests": nests, "above": list(above)}
        return [method(*member, **more) for member in members]

    equals, record = ("equals", "(Ljava/lang/Object;)Z"), ["java/lang/Record"]
    lines = [
        method("values", f"()[{code}", **enum),
        method("valueOf", f"({text}){code}", **enum),
        method("valueOf", f"(I){code}", **enum),
        *nested(
            "Point", ("<init>", "(I)V"), ("x", "()I"), equals,
            ("equals", "(Lorg/example/Code$Point;)Z"), above=record,
        ),
        *nested(
            "Line", ("<init>", "(I)V"), ("x", "()I"), equals, ("hashCode", "()I"), above=record,
        ),
        *nested("Plain", ("<init>", "()V")),
        *nested(
            "Filled", ("<init>", "(I)V"), ("at", "(Ljava/sql/Date;)V"),
            ("at", "(Ljava/util/Date;)V"),
        ),
    ]  # fmt: skip
    methods = JavaMutator().find_methods(make_sources(*lines, source=CODES))
    return {code_method.id.removeprefix("org.example."): code_method for code_method in methods}


COMPILED = {
    "Code.values", "Code.valueOf(String)", "Code.Point.<init>", "Code.Point.x",
    "Code.Point.equals(Object)", "Code.Line.<init>", "Code.Line.hashCode", "Code.Plain.<init>",
}  # fmt: skip


def test_members_that_the_compiler_makes_cannot_get_slower():
    facts = code_facts()

    trivial = {
        name for name, code_method in facts.items() if code_method.trivial == "the compiler made it"
    }
    assert trivial == COMPILED


def test_members_that_the_compiler_adds_to_enums_and_records_are_no_public_methods():
    facts = code_facts()

    hidden = {name for name, code_method in facts.items() if not code_method.public}
    assert hidden == COMPILED - {"Code.Plain.<init>"}


def test_no_method_has_the_lines_of_another_overload():
    lines = {
        name: code_method.span.first_line
        for name, code_method in code_facts().items()
        if code_method.span
    }

    assert lines == {
        "Code.valueOf(int)": 6,
        "Code.Point.equals(Point)": 11,
        "Code.Line.x": 17,
        "Code.Line.equals": 21,
        "Code.Filled.<init>": 29,
    }


def test_what_a_broken_source_does_not_show_is_not_made_by_the_compiler():
    broken = b"package org.example; class Text { new! Text(int size) { work(); } }"

    methods = JavaMutator().find_methods(make_sources(method("<init>", "(I)V"), source=broken))

    assert [code_method.trivial for code_method in methods] == [None]
