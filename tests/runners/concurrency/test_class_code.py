"""What two versions of real classes differ in, as compiled by javac and read from byte code."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from version_making import environment, write_files

from auditor.concurrency.judge.focus import find_focus_methods
from auditor.core.errors import SourceUnreadable
from runners.concurrency.code import CodeReader, read_code
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.guests import prepare_guests
from runners.jmh.jdk import BRIEF

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("mvn") is None, reason="needs a JDK and Maven"),
]

REGISTRY = """class Registry {{
    private {field} boolean ready;
    public {method} void start() {{ ready = true; }}
    public {method} boolean isReady() {{ return ready; }}
    public String use() {{ return isReady() ? "yes" : "no"; }}
    public String name() {{ return "registry"; }}
}}"""
PLAIN = REGISTRY.format(field="", method="")
LOCKED = REGISTRY.format(field="", method="synchronized")
VOLATILE = REGISTRY.format(field="volatile", method="")

SHAPE = """import java.util.concurrent.Callable;
class Shape {{
    int x, y;
    void run(Callable<Object> some) {{ }}
    Object one() {{ return 1; }}
    Object two() {{ return 2; }}
    {}
}}"""
SHAPES = {
    "constant": ("return 1;", "return 2;"),
    "number": ("return 1e300;", "return 2e300;"),
    "long_constant": ("return 70000;", "return 70000L;"),
    "text": ('return "a";', 'return "b";'),
    "joined": ('return "a" + p;', 'return "b" + p;'),
    "literal": ("return Number.class;", "return String.class;"),
    "variable": ("return p;", "return q;"),
    "operator": ("return p + q;", "return p - q;"),
    "field": ("return x;", "return y;"),
    "assigned": ("x = p; return 0;", "y = p; return 0;"),
    "called": ("return String.valueOf(p);", "return Integer.toString(p);"),
    "jump": ("return p > q ? 1 : 2;", "return p < q ? 1 : 2;"),
    "counted": ("p++; return p;", "p += 2; return p;"),
    "made": ("return new int[1];", "return new long[1];"),
    "nested": ("return new int[1][1];", "return new long[1][1];"),
    "cast": ("return (String) o;", "return (Number) o;"),
    "near": (
        "switch (p) { case 1: return 1; case 2: return 2; default: return 3; }",
        "switch (p) { case 1: return 1; case 2: case 3: return 2; default: return 3; }",
    ),
    "apart": (
        "switch (p) { case 1: return 1; case 1000: return 2; default: return 3; }",
        "switch (p) { case 1: return 1; case 2000: return 2; default: return 3; }",
    ),
    "caught": (
        "try { x = p / q; } catch (RuntimeException e) { } return 0;",
        "try { x = p / q; } catch (ArithmeticException e) { } return 0;",
    ),
    "covered": (
        "x = p / q; try { y = p % q; } catch (RuntimeException e) { } return 0;",
        "try { x = p / q; y = p % q; } catch (RuntimeException e) { } return 0;",
    ),
    "locked": ("x = p; return 0;", "synchronized (this) { x = p; } return 0;"),
    "lambda": ("run(() -> p); return 0;", "run(() -> q); return 0;"),
    "inner": (
        "run(() -> { run(() -> p); return 1; }); return 0;",
        "run(() -> { run(() -> q); return 1; }); return 0;",
    ),
    "reference": ("run(this::one); return 0;", "run(this::two); return 0;"),
}
OLD, NEW = 0, 1


def shape(version_index):
    bodies = (
        f"public Object {name}(int p, int q, Object o) {{ {body_pair[version_index]} }}"
        for name, body_pair in SHAPES.items()
    )
    return SHAPE.format("\n    ".join(bodies))


# One package for each case, compiled with all the others.
CASES = {
    "lock": (PLAIN, LOCKED),
    "unlock": (LOCKED, VOLATILE),
    "unsafe": (PLAIN, VOLATILE),
    "shape": (shape(OLD), shape(NEW)),
    "lines": (
        "class A { public int a(int b) { int c = b; return c; } }",
        "class A {\n\n// more\npublic int a(int\nother) {\n int one = other;\n\nreturn one; } }",
    ),
    "pool": (
        'class A { int x; public String a() { return "a" + x + 70000L; } }',
        'class A { static final String MORE = "more"; private double before() { return 0.1; }\n'
        'long y; int x; public String a() { return "a" + x + 70000L; } }',
    ),
    "steps": tuple(
        f"""class A {{
            private int inner(int a) {{ return a {sign} 1; }}
            public int near() {{ return inner(1); }}
            public int far() {{ return near(); }}
            public int other() {{ return 0; }} }}"""
        for sign in "+-"
    ),
    "through": tuple(
        f"""interface Source {{ int next(); }}
        class One implements Source {{ public int next() {{ return {value}; }} }}
        class Two implements Source {{ public int next() {{ return 7; }} }}
        class A {{ public int use(Source some) {{ return some.next(); }}
            public int two(Two some) {{ return some.next(); }} }}"""
        for value in (1, 2)
    ),
    "inherited": tuple(
        f"""abstract class Top {{ abstract int value();
            public int size() {{ return value(); }} public int none() {{ return 0; }} }}
        class A extends Top {{ int value() {{ return {value}; }} public int own() {{ return 0; }} }}
        """
        for value in (1, 2)
    ),
    "nested": tuple(
        f"""class A {{ private int secret() {{ return {value}; }} private int other;
            static class In {{ public int in(A a) {{ return a.secret(); }}
                public int more(A a) {{ return a.other; }} }}
            public int out(In in) {{ return in.in(this); }} }}"""
        for value in (1, 2)
    ),
    "numbers": (
        """class A { private int one, two; private int get() { return 1; }
            public Runnable kept() { return () -> one++; }
            static class In { public int in(A a) { return a.two + a.get(); } } }""",
        """class A { private int one, two, fresh; private int get() { return 1; }
            public Runnable first() { return () -> two++; }
            public Runnable kept() { return () -> one++; }
            static class In { public int before(A a) { return a.fresh++; }
                public int in(A a) { return a.two + a.get(); } } }""",
    ),
    "values": tuple(
        f"""import java.util.*;
        class A {{ private final Map<String, String> held = {value};
            private int size; private final String name;
            A(String name) {{ this.name = name; size = 3; }} {more}
            public String get(String key) {{ return held.get(key); }}
            public int size() {{ return size; }} public String name() {{ return name; }} }}"""
        for value, more in (
            ("Collections.synchronizedMap(new HashMap<>())", ""),
            (
                "new java.util.concurrent.ConcurrentHashMap<>()",
                "A(int more, String name) { this.name = name; size = 3; }",
            ),
        )
    ),
    "covariant": tuple(
        f"""class A implements Comparable<A> {{ int x;
            public A clone() {{ x = {value}; return this; }}
            public int compareTo(A other) {{ return {value}; }} }}"""
        for value in (1, 2)
    ),
}


@pytest.fixture(scope="module")
def reader(warm, tmp_path_factory):
    folder = warm.home(tmp_path_factory.mktemp("code-home"))
    process_environment = environment(Path(os.environ["HOME"]))
    host = LocalHost()
    guests = prepare_guests(
        home=HomeFolder(folder), host=host, environment=process_environment, jmh_core_jar=None
    )
    return CodeReader(host=host, guests=guests, java="java", environment=process_environment)


def compiled(folder, version_index, *options):
    texts = {
        f"{name}/A.java": f"package {name};\n{text_pair[version_index]}"
        for name, text_pair in CASES.items()
    }
    sources = write_files(folder / "sources", texts)
    call = ("javac", *BRIEF, *options, "-nowarn", "-d", folder / "classes")
    subprocess.run((*call, *sources.rglob("*.java")), check=True, capture_output=True)
    return folder / "classes"


# Before Java 11 nested classes reach into each other by bridges.
@pytest.fixture(scope="module", params=["8", "17"])
def versions(request, reader, tmp_path_factory):
    release = ("-g", "--release", request.param)
    folders = [tmp_path_factory.mktemp("version") for _ in (OLD, NEW)]
    return [
        reader.read_version((compiled(folder, version_index, *release),), folder)
        for version_index, folder in enumerate(folders)
    ]


@pytest.fixture
def find_changes(versions):
    def ask(name):
        old, new = (version.classes for version in versions)
        assert name in old
        assert name in new
        return {
            method.method: (method.distance, method.reason)
            for method in find_focus_methods(old, new, name)
        }

    return ask


def test_all_classes_are_read(versions):
    assert [version.unreadable for version in versions] == [(), ()]


def test_methods_that_become_synchronized_are_changed_and_who_calls_them_is_near(find_changes):
    assert find_changes("lock.Registry") == {
        "start()": (0, "it became synchronized"),
        "isReady()": (0, "it became synchronized"),
        "use()": (1, "it calls Registry.isReady()"),
    }


def test_a_volatile_field_in_place_of_synchronized_methods(find_changes):
    assert find_changes("unlock.Registry") == {
        "start()": (0, "it is no longer synchronized"),
        "isReady()": (0, "it is no longer synchronized"),
        "use()": (1, "it calls Registry.isReady()"),
    }


def test_methods_whose_code_is_the_same_are_changed_by_a_field_that_became_volatile(find_changes):
    assert find_changes("unsafe.Registry") == {
        "start()": (0, "it writes the field ready, which became volatile"),
        "isReady()": (0, "it reads the field ready, which became volatile"),
        "use()": (1, "it calls Registry.isReady()"),
    }


@pytest.mark.parametrize("name", SHAPES)
def test_whatever_code_does_otherwise_is_a_change(name, find_changes):
    method = f"{name}(int,int,java.lang.Object)"

    assert find_changes("shape.Shape")[method] == (0, "its code changed")


@pytest.mark.parametrize("name", ["lines.A", "pool.A"])
def test_other_lines_names_of_variables_and_constants_are_no_change(name, find_changes):
    assert find_changes(name) == {}


def test_callers_of_a_private_method_that_changed_are_one_and_two_calls_away(find_changes):
    assert find_changes("steps.A") == {
        "near()": (1, "it calls A.inner(int)"),
        "far()": (2, "it calls A.near(), and through it A.inner(int)"),
    }


def test_a_call_of_an_interface_is_one_of_all_that_implement_it(find_changes):
    assert find_changes("through.A") == {"use(through.Source)": (1, "it calls One.next()")}


def test_an_inherited_method_calls_what_the_subclass_has(find_changes):
    assert find_changes("inherited.A") == {"size()": (1, "it calls A.value()")}


def test_nested_classes_are_classes_of_their_own_and_reach_private_methods_in_one_step(
    find_changes,
):
    assert find_changes("nested.A$In") == {"in(nested.A)": (1, "it calls A.secret()")}
    assert find_changes("nested.A") == {
        "out(nested.A$In)": (2, "it calls A$In.in(A), and through it A.secret()")
    }


def test_lambdas_and_bridges_that_got_other_numbers_are_no_change(find_changes):
    assert find_changes("numbers.A") == {}
    assert find_changes("numbers.A$In") == {}


def test_a_field_that_gets_another_value_at_first_changes_who_uses_it(find_changes):
    result = find_changes("values.A")

    assert result.pop("get(java.lang.String)") == (
        0,
        "it reads the field held, which gets another value at first",
    )
    assert result == {}


def test_a_bridge_to_a_method_of_the_same_parameters_is_that_method(find_changes):
    assert find_changes("covariant.A") == {
        "clone()": (0, "its code changed"),
        "compareTo(covariant.A)": (0, "its code changed"),
        "compareTo(java.lang.Object)": (1, "it calls A.compareTo(A)"),
    }


def test_the_members_of_a_class_are_read_with_their_flags_and_what_they_use(versions):
    before, after = (version.classes["unlock.Registry"] for version in versions)

    assert after.name == "unlock.Registry"
    assert (after.superclass, after.interfaces) == ("java.lang.Object", ())
    assert after.fields["ready"].type == "boolean"
    assert after.fields["ready"].flags == {"private", "volatile"}
    assert before.methods["start()"].flags == {"public", "synchronized"}
    assert before.methods["start()"].writes == (("unlock.Registry", "ready"),)
    assert before.methods["use()"].calls[0].key == "isReady()"
    assert versions[OLD].classes["through.Source"].flags == {"abstract", "interface"}
    assert versions[OLD].classes["through.One"].interfaces == ("through.Source",)


def test_what_cannot_be_read_is_told_and_the_rest_is_read(reader, tmp_path):
    classes = compiled(tmp_path, OLD)
    class_bytes = (classes / "lines" / "A.class").read_bytes()
    (classes / "lines" / "Later.class").write_bytes(class_bytes[:6] + b"\x7f\xff" + class_bytes[8:])
    (classes / "lines" / "Broken.class").write_bytes(class_bytes[:40])
    missing = tmp_path / "missing.jar"

    result = reader.read_version((classes, missing), tmp_path)

    reasons = dict(result.unreadable)
    assert set(reasons) == {"lines/Later.class", "lines/Broken.class", str(missing)}
    assert "class file major version" in reasons["lines/Later.class"]
    assert {"lines.A", "pool.A"} <= set(result.classes)


def test_of_two_classes_with_one_name_the_first_counts_be_it_in_a_jar_or_a_folder(reader, tmp_path):
    old, new = (
        compiled(tmp_path / str(version_index), version_index) for version_index in (OLD, NEW)
    )
    jar = tmp_path / "new.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.write(new / "steps" / "A.class", "steps/A.class")
        file.write(new / "lines" / "A.class", "META-INF/versions/21/lines/A.class")

    first = reader.read_version((jar, old), tmp_path).classes
    second = reader.read_version((old, jar), tmp_path).classes
    alone = reader.read_version((jar,), tmp_path).classes

    assert alone.keys() == {"steps.A"}
    assert first["steps.A"] == alone["steps.A"] != second["steps.A"]
    assert first.keys() == second.keys()


@pytest.mark.parametrize("broken", [b"{", b"[]\n", b'{"kind": 3}', b"\xff"])
def test_a_list_that_is_none_is_one_error(broken):
    with pytest.raises(SourceUnreadable, match="list of classes"):
        read_code(broken)


def test_a_java_that_fails_is_one_error_with_what_it_said(reader, tmp_path):
    work_folder = tmp_path / "gone"
    work_folder.mkdir()
    reading = CodeReader(
        host=reader.host,
        guests=type(reader.guests)(tmp_path / "nothing"),
        java="java",
        environment=reader.environment,
    )

    with pytest.raises(SourceUnreadable, match="ClassCode"):
        reading.read_version((), work_folder)
