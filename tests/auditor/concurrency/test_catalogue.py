"""The types of two versions, as the guest describes them."""

import numpy as np
import pytest
from made_up_pool import LINES, OBJECT, POOL, Guest

from auditor.concurrency.judge.arguments import ArgumentGenerator, StatementScope
from auditor.concurrency.judge.catalogue import describe_types
from auditor.core.contracts.concurrent_test import (
    DescriptionRequest,
    FactoryRequest,
    GenerationAnswer,
    MemberKind,
    SubtypeRequest,
    Variable,
)
from auditor.core.errors import SubjectError


def catalogue(answers, subject=POOL):
    """Return the catalogue that these answers make; `answers` is asked."""
    making = describe_types(subject)
    try:
        request = next(making)
        while True:
            request = making.send(GenerationAnswer(lines=answers(request)))
    except StopIteration as end:
        return end.value


def test_methods_and_fields_of_the_class_are_there_without_its_constructors():
    result = Guest().make(describe_types(POOL))

    assert [method.key for method in result.methods] == [
        "limit", "borrow()", "close()", "giveBack(java.lang.Object)", "size()", "limit",
    ]  # fmt: skip
    assert [creator.key for creator in result.creators] == ["<init>(org.example.Factory,int)"]


def test_an_interface_is_implemented_in_two_ways():
    result = Guest().make(describe_types(POOL))

    makers = result.find_makers("org.example.Factory")

    assert [(maker.kind, maker.name) for maker in makers] == [
        (MemberKind.PLAIN, "true"),
        (MemberKind.PLAIN, "false"),
    ]


def test_a_class_that_a_version_lacks_is_said_with_the_version():
    with pytest.raises(
        SubjectError, match=r"org.example.Pool cannot be loaded from the new version: gone"
    ):
        catalogue(lambda _: (("missing", POOL, "new", "gone"),))


def test_an_argument_s_subclasses_are_asked_for_and_make_values():
    shape = ("type", "org.example.Shape", "org.example.Shape", "public,abstract", OBJECT)
    circle = (
        "type",
        "org.example.Circle",
        "org.example.Circle",
        "public",
        f"{OBJECT},org.example.Shape",
    )
    requests = []

    def answers(request):
        requests.append(request)
        match request:
            case FactoryRequest():
                return ()
            case SubtypeRequest(("org.example.Shape",)):
                return (("subtype", "org.example.Shape", "org.example.Circle"),)
            case DescriptionRequest(("org.example.Circle",)):
                factory = (
                    "member",
                    "static",
                    "org.example.Circle",
                    "of",
                    "int",
                    "org.example.Circle",
                )
                return (circle, factory)
            case DescriptionRequest(("org.example.Shape",)):
                return (shape,)
            case _:
                takes = ("member", "method", POOL, "add", "org.example.Shape", "void")
                return (*LINES[:1], takes)

    result = catalogue(answers)

    (maker,) = result.find_makers("org.example.Shape")
    assert (maker.kind, maker.key, maker.returns) == (
        MemberKind.STATIC,
        "of(int)",
        "org.example.Circle",
    )
    assert result.is_assignable("org.example.Circle", "org.example.Shape")
    assert not result.is_assignable("org.example.Shape", "org.example.Circle")


def test_factories_of_other_classes_make_what_has_none_of_its_own_and_are_described():
    """`Pools.create(Settings)`: of the pool itself, and of an argument that nothing else makes."""
    key, settings = "org.example.Key", "org.example.Settings"
    constructor = ("member", "constructor", settings, "", "", settings)
    requests = []

    def answers(request):
        requests.append(request)
        match request:
            case FactoryRequest():
                return (
                    ("factory", "static", "org.example.Pools", "create", settings, POOL),
                    ("factory", "static", "org.example.Keys", "next", "", key),
                    ("factory", "factory", "org.example.Odd", "pool", "", POOL),
                )
            case DescriptionRequest(types) if types == (settings,):
                return (("type", settings, settings, "public", OBJECT), constructor)
            case DescriptionRequest(("org.example.Odd",)):
                new = ("member", "constructor", "org.example.Odd", "", "", "org.example.Odd")
                return (("type", "org.example.Odd", "org.example.Odd", "public", OBJECT), new)
            case DescriptionRequest(types) if types == (key,):
                return (("type", key, key, "public", OBJECT),)
            case _:
                return (*LINES[:1], ("member", "method", POOL, "get", key, "void"))

    result = catalogue(answers)

    assert FactoryRequest((POOL, key)) in requests
    assert [(creator.kind, creator.owner, creator.key) for creator in result.creators] == [
        (MemberKind.STATIC, "org.example.Pools", f"create({settings})")
    ]
    assert [maker.name for maker in result.find_makers(key)] == ["next"]
    assert len(result.find_makers(settings)) == 1
    assert result.exclude_members(frozenset(result.creators)).creators == ()


BUILDER = "org.example.Builder"


def building(*, has_constructor):
    """Return the answers about a pool that only a builder gives.

    The builder can be made if it `has_constructor`.
    """
    size = "org.example.Size"

    def answers(request):
        match request:
            case FactoryRequest():
                return (
                    ("factory", "factory", BUILDER, "build", size, POOL),
                    ("factory", "factory", "org.example.Unknown", "pool", "", POOL),
                )
            case DescriptionRequest(types) if BUILDER in types:
                constructor = ("member", "constructor", BUILDER, "", "int", BUILDER)
                return (
                    ("type", BUILDER, BUILDER, "public", OBJECT),
                    *((constructor,) * has_constructor),
                )
            case DescriptionRequest(types) if size in types:
                return (("type", size, size, "public", OBJECT),)
            case _:
                return (*LINES[:1], ("member", "method", POOL, "size", "", "int"))

    return answers


def test_an_object_that_only_a_builder_makes_is_had_from_one():
    result = catalogue(building(has_constructor=True))

    (build,) = result.creators
    assert (build.kind, build.key) == (MemberKind.FACTORY, f"{BUILDER}.build(org.example.Size)")
    scope = StatementScope((), [], None)
    variable = ArgumentGenerator(result, np.random.default_rng(1)).add_call(build, scope, None)
    new, last = scope.more[0], scope.more[-1]
    assert (new.member.owner, new.member.kind) == (BUILDER, MemberKind.CONSTRUCTOR)
    assert (last.member, last.receiver) == (build, Variable(0, shared=True))
    assert variable == Variable(1, shared=True)


def test_a_builder_that_cannot_be_made_builds_nothing():
    assert catalogue(building(has_constructor=False)).creators == ()


def test_usual_classes_of_the_jdk_stand_for_its_interfaces():
    def answers(request):
        match request:
            case DescriptionRequest(("java.util.Map",)):
                return (
                    ("type", "java.util.Map", "java.util.Map", "public,interface,abstract", OBJECT),
                )
            case DescriptionRequest(("java.util.HashMap",)):
                return (
                    (
                        "type",
                        "java.util.HashMap",
                        "java.util.HashMap",
                        "public",
                        f"{OBJECT},java.util.Map",
                    ),
                    ("member", "constructor", "java.util.HashMap", "", "", "java.util.HashMap"),
                )
            case SubtypeRequest() | FactoryRequest():
                return ()
            case _:
                return (*LINES[:1], ("member", "method", POOL, "put", "java.util.Map", "void"))

    result = catalogue(answers)

    assert [maker.owner for maker in result.find_makers("java.util.Map")] == ["java.util.HashMap"]


def test_any_value_fits_an_object_and_nothing_fits_a_number_but_itself():
    result = Guest().make(describe_types(POOL))

    assert result.is_assignable("int", OBJECT)
    assert result.is_assignable("int", "int")
    assert not result.is_assignable("int", "long")
    assert not result.is_assignable("void", OBJECT)


def test_nested_types_are_written_with_dots():
    pool = ("type", POOL, POOL, "public", OBJECT)
    result = catalogue(lambda request: () if isinstance(request, FactoryRequest) else (pool,))

    assert result.format_type("org.example.Outer$Inner[]") == "org.example.Outer.Inner[]"
