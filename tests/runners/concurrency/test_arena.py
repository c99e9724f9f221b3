"""Tests as written, compiled and raced in real processes; hazards among them."""

import os
import shutil
import subprocess
import time
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice

import pytest
from arena_making import arena_of, children

from auditor.concurrency.judge.catalogue import describe_types
from auditor.concurrency.judge.generation import ConcurrentTestGenerator
from auditor.concurrency.judge.uncompilable_calls import split_test, uncompilable_members
from auditor.core.contracts import concurrent_test
from auditor.core.contracts.concurrency import LibraryVersion, RacePlan, TimedScope
from auditor.core.contracts.concurrent_test import (
    FactoryRequest,
    Literal,
    Member,
    MemberKind,
    Statement,
    Variable,
)
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentRun,
    ConcurrentRunSettings,
    PilotTimes,
)
from mutators.java.races import RaceHeader, RaceWriter

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK"),
]
NAME = "org.example.Hazard"
SUBJECT = Variable(0, shared=True)
MAKE = Statement(member=Member(kind=MemberKind.CONSTRUCTOR, owner=NAME, name="", returns=NAME))
NOTES = RaceHeader(subject=NAME, old="old.jar */ \\u002a/", new="new", seed=1)
FINE = ("fine", (Literal("int", "-1"),), ("int",), "int")
NUMBERS = iter(range(1, 1000))


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    with arena_of(
        tmp_path_factory.mktemp("arena"), repetition_seconds=2, late_seconds=5.0
    ) as local_arena:
        yield local_arena


def call(name, arguments=(), types=(), returns="void"):
    """Return a call of the shared object."""
    member = Member(
        kind=MemberKind.METHOD, owner=NAME, name=name, parameters=types, returns=returns
    )
    return Statement(member=member, receiver=SUBJECT, arguments=arguments)


def ready(arena, *suffixes):
    """Compile a test whose suffixes are one call each; return the name of its class."""
    test = concurrent_test.Test(
        number=next(NUMBERS),
        prefix=(MAKE,),
        subject=0,
        suffixes=tuple((suffix,) for suffix in suffixes),
        repeats=5,
    )
    writer = RaceWriter(lambda type_: type_.replace("$", "."), {}, NOTES)
    assert arena.compile_tests({writer.choose_path(test): writer.write_program(test)}) == {}
    return writer.name_test_class(test)


def race(name, threads=2, *, turns=5, scope=TimedScope.ALL, version=LibraryVersion.OLD):
    return ConcurrentRun(
        test=name, threads=threads, suffixes=2, turns=turns, version=version, scope=scope
    )


def pilot(arena, *suffixes, threads=2, **more):
    """Return what a pilot of a test with these suffixes gives."""
    return arena.run_pilot(race(ready(arena, *suffixes), threads, **more), 0.2)


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_a_test_is_piloted_with_any_number_of_its_threads(arena, threads):
    result = pilot(arena, call(*FINE), call(*FINE), threads=threads)

    assert isinstance(result, PilotTimes)
    assert 0 < result.suffixes <= result.wall


def test_a_measurement_has_as_many_values_as_asked_for(arena):
    name = ready(arena, call(*FINE), call(*FINE))

    few = arena.measure_race(
        race(name), ConcurrentRunSettings(warmup=5, repetitions=5, seconds=1.0)
    )
    many = arena.measure_race(
        race(name, version=LibraryVersion.NEW, scope=TimedScope.EACH),
        ConcurrentRunSettings(warmup=5, repetitions=5, seconds=1.0, least=3, most=4, stop=0.0),
    )

    assert (len(few), len(many)) == (1, 4)
    assert all(value > 0 for value in (*few, *many))


def test_the_control_runs_as_many_suffixes_as_it_is_told(arena):
    name = ready(arena, call(*FINE), call("fail", returns="int"))

    first, second = (
        arena.run_pilot(replace(race(name, threads=0), suffixes=many), 0.1) for many in (1, 2)
    )

    assert isinstance(first, PilotTimes)
    assert "not now" in second


def test_more_turns_take_longer(arena):
    name = ready(arena, call(*FINE), call(*FINE))

    few, many = (arena.run_pilot(race(name, turns=turns), 0.4) for turns in (100, 1_000_000))

    assert many.suffixes > 2 * few.suffixes


def test_an_implementation_that_works_for_longer_takes_longer(arena):
    kind = f"{NAME}$Grounded"
    low = Member(kind=MemberKind.METHOD, owner="", name="low", returns="int")
    plain = Member(
        kind=MemberKind.PLAIN, owner=kind, name="true", parameters=("int",), returns=kind
    )
    taker = call("grounded", (Variable(1, shared=True),), (kind,), "int")
    suffix_times = []
    for rounds in ("0", "1000000"):
        handed = Statement(member=plain, arguments=(Literal("int", rounds),))
        test = concurrent_test.Test(
            number=next(NUMBERS),
            prefix=(MAKE, handed),
            subject=0,
            suffixes=((taker,), (taker,)),
            repeats=5,
        )
        writer = RaceWriter(lambda type_: type_.replace("$", "."), {kind: (low,)}, NOTES)
        assert arena.compile_tests({writer.choose_path(test): writer.write_program(test)}) == {}
        suffix_times.append(arena.run_pilot(race(writer.name_test_class(test)), 0.2).suffixes)

    assert suffix_times[1] > 5 * suffix_times[0]


def test_an_exception_is_the_reason_with_where_it_came_from(arena):
    result = pilot(arena, call(*FINE), call("fail", returns="int"))

    assert result.startswith("suffix 1 raised java.lang.IllegalStateException: not now")
    assert "org.example.Hazard.fail" in result


def test_a_deadlock_is_told_with_a_dump_of_who_waits_for_whom(arena):
    result = pilot(arena, call("lockOne"), call("lockOther"))

    assert result.startswith("deadlock of 2 threads\n")
    assert "suffix-0 BLOCKED on java.lang.Object@" in result
    assert "held by suffix-1" in result
    assert "org.example.Hazard.locked" in result


def test_a_call_that_blocks_for_ever_is_told_with_where(arena):
    result = pilot(arena, call(*FINE), call("block"))

    assert result.startswith("not over after 2 s\nsuffix-1 WAITING")
    assert "org.example.Hazard.block" in result


def test_an_exit_is_told_with_its_code(arena):
    result = pilot(arena, call(*FINE), call("exit"))

    assert result.startswith("its process ended by itself (exit code 3)")


def test_memory_that_is_used_up_is_a_reason(arena):
    result = pilot(arena, call(*FINE), call("devour"))

    assert "java.lang.OutOfMemoryError" in result


def test_endless_output_goes_nowhere(arena):
    result = pilot(arena, call(*FINE), call("chatter"), turns=1)

    assert isinstance(result, PilotTimes)


def test_threads_left_running_end_with_the_process(arena):
    result = pilot(arena, call("leave"), call("leave"), turns=1)

    assert isinstance(result, PilotTimes)
    time.sleep(0.1)
    assert children() == []


def test_files_are_written_to_a_folder_that_is_empty_each_time(arena):
    assert isinstance(pilot(arena, call("write"), call(*FINE)), PilotTimes)

    name = ready(arena, call("written", returns="boolean"), call(*FINE))
    assert isinstance(arena.run_pilot(race(name), 0.1), PilotTimes)
    assert not (arena.folder / "race" / "left").exists()


def test_a_test_that_does_not_compile_is_blamed_and_the_others_are_raced(arena):
    name = ready(arena, call(*FINE))
    text = "package races; public class Broken { int a = missing; }"

    result = arena.compile_tests({"races/Broken.java": text})

    assert result == {"races/Broken.java": "cannot find symbol"}
    assert isinstance(arena.run_pilot(race(name, 1), 0.1), PilotTimes)


@pytest.mark.timed
def test_what_other_processes_do_beside_a_race_is_noted(arena):
    name = ready(arena, call(*FINE), call(*FINE))
    arena.take_interference_notes()

    alone = [
        arena.run_pilot(race(name), 0.5) and arena.take_interference_notes()[0] for _ in range(2)
    ]
    with ExitStack() as load_stack:
        for _ in range(os.cpu_count() or 1):
            busy = load_stack.enter_context(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            load_stack.callback(busy.kill)
        arena.run_pilot(race(name), 0.5)
        (loaded_note,) = arena.take_interference_notes()

    assert arena.take_interference_notes() == []
    assert all(note["seconds"] > 0.3 for note in (*alone, loaded_note))
    assert loaded_note["foreign"] > 0.2
    quiet = min(note["foreign"] for note in alone)
    assert loaded_note["foreign"] > quiet + 0.1 or quiet > 0.3  # the machine was busy before, too


def test_generated_tests_compile_and_run(arena):
    catalogue = arena.run_generation(describe_types(NAME))
    hazards = (
        "fail",
        "block",
        "spin",
        "exit",
        "chatter",
        "devour",
        "leave",
        "paralyse",
        "lockOne",
        "lockOther",
    )
    answers = {name: facts.answers for name, facts in catalogue.types.items() if facts.answers}
    writer = RaceWriter(catalogue.format_type, answers, NOTES)
    weights = {f"{name}()": 1e-9 for name in hazards}
    maker = ConcurrentTestGenerator(catalogue=catalogue, weights=weights, plan=RacePlan())

    test = arena.run_generation(maker.make_test(900, 400, 2))

    assert arena.compile_tests({writer.choose_path(test): writer.write_program(test)}) == {}
    for version in LibraryVersion:
        result = arena.run_pilot(race(writer.name_test_class(test), version=version), 0.2)
        assert isinstance(result, PilotTimes)


NAMED = """package org.example;
public class Named {
    public int plain() { return 1; }
    public int get_value() { return 2; }
    public <T extends Runnable & AutoCloseable> int both(T one) { return 3; }
}
"""


def test_calls_that_no_source_can_have_are_known_by_what_javac_says(tmp_path):
    """A name that is none in Java, as Kotlin's may be, and a type that no cast gives."""
    subject = "org.example.Named"
    with arena_of(tmp_path, NAMED, NAMED) as arena:
        for paths in arena.class_paths.values():
            file = paths[0] / "org/example/Named.class"
            file.write_bytes(file.read_bytes().replace(b"get_value", b"get-value"))
        catalogue = arena.run_generation(describe_types(subject))
        answers = {
            type_name: facts.answers
            for type_name, facts in catalogue.types.items()
            if facts.answers
        }
        writer = RaceWriter(catalogue.format_type, answers, replace(NOTES, subject=subject))
        test = arena.run_generation(
            ConcurrentTestGenerator(catalogue=catalogue, weights={}, plan=RacePlan()).make_test(
                1, 900, 2
            )
        )
        tests = split_test(test)
        numbers = {
            writer.choose_path(member_test.test): member_test.test.number for member_test in tests
        }

        whole_problems = arena.compile_tests({writer.choose_path(test): writer.write_program(test)})
        member_problems = arena.compile_tests(
            {
                writer.choose_path(member_test.test): writer.write_program(member_test.test)
                for member_test in tests
            }
        )

    assert whole_problems
    wrong = uncompilable_members(
        tests, {numbers[name]: problem for name, problem in member_problems.items()}
    )
    assert {member.key for member in wrong} == {"get-value()", "both(java.lang.Runnable)"}
    assert {method.key for method in catalogue.exclude_members(wrong.keys()).methods} == {"plain()"}


ODD = """package org.example;
import java.util.concurrent.ConcurrentHashMap;
public class Odd {
    static class Base<T> {
        public synchronized int size() { return 1; }
        public Object value() { return this; }
        public void take(T one) { }
    }
    interface Listener { void hear(); }
    public static class Pool extends Base<String> {
        public Pool() { }
        public Pool(Listener one) { }
        @Override public String value() { return "a"; }
        public void add(Listener one) { }
        public String text(int... numbers) { return "" + numbers.length; }
        public boolean is(Thread.State state) { return state == Thread.State.NEW; }
    }
    public static class Registry extends ConcurrentHashMap<String, Integer> { }
    public abstract static class Shape { }
    public class Inner extends Shape { public int size() { return 1; } }
    public static class Outer extends Shape { }
    public static class Canvas { public void draw(Shape one) { } }
    public static class Door {
        private final Key key;
        private boolean open;
        Door(Key key) { this.key = key; }
        public Door copy() { return new Door(key); }
        public synchronized boolean turn(Key one) { return open = one == key; }
    }
    public static class Key {
        final int number;
        private Key(int number) { this.number = number; }
    }
    public static class Smith<T> {
        private int keys;
        private Smith() { }
        public static Smith<Object> called() { return new Smith<>(); }
        public Key cut() { return new Key(++keys); }
        public <S extends T> Door build(Key key) { return new Door(key); }
    }
}
"""
POOL, REGISTRY = "org.example.Odd$Pool", "org.example.Odd$Registry"
CANVAS, INNER = "org.example.Odd$Canvas", "org.example.Odd$Inner"
DOOR, KEY, SMITH = (f"org.example.Odd${name}" for name in ("Door", "Key", "Smith"))


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    with arena_of(tmp_path_factory.mktemp("odd"), ODD, ODD) as local_arena:
        yield local_arena


def test_methods_of_a_base_class_that_is_not_public_are_the_class_s_own(odd):
    result = odd.run_generation(describe_types(POOL))

    signatures = {(method.key, method.returns) for method in result.methods}
    assert signatures == {
        ("size()", "int"),
        ("value()", "java.lang.String"),
        ("text(int[])", "java.lang.String"),
        ("is(java.lang.Thread$State)", "boolean"),
    }
    # What asks for a type that tests cannot name is left out.
    assert [creator.key for creator in result.creators] == ["<init>()"]


@pytest.mark.parametrize("name", [POOL, REGISTRY])
def test_methods_that_are_inherited_are_called_as_source_can(odd, name):
    """One of those drawn has to run: in others a thread removes what another one asks for."""
    catalogue = odd.run_generation(describe_types(name))
    answers = {
        type_name: facts.answers for type_name, facts in catalogue.types.items() if facts.answers
    }
    writer = RaceWriter(catalogue.format_type, answers, replace(NOTES, subject=name))
    maker = ConcurrentTestGenerator(catalogue=catalogue, weights={"put": 9.0}, plan=RacePlan())

    def runs(number):
        test = odd.run_generation(maker.make_test(number, 900, 2))
        assert len({statement.member.key for suffix in test.suffixes for statement in suffix}) > 3
        assert odd.compile_tests({writer.choose_path(test): writer.write_program(test)}) == {}
        return isinstance(odd.run_pilot(race(writer.name_test_class(test)), 0.2), PilotTimes)

    assert any(map(runs, islice(NUMBERS, 5)))


def test_objects_that_only_objects_of_another_class_make_are_raced(odd):
    """A door comes from a smith, as does the key that each call of it asks for."""
    catalogue = odd.run_generation(describe_types(DOOR))
    writer = RaceWriter(catalogue.format_type, {}, replace(NOTES, subject=DOOR))
    number = next(NUMBERS)

    test = odd.run_generation(
        ConcurrentTestGenerator(catalogue=catalogue, weights={}, plan=RacePlan()).make_test(
            number, 900, 2
        )
    )

    assert [creator.key for creator in catalogue.creators] == [f"{SMITH}.build({KEY})"]
    assert [maker.key for maker in catalogue.find_makers(KEY)] == [f"{SMITH}.cut()"]
    member_names = [statement.member.name for statement in test.prefix[: test.subject + 1]]
    assert (member_names[0], member_names[-1]) == ("called", "build")
    assert "turn" in {statement.member.name for suffix in test.suffixes for statement in suffix}
    assert odd.compile_tests({writer.choose_path(test): writer.write_program(test)}) == {}
    assert isinstance(odd.run_pilot(race(writer.name_test_class(test)), 0.2), PilotTimes)


def test_what_only_an_object_of_the_class_gives_is_no_factory_of_it(odd):
    """A door's copy needs a door; many such methods would leave no room for what makes one."""

    def asking():
        return (yield FactoryRequest((DOOR,))).lines

    assert [(owner, name) for _, _, owner, name, *_ in odd.run_generation(asking())] == [
        (SMITH, "build")
    ]


def test_objects_of_inner_classes_are_not_made_as_they_belong_to_another_one(odd):
    result = odd.run_generation(describe_types(CANVAS))

    assert [maker.owner for maker in result.find_makers("org.example.Odd$Shape")] == [
        "org.example.Odd$Outer"
    ]
    inner = odd.run_generation(describe_types(INNER))
    assert inner.types[INNER].inner
    assert (inner.creators, [method.key for method in inner.methods]) == ((), ["size()"])


def test_a_type_argument_that_is_bound_is_no_hindrance(odd):
    result = odd.run_generation(describe_types(REGISTRY))

    (put,) = [method for method in result.methods if method.name == "put"]
    assert put.owner == "java.util.concurrent.ConcurrentHashMap"
