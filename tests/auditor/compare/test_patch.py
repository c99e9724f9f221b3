"""Which functions of Python differ between two revisions."""

import textwrap
from dataclasses import replace
from types import SimpleNamespace

import pytest
import toy_language
from toy_language import parts, request

from auditor.compare import command
from auditor.compare.document import _build_patch_fields
from auditor.compare.model import Patch
from auditor.compare.study_patch import (
    accept_misses_of_head,
    audit_patch,
    find_differing_methods,
    limit_first_look,
    make_patch_request,
    repeat_audit,
)
from auditor.core.accepted import Acceptance
from auditor.core.errors import NoBenchmarks, UsageError
from auditor.core.request import CompareRequest
from auditor.core.subject import SourceFile, SourceRole
from auditor.core.suite import Suite
from mutators.python.mutator import PythonMutator


def revision(text):
    source = SourceFile(
        path="pack/module.py", unit="pack.module", role=SourceRole.LIBRARY, text=text.encode()
    )
    return replace(parts(request()), mutator=PythonMutator(), suite=Suite((), (source,)))


def changed(base, head):
    patch, caveats = find_differing_methods(revision(base), revision(head))
    assert caveats == ()
    assert patch.added == patch.removed == ()
    return [name.removeprefix("pack.module.") for name in patch.changed]


OVERLOADED = """
import typing as t

@t.overload
def f(x: int) -> int: ...
@t.overload
def f(x: str) -> str: ...
def f(x):
    return x
"""
BRANCHES = """
try:
    import fast
    def f(x):
        return fast.f(x)
except ImportError:
    def f(x):
        return sorted(x)
"""
CACHED = """
@functools.lru_cache(maxsize=8)
def f(x):
    return x
"""
LOOP = """
def f(xs):
    for x in xs:
        seen.add(x)
    total = sum(sorted(xs))
    return total
"""
DEEP = f"""
def f(x):
    return {" + ".join(["x"] * 900)}
"""


@pytest.mark.parametrize(
    ("base", "before", "after"),
    [
        (OVERLOADED, "return x", "return x + x"),
        (BRANCHES, "sorted(x)", "sorted(sorted(x))"),
        (CACHED, "@functools.lru_cache(maxsize=8)\n", ""),
        (CACHED, "maxsize=8", "maxsize=4"),
        (LOOP, "    total", "        total"),
        (DEEP, "return x", "return y"),
        ("def f():\n    return 'a  b'\n", "a  b", "a b"),
        ("def f():\n    return 0x" + "f" * 5000, "return 0x", "return 0xf"),
    ],
)
def test_a_function_is_changed_wherever_its_definitions_differ(base, before, after):
    assert changed(base, base.replace(before, after)) == ["f"]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (LOOP, f"if True:{textwrap.indent(LOOP, '    ')}"),
        (LOOP, LOOP.replace("    ", "\t")),
        (LOOP, f"import sys\n\n{LOOP}"),
        (LOOP, LOOP.replace("    return", "    # what is left\n\n    return")),
        (LOOP, LOOP.replace("sorted(xs))", "sorted( xs ))  # all")),
        (LOOP, LOOP.replace("(xs):\n", '(xs):\n    """Say what it does.\n\n  In full."""\n')),
        (OVERLOADED, OVERLOADED.replace("str) -> str", "bytes) -> bytes")),
    ],
)
def test_what_only_moved_or_was_laid_out_anew_is_not_changed(base, head):
    assert changed(base, head) == []


def test_a_function_is_where_its_real_definition_is():
    (method,) = PythonMutator().find_methods(revision(OVERLOADED).suite.sources)

    assert (method.span.first_line, method.span.last_line) == (8, 9)


COROUTINE = """
async def fetch(x):
    return x + 1


def plain(x):
    return x
"""


def test_a_changed_coroutine_is_named_as_one_that_cannot_be_slowed():
    patch, (caveat,) = find_differing_methods(
        revision(COROUTINE), revision(COROUTINE.replace("x + 1", "x + 2"))
    )

    assert (patch.changed, patch.refused) == ((), ("pack.module.fetch",))
    assert caveat.slug == "methods-refused"
    assert "says nothing of them: pack.module.fetch" in caveat.text
    assert find_differing_methods(revision(COROUTINE), revision(COROUTINE))[0].refused == ()


COMPARING = CompareRequest(min_delta=0.05, rounds=20, fresh=8, slowdown=0.6, methods=20)


def test_accepted_misses_that_head_has_stay_out_of_the_score_of_a_patch(monkeypatch):
    monkeypatch.setattr(toy_language, "SHARES", {("hop", "long"): 0.0, ("hop", "short"): 0.0})
    plan = request(methods=None)
    acceptances = tuple(
        Acceptance(method=name, reason="tests only", until=None) for name in ("hop", "gone")
    )
    patch_request = make_patch_request(COMPARING, replace(plan, accepted=acceptances))
    patch_request = accept_misses_of_head(patch_request, parts(plan))
    patch = Patch(changed=("toy.hop",), added=(), removed=())

    ready = parts(plan)
    monkeypatch.setattr(type(ready.clock), "now", lambda _: "2026-01-01T00:00:00Z")

    verdict = audit_patch(patch, 20, patch_request, ready).verdict

    assert [miss.method for miss in verdict.accepted] == ["toy.hop"]


def test_a_second_look_needs_no_accepted_miss_that_head_has_not():
    plan = replace(
        make_patch_request(COMPARING, request(methods=None)),
        accepted=(Acceptance(method="gone", reason="a", until=None),),
    )

    verdict = repeat_audit(("toy.hop",), plan, parts(request(methods=None)))

    assert [method.id for method in verdict.methods] == ["toy.hop"]


@pytest.mark.parametrize(("sourceless", "unknown"), [(("hop",), 0), (("hop", "skip"), 2)])
def test_whether_methods_differ_is_unknown_where_none_has_a_source(sourceless, unknown):
    ready = parts(request())
    methods = [
        method for method in ready.mutator.find_methods(()) if method.name in ("hop", "skip")
    ]
    texts = {method.id: "text" for method in methods if method.name not in sourceless}
    mutator = SimpleNamespace(
        find_methods=lambda _: methods,
        list_method_texts=lambda _: texts,
        comment_prefix=b"#",
    )

    patch, (caveat,) = find_differing_methods(*[replace(ready, mutator=mutator)] * 2)

    assert patch.unknown == unknown
    assert caveat.slug == "no-source"


def test_an_entry_that_is_there_twice_is_refused_before_anything_is_measured():
    plan = request(methods=None)
    twice = (Acceptance(method="hop", reason="a", until=None),) * 2

    with pytest.raises(UsageError, match=r"lists toy\.hop twice"):
        accept_misses_of_head(replace(plan, accepted=twice), parts(plan))


def test_a_dry_run_names_the_gates():
    command_line = SimpleNamespace(config=SimpleNamespace(compare=COMPARING))

    def describe(**gates):
        return command._describe_thresholds(
            command_line, {"fail_on": None, "fail_under": None, **gates}
        )

    limits = "A change counts from 5% on; methods that differ are slowed by 60%"
    assert describe() == f"{limits}."
    assert describe(fail_on="regression", fail_under=80.0) == (
        f"{limits}; a confirmed regression fails the gate; at least 80% of the methods that "
        "differ have to be detected."
    )


def test_a_patch_has_no_caveats_that_advise_options_of_another_command():
    patch_request = make_patch_request(COMPARING, request())
    patch = audit_patch(
        Patch(changed=("toy.hop",), added=(), removed=()), 20, patch_request, parts(patch_request)
    )

    slugs = {caveat.slug for caveat in patch.verdict.caveats}
    assert {"few-runs", "score-mode"} <= slugs
    shown_slugs = {caveat.slug for caveat in _build_patch_fields(patch)["caveats"]}
    assert shown_slugs == slugs - {"few-runs", "score-mode"}


def test_a_gate_on_a_patch_keeps_a_quarter_of_the_time_for_a_second_look():
    unlimited, limited = parts(request()), parts(request(budget=100))

    assert limit_first_look(unlimited) is unlimited
    first = limit_first_look(limited)
    assert first.deadline.seconds_left == pytest.approx(75, rel=0.1)
    assert first.deadline.budget == limited.deadline.budget == 100


def test_a_second_look_that_cannot_be_made_leaves_the_misses_unsure():
    def fail(_methods):
        raise NoBenchmarks("each benchmark fails")

    look = command._look_again(SimpleNamespace(repeat_patch_audit=fail), ("a",))
    late = command._look_again(SimpleNamespace(repeat_patch_audit=lambda _: None), ("a",))

    assert look.unsure_methods == late.unsure_methods == {"a"}
    assert list(look.describe_outcome()) == [
        "second look: unsure of a: missed, and not measured again: each benchmark fails"
    ]
