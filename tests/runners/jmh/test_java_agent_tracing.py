"""What the agent sees of calls: declared types, arguments, copies, class loaders, modules."""

import os
import subprocess
from pathlib import Path

import pytest
from jmh_making import environment

from auditor.core.jobs import Invocation
from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.outcome import Traced
from auditor.core.subject import Language, Part, Project, Role
from auditor.trace.study import make_trial
from mutators.java.mutator import JavaMutator
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.jdk import BRIEF
from runners.jmh.testing import UnitTests
from runners.jmh.tracer import JavaTracer
from runners.trial import TrialRunner

SHAPE = "package beads; public interface Shape { int round(); }"
RING = "package beads; public interface Ring extends Shape { }"
BASE = "package beads; public abstract class Base implements Shape { public abstract int size(); }"
SQUARE = """package beads;
public class Square extends Base {
    private final int side;
    public Square(int side) { this.side = side; }
    public int round() { return size(); }
    public int size() { return side; }
}
"""
TEXTS = r"""package beads;
public final class Texts {
    private Texts() { }
    public static int down(int number) {
        while (true) {
            if (number-- < 0) {
                return number;
            }
        }
    }
    public static String all(long a, double b, char c, float d, byte e, boolean f, String g,
            Object h, int... i) {
        return "" + a + b + c + d + e + f + g + h + i.length;
    }
    public static int length(String text) { return text == null ? 0 : text.length(); }
}
"""
CHAIN = """package beads;
public class Chain {
    public int step(int left) { return left == 0 ? 0 : next(left); }
    private int next(int left) { return step(left - 1); }
}
"""
TWICE = """package beads;
public final class Twice implements java.util.function.IntUnaryOperator {
    public int applyAsInt(int number) { return 2 * number; }
    public static int all(java.util.function.IntUnaryOperator what, int times) {
        int sum = 0;
        for (int at = 0; at < times; at++) {
            sum += what.applyAsInt(at);
        }
        return sum;
    }
}
"""
LIBRARY = {
    "beads/Shape.java": SHAPE,
    "beads/Ring.java": RING,
    "beads/Base.java": BASE,
    "beads/Square.java": SQUARE,
    "beads/Texts.java": TEXTS,
    "beads/Chain.java": CHAIN,
    "beads/Twice.java": TWICE,
}


def compiled(folder: Path, sources: dict[str, str], *options: str) -> Path:
    """Return a folder of classes."""
    for name, text in sources.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    files = [str(folder / "src" / name) for name in sources]
    classes = folder / "classes"
    subprocess.run(("javac", *BRIEF, *options, "-d", classes, *files), check=True)
    return classes


def packed(classes: Path, name: str, *more: str) -> Path:
    jar = classes.parent / name
    subprocess.run(("jar", "--create", "--file", jar, "-C", classes, ".", *more), check=True)
    return jar


@pytest.fixture
def traced(jmh_home, tmp_path):
    """Return how a program ends in which a library is traced."""

    def run(library: Path, *arguments: object):
        host = LocalHost()
        variables = environment(os.environ)
        guests = prepare_guests(jmh_core_jar=None, home=jmh_home, host=host, environment=variables)
        parts = (Part(Role.LIBRARY, library), Part(Role.BENCHMARKS, tmp_path))
        argv = ("java", *map(str, arguments))
        project = Project(
            name="client",
            revision="",
            language=Language.JAVA,
            harness="",
            root=tmp_path,
            digest="0" * 32,
            parts=parts,
            environment=variables,
        )
        job = Invocation(argv=argv, cwd=tmp_path, environment=variables, timeout_seconds=60.0)
        sources = JmhHarness(guests).read_sources(project, tmp_path, host.run_process)
        variant = Variant(
            VariantKind.TRACED,
            tuple(method for method in JavaMutator().find_methods(sources) if method.public),
        )
        overlay = JavaMutator().build_overlay(sources, variant)
        assert isinstance(overlay, Overlay), overlay
        runner = TrialRunner(
            project=project,
            launcher=JavaTracer(guests, UnitTests(job, tmp_path)),
            host=host,
            builds=tmp_path / "builds",
            clock=SystemClock(),
        )
        outcome = runner.run_trial(make_trial(project, variant, overlay, 60.0)).outcome
        assert isinstance(outcome, Traced), outcome
        return outcome

    return run


def client(body: str, *, head: str = "", package: str = "") -> dict[str, str]:
    text = (
        f"{head}\npublic class Main {{\n"
        f"    public static void main(String[] a) throws Exception {{\n{body}\n    }}\n}}\n"
    )
    folder = f"{package}/" if package else ""
    return {f"{folder}Main.java": f"package {package};\n{text}" if package else text}


def counts(outcome, counter: str) -> dict[str, int]:
    method_counts = {
        call.method.removeprefix("beads."): getattr(call, counter) for call in outcome.calls
    }
    return {name: calls for name, calls in method_counts.items() if calls}


def test_calls_of_interfaces_are_shown_there_and_counted_for_what_ran(traced, tmp_path):
    library = compiled(tmp_path / "library", LIBRARY)
    body = """
        beads.Square square = new beads.Square(3);
        beads.Shape shape = square;
        for (int at = 0; at < 4; at++) {
            shape.round();
        }
        square.round();
        beads.Base base = square;
        base.size();
        beads.Ring own = () -> 1;
        own.round();
        """
    main = compiled(tmp_path / "client", client(body), "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    # The client's own ring is nothing of the library's; a ring has its method from the shape.
    assert counts(outcome, "declared") == {"Shape.round": 5, "Base.size": 1}
    assert counts(outcome, "outside") == {"Square.<init>": 1, "Square.round": 5, "Square.size": 1}
    assert counts(outcome, "inside") == {"Base.<init>": 1, "Square.size": 5}
    assert outcome.missing == ""


def test_arguments_are_written_as_source_has_them(traced, tmp_path):
    library = compiled(tmp_path / "library", LIBRARY)
    body = r"""
        beads.Texts.down(3);
        beads.Texts.all(5L, 1.5, '\'', 2.5f, (byte) 7, true, "a\"\\\n\u0001\u00e9", main(), 1, 2);
        beads.Texts.length(null);
        for (int at = 0; at < 100; at++) {
            beads.Texts.length("x".repeat(100 - at));
        }
    }
    private static Object main() {
        return new int[0];
        """
    main = compiled(tmp_path / "client", client(body), "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    arguments = {call.method.removeprefix("beads.Texts."): call.arguments for call in outcome.calls}
    assert arguments["down"] == (("3",),)
    (everything,) = arguments["all"]
    literals = ("5L", "1.5", r"'\''", "2.5f", "(byte) 7", "true", r'"a\"\\\n\001\u00e9"')
    assert everything == (*literals, None, None)
    # The first eight calls are looked at; texts longer than 40 characters are no simple values.
    assert arguments["length"] == (("null",), (None,))
    assert counts(outcome, "outside")["Texts.length"] == 101


def test_each_class_loader_has_classes_of_its_own_and_all_are_counted(traced, tmp_path):
    library = compiled(tmp_path / "library", LIBRARY)
    body = """
        java.net.URL[] where = {new java.io.File(a[0]).toURI().toURL()};
        for (int at = 0; at < 3; at++) {
            ClassLoader loader = new java.net.URLClassLoader(where, null);
            loader.loadClass("beads.Texts").getMethod("down", int.class).invoke(null, at);
        }
        """
    main = compiled(tmp_path / "client", client(body))

    outcome = traced(library, "-cp", main, "Main", f"{library}/")

    assert counts(outcome, "outside") == {"Texts.down": 3}


def test_classes_for_newer_jvms_alone_are_the_librarys(traced, tmp_path):
    newer_sources = {"beads/Newer.java": "package beads; class Newer { int n = Texts.down(1); }"}
    door = {
        "beads/Door.java": "package beads; public class Door { public static int open() throws "
        'Exception { Class.forName("beads.Newer").getDeclaredConstructor().newInstance(); '
        "return 1; } }"
    }
    plain = compiled(tmp_path / "plain", LIBRARY | door)
    newer = compiled(tmp_path / "newer", newer_sources, "-cp", str(plain))
    library = packed(plain, "beads.jar", "--release", "11", "-C", str(newer), ".")
    main = compiled(tmp_path / "client", client("beads.Door.open();"), "-cp", str(plain))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert counts(outcome, "outside") == {"Door.open": 1}
    assert counts(outcome, "inside") == {"Texts.down": 1}


def test_a_copy_under_another_name_is_said(traced, tmp_path):
    wider = TEXTS.replace("public static int length", "public static int more() { return 1; }\n"
                          "    public static int length")  # fmt: skip
    library = compiled(tmp_path / "library", {"org/beads/Texts.java": wider.replace(
        "package beads", "package org.beads")})  # fmt: skip
    copy = {"my/shaded/beads/Texts.java": wider.replace("package beads", "package my.shaded.beads")}
    body = "my.shaded.beads.Texts.down(1); org.beads.Texts.down(1);"
    main = compiled(tmp_path / "client", copy | client(body), "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert counts(outcome, "outside") == {"org.beads.Texts.down": 1}
    assert outcome.missing == (
        "my.shaded.beads.Texts is a copy of the library's org.beads.Texts under another name, "
        "whose calls are not counted"
    )


def test_named_modules_are_traced_and_what_they_export_is_public(traced, tmp_path):
    info = {"module-info.java": "module beads { exports beads; }"}
    hidden = {"hidden/Own.java": "package hidden; public class Own { public void own() { } }"}
    library = compiled(tmp_path / "library", LIBRARY | info | hidden)
    uses = {"module-info.java": "module client { requires beads; }"}
    body = "beads.Shape shape = new beads.Square(2); shape.round();"
    sources = uses | client(body, package="own")
    main = compiled(tmp_path / "client", sources, "-p", str(library))

    outcome = traced(library, "-p", f"{main}:{library}", "-m", "client/own.Main")

    assert counts(outcome, "outside") == {"Square.<init>": 1, "Square.round": 1}
    assert counts(outcome, "declared") == {"Shape.round": 1}


def test_who_calls_what_is_overridden_by_the_client_is_told_apart(traced, tmp_path):
    library = compiled(tmp_path / "library", LIBRARY)
    body = """
        new beads.Chain().step(3000);
        new Loud().step(300);
    }
    static class Loud extends beads.Chain {
        @Override public int step(int left) { return super.step(left); }
        """
    main = compiled(tmp_path / "client", client(body), "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert counts(outcome, "outside") == {"Chain.<init>": 2, "Chain.step": 302}
    assert counts(outcome, "inside") == {"Chain.step": 3000}


def test_a_call_through_the_jdk_is_none_of_the_librarys(traced, tmp_path):
    library = compiled(tmp_path / "library", LIBRARY)
    body = """
        beads.Twice twice = new beads.Twice();
        beads.Twice.all(twice.andThen(number -> number), 500);
        beads.Twice.all(twice, 2000);
        """
    main = compiled(tmp_path / "client", client(body), "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert counts(outcome, "outside") == {
        "Twice.<init>": 1,
        "Twice.all": 2,
        "Twice.applyAsInt": 500,
    }
    assert counts(outcome, "inside") == {"Twice.applyAsInt": 2000}


@pytest.mark.parametrize(
    ("calls", "inside", "outside"),
    [
        ("beads.Twice.all(twice, number);", 200_000, 200_000),
        ("for (int at = 0; at < number; at++) { twice.applyAsInt(at); }", None, 400_000),
    ],
)
def test_a_caller_that_says_who_it_is_is_not_looked_for(traced, tmp_path, calls, inside, outside):
    library = compiled(tmp_path / "library", LIBRARY)
    body = """
        beads.Twice twice = new beads.Twice();
        int number = 200000;
        long began = System.nanoTime();
        CALLS
        long said = System.nanoTime() - began;
        began = System.nanoTime();
        java.util.stream.IntStream.range(0, number).map(twice).sum();
        long lookedFor = System.nanoTime() - began;
        if (lookedFor < 3 * said) {
            throw new IllegalStateException(said + " ns, and looked for " + lookedFor);
        }
        """
    sources = client(body.replace("CALLS", calls))
    main = compiled(tmp_path / "client", sources, "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert outcome.missing == ""
    assert counts(outcome, "inside").get("Twice.applyAsInt") == inside
    assert counts(outcome, "outside")["Twice.applyAsInt"] == outside


@pytest.mark.parametrize("called", ["null", "number -> number"])
def test_a_call_of_what_is_not_traced_says_nothing_of_the_next(traced, tmp_path, called):
    library = compiled(tmp_path / "library", LIBRARY)
    body = """
        beads.Twice twice = new beads.Twice();
        beads.Twice.all(twice, 2000);
        for (int at = 0; at < 10; at++) {
            try {
                beads.Twice.all(CALLED, 1);
            } catch (NullPointerException expected) {
                // Nothing was called.
            }
            java.util.stream.IntStream.of(1).map(twice).sum();
        }
        """
    sources = client(body.replace("CALLED", called))
    main = compiled(tmp_path / "client", sources, "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert counts(outcome, "outside")["Twice.applyAsInt"] == 10


def test_methods_that_grow_too_long_by_saying_who_calls_are_counted_all_the_same(traced, tmp_path):
    """A call takes 5 bytes and what is said of it 9, of which a method may have 65,535."""
    calls = "beads.Texts.down(1);" * 6000
    door = f"package beads; public class Door {{ public static void open() {{ {calls} }} }}"
    library = compiled(tmp_path / "library", LIBRARY | {"beads/Door.java": door})
    body = f"beads.Door.open(); {calls}"
    main = compiled(tmp_path / "client", client(body), "-cp", str(library))

    outcome = traced(library, "-cp", f"{main}:{library}", "Main")

    assert outcome.missing == ""
    assert counts(outcome, "inside") == {"Texts.down": 6000}
    assert counts(outcome, "outside") == {"Door.open": 1, "Texts.down": 6000}
