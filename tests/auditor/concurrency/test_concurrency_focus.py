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


def class_facts(methods, fields=None, above=None, interfaces=()):
    return above, methods, fields or {}, interfaces


def focus_reasons(old, new, subject=A):
    return {
        focus_method.method: (focus_method.distance, focus_method.reason)
        for focus_method in find_focus_methods(old, new, subject)
    }


def member(name, kind=MemberKind.METHOD):
    return Member(kind=kind, owner=A, name=name)


def test_equal_versions_have_no_focus():
    same = version(A=class_facts({"a()": method("one", BytecodeCall(A, "a()"))}, {"x": field()}))

    assert find_focus_methods(same, same, A) == ()


def test_each_call_on_the_way_to_a_change_is_one_step():
    calling = {
        "b()": method("b", BytecodeCall(B, "z(int)")),
        "c()": method("c", BytecodeCall(A, "b()")),
    }
    far = {"d()": method("d", BytecodeCall(A, "c()")), "other()": method("other")}
    old, new = (
        version(A=class_facts(calling | far), B=class_facts({"z(int)": method(digest)}))
        for digest in ("1", "2")
    )

    assert focus_reasons(old, new) == {
        "b()": (1, "it calls B.z(int)"),
        "c()": (2, "it calls A.b(), and through it B.z(int)"),
        "d()": (3, "it calls A.c(), and through it B.z(int)"),
    }


def test_of_several_ways_to_a_change_the_shortest_counts():
    calls_both = method("both", BytecodeCall(A, "near()"), BytecodeCall(A, "far()"))
    around = {"far()": method("far", BytecodeCall(A, "near()")), "both()": calls_both}
    old, new = (
        version(A=class_facts({"near()": method(digest), **around})) for digest in ("1", "2")
    )

    assert focus_reasons(old, new)["both()"] == (1, "it calls A.near()")


def test_methods_that_call_each_other_come_to_an_end():
    ring = {
        "a()": method("a", BytecodeCall(A, "b()")),
        "b()": method("b", BytecodeCall(A, "a()"), BytecodeCall(B, "c()")),
    }
    old, new = (
        version(A=class_facts(ring), B=class_facts({"c()": method(digest)}))
        for digest in ("1", "2")
    )

    assert {name: far for name, (far, _) in focus_reasons(old, new).items()} == {"a()": 2, "b()": 1}


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (("public",), ("public", "synchronized"), "it became synchronized"),
        (("public", "synchronized"), ("public",), "it is no longer synchronized"),
        (("public", "final"), ("public", "static"), "it became static and is no longer final"),
    ],
)
def test_a_flag_that_changed_is_a_change(before, after, reason):
    old, new = (
        version(A=class_facts({"a()": method(flags=frozenset(flags))})) for flags in (before, after)
    )

    assert focus_reasons(old, new) == {"a()": (0, reason)}


def test_a_flag_and_the_code_may_change_both():
    old = version(A=class_facts({"a()": method("1")}))
    new = version(A=class_facts({"a()": method("2", flags=PUBLIC | {"synchronized"})}))

    assert focus_reasons(old, new) == {"a()": (0, "it became synchronized, and its code changed")}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (field(), field("int", "volatile"), "became volatile"),
        (field("int", "volatile"), field(), "is no longer volatile"),
        (field(), field("java.util.concurrent.Semaphore"), "became a Semaphore"),
        (field(), field(values=("1",)), "gets another value at first"),
        (None, field(), "was added"),
        (field(), None, "was removed"),
    ],
)
def test_who_uses_a_field_that_changed_is_changed(before, after, change):
    methods = {
        "read()": method(reads=((A, "x"),)),
        "write()": method(writes=((A, "x"),)),
        "neither()": method(),
    }
    old, new = (
        version(A=class_facts(methods, {} if declaration is None else {"x": declaration}))
        for declaration in (before, after)
    )

    assert focus_reasons(old, new) == {
        "read()": (0, f"it reads the field x, which {change}"),
        "write()": (0, f"it writes the field x, which {change}"),
    }


def test_a_field_of_a_superclass_is_the_same_field_by_whatever_name_it_is_used():
    methods = {"read()": method(reads=((A, "x"),))}
    old, new = (
        version(A=class_facts(methods, above=B), B=class_facts({}, {"x": declaration}))
        for declaration in (field(), field("int", "volatile"))
    )

    assert focus_reasons(old, new) == {
        "read()": (0, "it reads the field B.x, which became volatile")
    }


def test_a_public_field_that_changed_is_a_focus_itself():
    old, new = (
        version(A=class_facts({}, {"x": field("int", "public", *more), "y": field("int", *more)}))
        for more in ((), ("volatile",))
    )

    assert focus_reasons(old, new) == {"x": (0, "it became volatile")}


def test_what_one_version_only_has_is_no_focus_but_its_callers_are():
    caller = {"call()": method("call", BytecodeCall(B, "run()", virtual=True))}
    base = class_facts({"run()": method()})
    old = version(A=class_facts(caller | {"gone()": method()}), B=base)
    new = version(
        A=class_facts(caller | {"fresh()": method()}),
        B=base,
        C=class_facts({"run()": method()}, above=B),
    )

    assert focus_reasons(old, new) == {"call()": (1, "it calls C.run()")}


def test_only_public_methods_are_told():
    hidden = {"a()": method("1", flags=frozenset(("private",)))}
    old = version(A=class_facts(hidden | {"b()": method("1")}))
    new = version(
        A=class_facts({"a()": method("2"), "b()": method("2", flags=frozenset(("protected",)))})
    )

    assert find_focus_methods(old, new, A) == ()


@pytest.mark.parametrize(("virtual", "reached"), [(True, {"call()"}), (False, set())])
def test_a_virtual_call_may_run_any_method_of_a_subclass(virtual, reached):
    caller = class_facts({"call()": method("call", BytecodeCall(B, "run()", virtual=virtual))})
    old, new = (
        version(
            A=caller,
            B=class_facts({"run()": method()}),
            C=class_facts({}, above=B),
            D=class_facts({"run()": method(digest)}, above="org.example.C"),
        )
        for digest in ("1", "2")
    )

    assert set(focus_reasons(old, new)) == reached


def test_a_call_of_an_interface_may_run_what_an_implementation_inherits():
    caller = class_facts(
        {"call()": method("call", BytecodeCall("org.example.I", "run()", virtual=True))}
    )
    old, new = (
        version(
            A=caller,
            I=class_facts({"run()": method(flags=PUBLIC | {"abstract"})}),
            B=class_facts({"run()": method(digest)}),
            C=class_facts({}, above=B, interfaces=("org.example.I",)),
        )
        for digest in ("1", "2")
    )

    assert focus_reasons(old, new)["call()"] == (1, "it calls B.run()")
    assert focus_reasons(old, new, "org.example.I")["run()"] == (1, "it calls B.run()")
    assert focus_reasons(old, new, "org.example.C")["run()"] == (0, "its code changed")


def test_constructors_are_not_inherited():
    old, new = (
        version(
            A=class_facts({}, above=B),
            B=class_facts({"<init>()": method(digest), "b()": method(digest)}),
        )
        for digest in ("1", "2")
    )

    assert set(focus_reasons(old, new)) == {"b()"}
    assert focus_reasons(old, new, B)["<init>()"] == (0, "its code changed")


def test_a_constructor_is_as_near_to_a_change_as_the_one_that_it_hands_on_to():
    first = method("first", BytecodeCall(A, "<init>(int)"))
    int_constructor = method("made", BytecodeCall(B, "<init>()"))
    copied = method("copied", BytecodeCall(A, "<init>()"))
    old, new = (
        version(
            A=class_facts(
                {"<init>()": first, "<init>(int)": int_constructor, "copy()": copied}, above=B
            ),
            B=class_facts({"<init>()": method(digest)}),
            C=class_facts({"<init>()": int_constructor}),
        )
        for digest in ("1", "2")
    )

    assert focus_reasons(old, new) == {
        "<init>()": (0, "it calls new A(int), and through it new B()"),
        "<init>(int)": (0, "it calls new B()"),
        "copy()": (1, "it calls new A(), and through it new B()"),
    }
    assert focus_reasons(old, new, "org.example.C") == {"<init>()": (1, "it calls new B()")}


def test_a_constructor_is_named_by_what_it_makes():
    caller = class_facts(
        {"make()": method("make", BytecodeCall(B, "<init>(java.util.Map$Entry,int[])"))}
    )
    old, new = (
        version(A=caller, B=class_facts({"<init>(java.util.Map$Entry,int[])": method(digest)}))
        for digest in ("1", "2")
    )

    assert focus_reasons(old, new) == {"make()": (1, "it calls new B(Map$Entry,int[])")}


def test_a_method_that_is_now_overridden_is_changed():
    base = class_facts({"run()": method()})
    old = version(A=class_facts({}, above=B), B=base)
    new = version(A=class_facts({"run()": method()}, above=B), B=base)

    assert focus_reasons(old, new) == {"run()": (0, "it is now what A declares, no longer B")}


def test_a_class_that_a_version_lacks_has_no_focus():
    old = version(A=class_facts({"a()": method()}))

    assert find_focus_methods(old, {}, A) == ()
    assert find_focus_methods({}, old, A) == ()


def test_the_nearest_are_told_first():
    methods = {"a()": method("a", BytecodeCall(A, "z()"))}
    old, new = (version(A=class_facts(methods | {"z()": method(digest)})) for digest in ("1", "2"))

    assert [focus_method.method for focus_method in find_focus_methods(old, new, A)] == [
        "z()",
        "a()",
    ]


def test_without_a_focus_all_methods_are_equally_likely():
    assert compute_draw_weights([member("a"), member("b")], ()) == (1.0, 1.0)


def test_one_changed_method_of_many_is_drawn_often_although_all_others_call_it():
    members = [member(f"m{index}") for index in range(90)]
    methods = [FocusMethod(method="m0()", distance=0, reason="")]
    methods += [FocusMethod(method=caller.key, distance=1, reason="") for caller in members[1:85]]

    weights = compute_draw_weights(members, methods)

    assert weights[0] / sum(weights) > 0.25
    assert weights[1] > weights[89] == 1.0
    assert sum(weights) == pytest.approx(2 * len(members))


def test_a_field_and_a_constructor_are_weighted_by_their_own_keys():
    members = [member("x", MemberKind.GET), member("x"), member("", MemberKind.CONSTRUCTOR)]
    methods = [FocusMethod(method=key, distance=0, reason="") for key in ("x", "<init>()")]

    getter_weight, method_weight, constructor_weight = compute_draw_weights(members, methods)

    assert getter_weight == constructor_weight > method_weight == 1.0


@given(st.lists(st.none() | st.integers(0, 6), max_size=30))
def test_no_weight_is_below_one_and_none_is_above_that_of_a_nearer_method(distances):
    members = [member(f"m{index}") for index in range(len(distances))]
    methods = [
        FocusMethod(method=candidate.key, distance=far, reason="")
        for candidate, far in zip(members, distances, strict=True)
        if far is not None
    ]

    weights = dict(zip(members, compute_draw_weights(members, methods), strict=True))

    ranked = [
        focus_method.method for focus_method in sorted(methods, key=lambda focus: focus.distance)
    ]
    by_key = {candidate.key: weight for candidate, weight in weights.items()}
    ranked_weights = [by_key[key] for key in ranked]
    assert ranked_weights == sorted(ranked_weights, reverse=True)
    assert all(weight > 1.0 for weight in ranked_weights)
    assert all(by_key[candidate.key] == 1.0 for candidate in members if candidate.key not in ranked)
