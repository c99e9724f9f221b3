"""What of a class two versions differ in, and how likely it is to be drawn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.concurrency.judge.focus import compute_draw_weights, find_focus_methods
from auditor.core.contracts.bytecode import BytecodeCall, ClassCode, FieldCode, MethodCode
from auditor.core.contracts.concurrency import FocusMethod
from auditor.core.contracts.concurrent_test import Member, MemberKind

PUBLIC = frozenset(("public",))
A, B = "org.example.A", "org.example.B"


def method(digest="same", *calls, flags=PUBLIC, **uses):
    return MethodCode(digest=digest, flags=flags, calls=calls, **uses)


def field(kind="int", *flags, values=()):
    return FieldCode(type=kind, flags=frozenset(flags), values=frozenset(values))


def version(**classes):
    """Return classes of one package from (superclass, methods, fields, interfaces)."""
    return {
        f"org.example.{name}": ClassCode(
            name=f"org.example.{name}",
            superclass=above,
            interfaces=interfaces,
            methods=methods,
            fields=fields,
        )
        for name, (above, methods, fields, interfaces) in classes.items()
    }


def of(methods, fields=None, above=None, interfaces=()):
    return above, methods, fields or {}, interfaces


def said(old, new, subject=A):
    return {
        focus_method.method: (focus_method.distance, focus_method.reason)
        for focus_method in find_focus_methods(old, new, subject)
    }


def member(name, kind=MemberKind.METHOD):
    return Member(kind=kind, owner=A, name=name)


def test_equal_versions_have_no_focus():
    same = version(A=of({"a()": method("one", BytecodeCall(A, "a()"))}, {"x": field()}))

    assert find_focus_methods(same, same, A) == ()


def test_each_call_on_the_way_to_a_change_is_one_step():
    calling = {
        "b()": method("b", BytecodeCall(B, "z(int)")),
        "c()": method("c", BytecodeCall(A, "b()")),
    }
    far = {"d()": method("d", BytecodeCall(A, "c()")), "other()": method("other")}
    old, new = (
        version(A=of(calling | far), B=of({"z(int)": method(digest)})) for digest in ("1", "2")
    )

    assert said(old, new) == {
        "b()": (1, "it calls B.z(int)"),
        "c()": (2, "it calls A.b(), and through it B.z(int)"),
        "d()": (3, "it calls A.c(), and through it B.z(int)"),
    }


def test_of_several_ways_to_a_change_the_shortest_counts():
    both = method("both", BytecodeCall(A, "near()"), BytecodeCall(A, "far()"))
    around = {"far()": method("far", BytecodeCall(A, "near()")), "both()": both}
    old, new = (version(A=of({"near()": method(digest), **around})) for digest in ("1", "2"))

    assert said(old, new)["both()"] == (1, "it calls A.near()")


def test_methods_that_call_each_other_come_to_an_end():
    ring = {
        "a()": method("a", BytecodeCall(A, "b()")),
        "b()": method("b", BytecodeCall(A, "a()"), BytecodeCall(B, "c()")),
    }
    old, new = (version(A=of(ring), B=of({"c()": method(digest)})) for digest in ("1", "2"))

    assert {name: far for name, (far, _) in said(old, new).items()} == {"a()": 2, "b()": 1}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (("public",), ("public", "synchronized"), "it became synchronized"),
        (("public", "synchronized"), ("public",), "it is no longer synchronized"),
        (("public", "final"), ("public", "static"), "it became static and is no longer final"),
    ],
)
def test_a_flag_that_changed_is_a_change(before, after, reason):
    old, new = (version(A=of({"a()": method(flags=frozenset(flags))})) for flags in (before, after))

    assert said(old, new) == {"a()": (0, reason)}


def test_a_flag_and_the_code_may_change_both():
    old = version(A=of({"a()": method("1")}))
    new = version(A=of({"a()": method("2", flags=PUBLIC | {"synchronized"})}))

    assert said(old, new) == {"a()": (0, "it became synchronized, and its code changed")}


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (field(), field("int", "volatile"), "became volatile"),
        (field("int", "volatile"), field(), "is no longer volatile"),
        (field(), field("java.util.concurrent.Semaphore"), "became a Semaphore"),
        (field(), field(values=("1",)), "gets another value at first"),
        (None, field(), "was added"),
        (field(), None, "was removed"),
    ],
)
def test_who_uses_a_field_that_changed_is_changed(before, after, what):
    methods = {
        "read()": method(reads=((A, "x"),)),
        "write()": method(writes=((A, "x"),)),
        "neither()": method(),
    }
    old, new = (
        version(A=of(methods, {} if one is None else {"x": one})) for one in (before, after)
    )

    assert said(old, new) == {
        "read()": (0, f"it reads the field x, which {what}"),
        "write()": (0, f"it writes the field x, which {what}"),
    }


def test_a_field_of_a_superclass_is_the_same_field_by_whatever_name_it_is_used():
    methods = {"read()": method(reads=((A, "x"),))}
    old, new = (
        version(A=of(methods, above=B), B=of({}, {"x": one}))
        for one in (field(), field("int", "volatile"))
    )

    assert said(old, new) == {"read()": (0, "it reads the field B.x, which became volatile")}


def test_a_public_field_that_changed_is_a_focus_itself():
    old, new = (
        version(A=of({}, {"x": field("int", "public", *more), "y": field("int", *more)}))
        for more in ((), ("volatile",))
    )

    assert said(old, new) == {"x": (0, "it became volatile")}


def test_what_one_version_only_has_is_no_focus_but_its_callers_are():
    caller = {"call()": method("call", BytecodeCall(B, "run()", virtual=True))}
    base = of({"run()": method()})
    old = version(A=of(caller | {"gone()": method()}), B=base)
    new = version(A=of(caller | {"fresh()": method()}), B=base, C=of({"run()": method()}, above=B))

    assert said(old, new) == {"call()": (1, "it calls C.run()")}


def test_only_public_methods_are_told():
    hidden = {"a()": method("1", flags=frozenset(("private",)))}
    old = version(A=of(hidden | {"b()": method("1")}))
    new = version(A=of({"a()": method("2"), "b()": method("2", flags=frozenset(("protected",)))}))

    assert find_focus_methods(old, new, A) == ()


@pytest.mark.parametrize(("virtual", "reached"), [(True, {"call()"}), (False, set())])
def test_a_virtual_call_may_run_any_method_of_a_subclass(virtual, reached):
    caller = of({"call()": method("call", BytecodeCall(B, "run()", virtual=virtual))})
    old, new = (
        version(
            A=caller,
            B=of({"run()": method()}),
            C=of({}, above=B),
            D=of({"run()": method(digest)}, above="org.example.C"),
        )
        for digest in ("1", "2")
    )

    assert set(said(old, new)) == reached


def test_a_call_of_an_interface_may_run_what_an_implementation_inherits():
    caller = of({"call()": method("call", BytecodeCall("org.example.I", "run()", virtual=True))})
    old, new = (
        version(
            A=caller,
            I=of({"run()": method(flags=PUBLIC | {"abstract"})}),
            B=of({"run()": method(digest)}),
            C=of({}, above=B, interfaces=("org.example.I",)),
        )
        for digest in ("1", "2")
    )

    assert said(old, new)["call()"] == (1, "it calls B.run()")
    assert said(old, new, "org.example.I")["run()"] == (1, "it calls B.run()")
    assert said(old, new, "org.example.C")["run()"] == (0, "its code changed")


def test_constructors_are_not_inherited():
    old, new = (
        version(A=of({}, above=B), B=of({"<init>()": method(digest), "b()": method(digest)}))
        for digest in ("1", "2")
    )

    assert set(said(old, new)) == {"b()"}
    assert said(old, new, B)["<init>()"] == (0, "its code changed")


def test_a_constructor_is_as_near_to_a_change_as_the_one_that_it_hands_on_to():
    first = method("first", BytecodeCall(A, "<init>(int)"))
    made = method("made", BytecodeCall(B, "<init>()"))
    copied = method("copied", BytecodeCall(A, "<init>()"))
    old, new = (
        version(
            A=of({"<init>()": first, "<init>(int)": made, "copy()": copied}, above=B),
            B=of({"<init>()": method(digest)}),
            C=of({"<init>()": made}),
        )
        for digest in ("1", "2")
    )

    assert said(old, new) == {
        "<init>()": (0, "it calls new A(int), and through it new B()"),
        "<init>(int)": (0, "it calls new B()"),
        "copy()": (1, "it calls new A(), and through it new B()"),
    }
    assert said(old, new, "org.example.C") == {"<init>()": (1, "it calls new B()")}


def test_a_constructor_is_named_by_what_it_makes():
    caller = of({"make()": method("make", BytecodeCall(B, "<init>(java.util.Map$Entry,int[])"))})
    old, new = (
        version(A=caller, B=of({"<init>(java.util.Map$Entry,int[])": method(digest)}))
        for digest in ("1", "2")
    )

    assert said(old, new) == {"make()": (1, "it calls new B(Map$Entry,int[])")}


def test_a_method_that_is_now_overridden_is_changed():
    base = of({"run()": method()})
    old = version(A=of({}, above=B), B=base)
    new = version(A=of({"run()": method()}, above=B), B=base)

    assert said(old, new) == {"run()": (0, "it is now what A declares, no longer B")}


def test_a_class_that_a_version_lacks_has_no_focus():
    old = version(A=of({"a()": method()}))

    assert find_focus_methods(old, {}, A) == ()
    assert find_focus_methods({}, old, A) == ()


def test_the_nearest_are_told_first():
    methods = {"a()": method("a", BytecodeCall(A, "z()"))}
    old, new = (version(A=of(methods | {"z()": method(digest)})) for digest in ("1", "2"))

    assert [focus_method.method for focus_method in find_focus_methods(old, new, A)] == [
        "z()",
        "a()",
    ]


def test_without_a_focus_all_methods_are_equally_likely():
    assert compute_draw_weights([member("a"), member("b")], ()) == (1.0, 1.0)


def test_one_changed_method_of_many_is_drawn_often_although_all_others_call_it():
    members = [member(f"m{index}") for index in range(90)]
    methods = [FocusMethod(method="m0()", distance=0, reason="")]
    methods += [FocusMethod(method=one.key, distance=1, reason="") for one in members[1:85]]

    drawn = compute_draw_weights(members, methods)

    assert drawn[0] / sum(drawn) > 0.25
    assert drawn[1] > drawn[89] == 1.0
    assert sum(drawn) == pytest.approx(2 * len(members))


def test_a_field_and_a_constructor_are_weighted_by_their_own_keys():
    members = [member("x", MemberKind.GET), member("x"), member("", MemberKind.CONSTRUCTOR)]
    methods = [FocusMethod(method=key, distance=0, reason="") for key in ("x", "<init>()")]

    one, other, value = compute_draw_weights(members, methods)

    assert one == value > other == 1.0


@given(st.lists(st.none() | st.integers(0, 6), max_size=30))
def test_no_weight_is_below_one_and_none_is_above_that_of_a_nearer_method(distances):
    members = [member(f"m{index}") for index in range(len(distances))]
    methods = [
        FocusMethod(method=one.key, distance=far, reason="")
        for one, far in zip(members, distances, strict=True)
        if far is not None
    ]

    drawn = dict(zip(members, compute_draw_weights(members, methods), strict=True))

    order = [focus_method.method for focus_method in sorted(methods, key=lambda one: one.distance)]
    by_key = {one.key: weight for one, weight in drawn.items()}
    known = [by_key[key] for key in order]
    assert known == sorted(known, reverse=True)
    assert all(weight > 1.0 for weight in known)
    assert all(by_key[one.key] == 1.0 for one in members if one.key not in order)
