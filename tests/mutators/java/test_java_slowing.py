"""Methods slowed in Java sources, compiled and run by the real tools."""

import subprocess
from dataclasses import replace

import pytest

from auditor.core.errors import SubjectError
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.subject import Language, Method, SourceFile, SourceRole, Span
from mutators.java.slowing import WAITER, slow_method

TEXT = """package org.example;

public class Rings {
    interface Shape { double area(); default double twice() { return 2 * area(); } }
    public static int find(int[] all, int wanted) {
        for (int at = 0; at < all.length; at++) {
            if (all[at] == wanted) { return at; }
        }
        throw new IllegalStateException("none");
    }
    public static void forever() { while (true) { if (System.nanoTime() > 0) { return; } } }
    public Rings() { }
    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
    static class Inner {
        @Override
        public String toString() { return "inner"; }
    }
    static int one() { return 1; } static int two() { return 2; }
    abstract static class Half { abstract int half(); }
    public static void main(String[] arguments) {
        System.out.println(find(new int[] {3, 4}, 4) + " " + depth(5) + " " + new Inner());
        forever();
        try { find(new int[0], 1); } catch (IllegalStateException expected) {
            System.out.println(expected.getMessage());
        }
        Shape shape = () -> 1.5;
        System.out.println(shape.twice());
        long began = System.nanoTime();
        for (int n = 0; n < 3; n++) { depth(9); }
        System.err.println(System.nanoTime() - began);
    }
}
"""
PATH = "org/example/Rings.java"


def method(name, line, file=PATH):
    return Method(
        language=Language.JAVA,
        id=f"org.example.Rings.{name}",
        owner="org.example.Rings",
        name=name,
        parameters=(),
        span=Span(file, line, line),
    )


def source(text=TEXT, path=PATH):
    return SourceFile(path=path, unit="u", role=SourceRole.LIBRARY, text=text.encode())


def changed(
    slowed_method, *, guarded=False, wait=InjectionKind.WORK, number=3.0, trace="trace", text=TEXT
):
    delay = Delay(wait, number)
    return slow_method([source(text)], slowed_method, guarded=guarded, delay=delay, trace=trace)


def ran(files, folder, *options):
    """Compile and run; return what it printed, and the nanoseconds that it said."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)
    call = ("javac", *options, "-d", "out", *files)
    subprocess.run(call, cwd=folder, check=True, capture_output=True)
    call = ("java", "-cp", "out", "org.example.Rings")
    completed = subprocess.run(call, cwd=folder, check=True, capture_output=True, text=True)
    return completed.stdout, int(completed.stderr)


PRINTED = "1 5 inner\nnone\n3.0\n"


@pytest.mark.parametrize(
    ("name", "line"),
    [("find", 5), ("forever", 11), ("depth", 13), ("toString", 15), ("one", 18), ("twice", 4)],
)
def test_a_program_says_the_same_and_leaves_its_trace(tmp_path, name, line):
    trace = tmp_path / 'tr"ace\\ ä\U0001f600\n'

    printed, _ = ran(changed(method(name, line), trace=str(trace)), tmp_path, "--release", "8")

    assert printed == PRINTED
    assert trace.exists() is (name != "one")


def test_lines_stay_where_they_are():
    files = changed(method("find", 5))
    edited = files[PATH].decode().splitlines()

    assert len(edited) == len(TEXT.splitlines())
    assert edited[4].startswith("    public static int find(int[] all, int wanted) { final long ")
    assert edited[9].endswith("} finally { BenchAuditSlowed.end(benchAuditBegan); } }")
    assert [(index, line) for index, line in enumerate(edited) if index not in {4, 9}] == [
        (index, line) for index, line in enumerate(TEXT.splitlines()) if index not in {4, 9}
    ]
    assert files[f"org/example/{WAITER}.java"].startswith(b"package org.example;\n")


def test_nested_calls_wait_once_where_they_are_guarded(tmp_path):
    turns = 3_000_000
    times = {}
    for guarded in (False, True):
        folder = tmp_path / str(guarded)
        folder.mkdir()
        files = changed(method("depth", 13), guarded=guarded, number=turns)
        _, times[guarded] = ran(files, folder)

    # Ten calls in each of three chains wait, or three.
    assert times[False] > 4 * times[True]


def test_a_clock_waits_in_proportion(tmp_path):
    sleepy = TEXT.replace("{ depth(9); }", "{ nap(); }").replace(
        "abstract static class Half",
        "static void nap() { try { Thread.sleep(20); } catch (InterruptedException e) { } }\n"
        "    abstract static class Half",
    )
    files = changed(method("nap", 19), wait=InjectionKind.SPIN, number=4.0, text=sleepy)

    _, nanos = ran(files, tmp_path)

    assert nanos >= 5 * 3 * 20e6


def test_a_class_without_a_package_has_its_waiter_beside_it():
    text = "class Plain { static int one() { return 1; } }\n"
    static_method = method("one", 1, "Plain.java")
    delay = Delay(InjectionKind.WORK, 1.0)

    files = slow_method(
        [source(text, "Plain.java")], static_method, guarded=False, delay=delay, trace="/t"
    )

    assert set(files) == {"Plain.java", f"{WAITER}.java"}
    assert b"package" not in files[f"{WAITER}.java"].partition(b"/**")[0]


@pytest.mark.parametrize(
    ("refused_method", "message"),
    [
        (method("Rings", 12), "it is a constructor or has no line of its own"),
        (method("half", 19), "it is a constructor or has no line of its own"),
        (method("gone", 5), "it is a constructor or has no line of its own"),
        (method("find", 5, "org/example/Other.java"), "has no Java source in this subject"),
        (method("find", 5, "Rings.kt"), "has no Java source in this subject"),
    ],
)
def test_what_has_no_body_in_a_source_is_refused(refused_method, message):
    with pytest.raises(SubjectError, match=message):
        changed(refused_method)


def test_a_method_that_the_compiler_made_is_refused_with_the_reason():
    compiled = replace(method("values", 1), span=None, trivial="the compiler made it")

    with pytest.raises(SubjectError, match="no body in a source: the compiler made it; name"):
        changed(compiled)


def test_a_delay_that_sleeps_is_refused():
    with pytest.raises(SubjectError, match="a source cannot wait by sleep"):
        changed(method("find", 5), wait=InjectionKind.SLEEP)
