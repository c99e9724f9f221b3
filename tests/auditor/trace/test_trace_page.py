"""What is shown of a map of calls: words and a page; names that mean harm stay names."""

from dataclasses import replace

import msgspec
import pytest
from builders import CONTEXT, method
from test_page_names import NASTY

from auditor.core.caveats import Caveat
from auditor.core.result import ReachState
from auditor.core.subject import Span
from auditor.trace import page
from auditor.trace.document import TraceDocument, build_trace_document, parse_document
from auditor.trace.model import BenchmarkUse, Caller, MethodUse, SuiteUse
from reports import results

ID = "example.org/ring.Benchmark{}"


def use(name, reach=ReachState.NOT_AT_ALL, **more):
    return MethodUse(method=method(name), reach=reach, **more)


def called(name, *callers, **more):
    return use(name, ReachState.IN_LOOP, called_by=callers, **more)


SUITE_USE = SuiteUse(
    methods=(
        replace(
            use("Len", tests=1200),
            method=replace(method("Len"), span=Span("ring.go", 12, 14)),
        ),
        use("Unused", tests=0),
        use("Grow", ReachState.SET_UP_ONLY, set_up_in=(ID.format("Push"),), tests=3),
        use("Native", ReachState.UNKNOWN, reason="it has no body"),
        called(
            "Push", *(Caller(ID.format(name), 2.0) for name in ("Push", "A", "B", "C")), tests=9
        ),
        called("Pop", Caller(ID.format("Push"), None), tests=None),
    ),
    benchmarks=(
        *(
            BenchmarkUse(id=ID.format(name), methods=1, reason=None)
            for name in ("Push", "A", "B", "C")
        ),
        BenchmarkUse(id=ID.format("Idle"), methods=0, reason=None),
        BenchmarkUse(id=ID.format("Broken"), methods=None, reason="exit code 2"),
    ),
    caveats=(Caveat("unit-tests", "part of the counts is missing"),),
)


def build_document(suite_use=SUITE_USE, context=CONTEXT):
    return build_trace_document(suite_use, context)


def test_what_the_machine_was_kept_from_stands_beside_what_was_found():
    strained = replace(CONTEXT, caveats=(Caveat("host-stolen", "the neighbours"),))

    assert build_document(context=strained).caveats[-1].slug == "host-stolen"


def test_a_document_is_read_as_it_was_written():
    assert parse_document(results.format_json(build_document())) == build_document()


def test_a_map_in_words():
    view = page.build_view(build_document())

    assert view.headline == (
        "3 of 6 public methods have no benchmark; of these the unit tests call most: ring.Len, "
        "ring.Grow"
    )
    assert view.counts == (
        "Calls were counted in 5 benchmarks (1 did not run); 1 of them calls no public method."
    )
    rows = {row.name: row for row in view.rows}
    assert (rows["ring.Len"].tests, rows["ring.Len"].location) == ("1,200", "ring.go:12")
    assert rows["ring.Grow"].note == "in the set-up of ring.BenchmarkPush"
    assert rows["ring.Native"].note == "it has no body"
    assert rows["ring.Push"].benchmarks == 4
    assert rows["ring.Push"].callers == (
        "ring.BenchmarkPush (2 per operation), ring.BenchmarkA (2 per operation), "
        "ring.BenchmarkB (2 per operation) and 1 more"
    )
    assert rows["ring.Pop"].callers == "ring.BenchmarkPush (calls unknown)"
    assert [(word.word, count) for _, word, count in view.legend] == [
        ("no benchmark", 2), ("set-up only", 1), ("cannot tell", 1), ("called", 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([use("A")], "1 of 1 public method has no benchmark"),
        ([called("A")], "No public method of 1 is known to have no benchmark"),
        (
            [called("A"), use("B", ReachState.UNKNOWN)],
            "No public method of 2 is known to have no benchmark; 1 inconclusive",
        ),
        ([use("A", tests=0), called("B")], "1 of 2 public methods has no benchmark"),
    ],
)
def test_the_headline_claims_no_more_than_is_known(methods, message):
    assert (
        page.format_headline(build_document(replace(SUITE_USE, methods=tuple(methods)))) == message
    )


def nasty():
    suite_use = SuiteUse(
        methods=tuple(
            replace(
                called(name, *(Caller(text, 1.0) for text in NASTY), reason=name),
                method=replace(method(name), id=name, span=Span(name, 1, 2)),
            )
            for name in NASTY
        ),
        benchmarks=tuple(BenchmarkUse(id=name, methods=None, reason=name) for name in NASTY),
        caveats=(Caveat("unit-tests", "".join(NASTY)),),
    )
    plain = msgspec.to_builtins(build_document(suite_use))
    plain |= {"subject": "".join(NASTY), "revision": NASTY[0]}
    return msgspec.convert(plain, TraceDocument)


@pytest.mark.browser
def test_hostile_names_leave_no_markup(visit_hostile):
    tab = visit_hostile(page.render_html(nasty()))
    assert tab.locator("#methods tbody tr").count() == len(NASTY)


@pytest.mark.browser
def test_methods_can_be_filtered_by_name_and_kind(visit):
    tab, _ = visit(page.render_html(build_document()))
    visible_names = tab.locator("#methods tbody tr:visible th")

    tab.locator("#methods select.kind").select_option("set-up-only")
    assert visible_names.all_inner_texts() == ["ring.Grow"]
    tab.locator("#methods select.kind").select_option("")
    tab.locator("#methods input[type=search]").fill("po")
    assert visible_names.all_inner_texts() == ["ring.Pop"]


@pytest.mark.browser
def test_axe_finds_nothing(faults_of):
    assert faults_of(page.render_html(build_document())) == []
