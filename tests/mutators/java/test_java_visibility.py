"""Public methods of Java that visible types inherit from hidden ones."""

import json

from auditor.core.subject import SourceFile, SourceRole
from mutators.java.mutator import JavaMutator
from mutators.java.stubs import write_stubs

PUBLIC, PRIVATE, PROTECTED, STATIC, FINAL = 1, 2, 4, 8, 16
INTERFACE = 0x200 | 0x400
TEXT = "Ljava/lang/String;"


def type_lines(name, access, *members, above=("java/lang/Object",), nests=(), part="a.jar"):
    """Return the lines of a type; a member is its name, its types and more keys of its line."""
    line = {
        "kind": "class",
        "part": part,
        "owner": f"a/{name}",
        "owner_access": access,
        "above": list(above),
        "nests": list(nests),
    }
    lines = []
    for member, descriptor, *more in members:
        keys = {"kind": "method", "name": member, "descriptor": descriptor, "access": PUBLIC}
        lines.append(line | keys | dict(*more))
    return lines or [line]


def nested(name, outer, access):
    return {"nests": [[f"a/{outer}${name}", f"a/{outer}", name, access]]}


def files(*types):
    lines = "\n".join(json.dumps(line) for lines in types for line in lines)
    role = SourceRole.LIBRARY
    return [SourceFile(path="classes.jsonl", unit="classes", role=role, text=lines.encode())]


def public_ids(*types):
    methods = JavaMutator().find_methods(files(*types))
    return [method.id.removeprefix("a.") for method in methods if method.public]


def test_what_a_public_class_inherits_from_a_hidden_one_is_public():
    base = type_lines(
        "Base",
        0,
        ("<init>", "()V"),
        ("push", "(I)V"),
        ("count", "()I", {"access": PUBLIC | STATIC}),
        ("grow", "()V", {"access": PROTECTED}),
        ("inner", "()V", {"access": 0}),
    )
    api = type_lines("Api", PUBLIC, ("run", "()V"), above=["a/Middle"])
    middle = type_lines("Middle", 0, ("<init>", "()V"), above=["a/Base"])

    assert public_ids(base, middle, api) == ["Base.push", "Base.count", "Base.grow", "Api.run"]


def test_what_only_hidden_classes_inherit_is_not_public():
    base = type_lines("Base", 0, ("push", "(I)V"))
    hidden = type_lines("Hidden", 0, ("run", "()V"), above=["a/Base"])

    assert public_ids(base, hidden) == []


def test_protected_methods_that_only_a_final_class_inherits_are_not_public():
    base = type_lines("Base", 0, ("grow", "()V", {"access": PROTECTED}), ("push", "(I)V"))
    api = type_lines("Api", PUBLIC | FINAL, ("run", "()V"), above=["a/Base"])

    assert public_ids(base, api) == ["Base.push", "Api.run"]


def test_an_overridden_method_of_a_hidden_class_is_not_public():
    base = type_lines(
        "Base",
        0,
        ("itself", "()La/Base;"),
        ("put", "(Ljava/lang/Object;)V", {"signature": "(TT;)V"}),
        ("put", "(I)V"),
        ("take", "(Ljava/lang/Object;)V"),
    )
    members = [("itself", "()La/Api;"), ("put", f"({TEXT})V"), ("take", f"({TEXT})V")]
    api = type_lines("Api", PUBLIC, *members, above=["a/Base"])

    public_methods = public_ids(base, api)

    assert public_methods[:2] == ["Base.put(int)", "Base.take"]
    assert len(public_methods) == 2 + len(members)


def test_a_hidden_interface_gives_its_default_methods_but_no_static_ones():
    interface = type_lines(
        "Marks", INTERFACE, ("mark", "()I"), ("none", "()I", {"access": PUBLIC | STATIC})
    )
    more = type_lines("More", PUBLIC | INTERFACE, above=["java/lang/Object", "a/Marks"])

    assert public_ids(interface, more) == ["Marks.mark"]


def test_a_method_of_a_hidden_class_comes_before_the_default_of_an_interface():
    interface = type_lines("Marks", INTERFACE, ("mark", "()I"))
    base = type_lines("Base", 0, ("mark", "()I"))
    api = type_lines("Api", PUBLIC, ("run", "()V"), above=["a/Base", "a/Marks"])

    assert public_ids(interface, base, api) == ["Base.mark", "Api.run"]


def test_public_types_in_a_hidden_class_are_visible_by_its_heirs():
    base = type_lines("Base", 0, ("<init>", "()V"))
    inner = type_lines("Base$In", PUBLIC, ("make", "()V"), **nested("In", "Base", PUBLIC | STATIC))
    api = type_lines("Api", PUBLIC, ("run", "()V"), above=["a/Base"])

    assert public_ids(base, inner) == []
    assert public_ids(base, inner, api) == ["Base.In.make", "Api.run"]


def test_an_exported_class_shows_what_it_inherits_from_an_internal_package():
    module = [{"kind": "module", "part": "a.jar", "exports": ["a"]}]
    internal = [line | {"owner": "b/Base"} for line in type_lines("Base", PUBLIC, ("push", "(I)V"))]
    api = type_lines("Api", PUBLIC, ("run", "()V"), above=["b/Base"])

    assert public_ids(module, internal) == []
    assert public_ids(module, internal, api) == ["b.Base.push", "Api.run"]


def test_a_type_with_only_constants_can_be_an_heir():
    base = type_lines("Marks", INTERFACE, ("mark", "()I"))
    start = ("<clinit>", "()V", {"access": STATIC})
    api = type_lines("Api", PUBLIC | INTERFACE, start, above=["java/lang/Object", "a/Marks"])

    assert public_ids(base, api) == ["Marks.mark"]


def test_a_stub_makes_an_heir_of_a_hidden_class():
    base = type_lines("Base", 0, ("push", "()V"))
    private = type_lines(
        "Api$Hidden", 0, ("pull", "()V"), **nested("Hidden", "Api", PRIVATE | STATIC)
    )
    api = type_lines("Api", PUBLIC, ("<init>", "()V"), above=["a/Base"])
    heir = type_lines(
        "Api$Heir",
        PUBLIC,
        ("<init>", "()V"),
        above=["a/Api$Hidden"],
        **nested("Heir", "Api", PUBLIC | STATIC),
    )
    sources = files(base, private, api, heir)
    methods = [method for method in JavaMutator().find_methods(sources) if method.public]
    samples = {"a.Api.<init>": ((),), "a.Api.Heir.<init>": ((),)}

    (stub,) = write_stubs(methods, samples, sources)

    assert "public a.Base basePushSubject = new a.Api();" in stub.text
    assert "public a.Api.Heir hiddenPullSubject = new a.Api.Heir();" in stub.text
    assert stub.incomplete == ()
