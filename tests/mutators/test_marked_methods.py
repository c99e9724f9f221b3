"""The marker of an accepted miss, above methods as the mutators find them."""

from auditor.abs.judge.accepted_misses import find_marked_misses
from auditor.core.subject import Language, Method, SourceFile, SourceRole
from mutators.go.mutator import GoMutator
from mutators.java.mutator import JavaMutator
from mutators.java.spans import find_spans

GO = """package ring

type Ring[T any] struct{}

/* A block comment. */
// bench-audit:ignore generic, and slow
func (r *Ring[T]) Push(x T) {
}

func (r *Ring[T]) Pop() {
}
"""
JAVA = """package org.example;

class Work {
    /** Says what it does. */
    // bench-audit:ignore deprecated
    @Deprecated
    @SuppressWarnings({"a",
        "b"})
    public int turns(int n) {
        return n;
    }

    // bench-audit:ignore only the other one is used
    int turns(long n) {
        return (int) n;
    }

    int kept() { return 1; } // bench-audit:ignore of nothing
    int left() { return 2; }
}
"""


def source(path, text):
    return SourceFile(path=path, unit="unit", role=SourceRole.LIBRARY, text=text.encode())


def test_of_go():
    sources = [source("ring.go", GO)]

    misses = list(
        find_marked_misses(GoMutator().find_methods(sources), sources, GoMutator.comment_prefix)
    )

    assert [(miss.method, miss.reason, miss.location) for miss in misses] == [
        ("unit.Ring.Push", "generic, and slow", "ring.go:6")
    ]


def test_of_java():
    sources = [source("org/example/Work.java", JAVA)]
    named = (("turns", ("int",)), ("turns", ("long",)), ("kept", ()), ("left", ()))
    facts = find_spans(sources).match_methods([("org.example.Work", *key) for key in named])
    methods = [
        Method(
            language=Language.JAVA,
            id=f"{name}({','.join(types)})",
            owner="org.example.Work",
            name=name,
            parameters=types,
            span=method_facts.span,
        )
        for (name, types), method_facts in zip(named, facts, strict=True)
    ]

    misses = list(find_marked_misses(methods, sources, JavaMutator.comment_prefix))

    assert [(miss.method, miss.reason) for miss in misses] == [
        ("turns(int)", "deprecated"),
        ("turns(long)", "only the other one is used"),
    ]
