"""Beginnings of JMH benchmarks: only of what a class of the same package can call."""

import json

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.java.mutator import JavaMutator
from mutators.java.stubs import write_stubs

PUBLIC, PRIVATE, PROTECTED, STATIC, INTERFACE = 1, 2, 4, 8, 0x600
SECRET = ["p/Lib$Secret", "p/Lib", "Secret", PRIVATE | STATIC]


def method(name, descriptor, owner="p/Lib", access=PUBLIC, nests=()):
    return {
        "kind": "method",
        "part": "library.jar",
        "owner": owner,
        "owner_access": PUBLIC,
        "name": name,
        "descriptor": descriptor,
        "access": access,
        "nests": list(nests),
    }


LINES = [
    method("<init>", "()V"),
    method("open", "(I)I"),
    method("take", "(Lp/Lib$Secret;)I"),
    method("many", "(I[Lp/Lib$Secret;)I"),
    method("deep", "(Lp/Lib$Secret$Deep;)I"),
    method("mark", "(Lp/Lib$Mark;)I"),
    method("hidden", "(I)I", access=PRIVATE),
    method("run", "(I)I", owner="p/Lib$Secret", nests=[SECRET]),
    method(
        "far", "()V", owner="p/Lib$Secret$Deep",
        nests=[["p/Lib$Secret$Deep", "p/Lib$Secret", "Deep", PUBLIC], SECRET],
    ),
    method("local", "()V", owner="p/Lib$1Local", nests=[["p/Lib$1Local", None, "Local", 0]]),
    {
        "kind": "class",
        "part": "library.jar",
        "owner": "p/Lib$Mark",
        "owner_access": INTERFACE,
        "nests": [["p/Lib$Mark", "p/Lib", "Mark", PRIVATE | STATIC | INTERFACE]],
    },
    method("f", "(I)I", owner="Top"),
]  # fmt: skip


def write_all(lines):
    text = "\n".join(map(json.dumps, lines)).encode()
    sources = [SourceFile(path="c.jsonl", unit="", role=SourceRole.LIBRARY, text=text)]
    return write_stubs(JavaMutator().find_methods(sources), {}, sources)


@pytest.fixture
def stubs():
    return write_all(LINES)


@pytest.mark.parametrize(("access", "subject"), [(PROTECTED, "null"), (PUBLIC, "new a.Api()")])
def test_an_heir_in_another_package_is_made_by_its_public_constructor_only(access, subject):
    hidden = {**method("push", "(I)V", owner="b/Base"), "owner_access": 0}
    maker = {**method("<init>", "()V", owner="a/Api", access=access), "above": ["b/Base"]}

    (stub,) = [stub for stub in write_all([hidden, maker]) if stub.path.startswith("b/")]

    assert f"basePushSubject = {subject};" in stub.text


def test_what_the_package_cannot_call_has_no_benchmark_and_a_reason(stubs):
    reasons = dict(stubs[-1].incomplete)

    assert {name: reason.partition(":")[0] for name, reason in reasons.items()} == {
        "p.Lib.take": "the type of a parameter is private",
        "p.Lib.many": "the type of a parameter is private",
        "p.Lib.deep": "the type of a parameter is private",
        "p.Lib.mark": "the type of a parameter is private",
        "p.Lib.hidden": "it is private",
        "p.Lib.Secret.run": "it is private",
        "p.Lib.Secret.Deep.far": "it is private",
        "p.Lib$1Local.local": "it is private",
        "Top.f": "JMH refuses benchmarks in the default package, and no other one sees this class",
    }
    assert stubs[-1].text == ""


def test_the_others_of_the_package_keep_theirs(stubs):
    assert [stub.path for stub in stubs if stub.text] == ["p/UnwatchedBenchmark.java"]
    assert stubs[0].ready == ("p.Lib.<init>",)
    assert "libOpenSubject.open(libOpen0)" in stubs[0].text
    assert "Secret" not in stubs[0].text
