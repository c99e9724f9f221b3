"""What is shown of a profile of use: words, a table and a page; hostile names stay names."""

import csv
import io
from dataclasses import replace

import msgspec
import pytest
from builders import CONTEXT, method
from test_page_names import NASTY

from auditor.core.caveats import Caveat
from auditor.core.popularity import ClientUse, MethodProfile, Ranking, UsageProfile
from auditor.core.subject import Span
from auditor.trace import page_clients
from auditor.trace.document_clients import (
    ProfileDocument,
    build_profile_document,
    extract_popularity,
    parse_document,
)
from reports import results


def use(name, *by_client, share=0.0, **more):
    counts = {"inside": None, "indirect": 0, "declared": 0} | more
    return MethodProfile(
        method=replace(method(name), span=Span("ring.go", 12, 14)),
        outside=sum(by_client),
        share=share,
        by_client=by_client,
        **counts,
    )


PROFILE = UsageProfile(
    ranking=Ranking.SUM,
    chosen_count=1,
    methods=(
        use("Push", 1200, 30, share=0.75, inside=7, indirect=4, arguments=((None,), ("1", "None"))),
        use("Pop", 0, 2, share=0.25),
        use("Never", 0, 0),
    ),
    clients=(
        ClientUse(name="go:example.org/app@v1", revision="v1", tests=12, seconds=3.25),
        ClientUse(name="/src/tool", seconds=1.0, missing="1 of 4 unit tests fail"),
        ClientUse(name="go:example.org/broken@v2", reason="exit code 2"),
    ),
    caveats=(Caveat("methods-used", "the first of two"),),
)


def build_document(profile=PROFILE, context=CONTEXT):
    return build_profile_document(profile, context)


def test_what_the_machine_was_kept_from_stands_beside_what_was_found():
    strained = replace(CONTEXT, caveats=(Caveat("host-stolen", "the neighbours"),))

    assert build_document(context=strained).caveats[-1].slug == "host-stolen"


def test_a_document_is_read_as_it_was_written():
    assert parse_document(results.format_json(build_document())) == build_document()


def test_a_profile_in_words():
    view = page_clients.build_view(build_document())

    assert view.headline == (
        "2 of 3 public methods are called by 2 clients; most of all ring.Push, ring.Pop"
    )
    assert view.counts.endswith("counted in 12 tests; 1 client failed.")
    push, pop, never = view.rows
    assert (push.rank, push.outside, push.inside, push.indirect) == ("1", "1,230", "7", "4")
    assert (push.share, push.clients, push.by_client) == (
        "75\N{NO-BREAK SPACE}%",
        "2",
        ("1,200", "30"),
    )
    assert (push.example, push.location) == ("(1)", "ring.go:12")
    assert (pop.inside, pop.indirect, pop.clients, pop.example) == ("\N{EN DASH}", "", "1", "")
    assert (never.rank, never.use, never.clients) == ("", page_clients.NEVER, "")
    assert [client.name for client in view.clients] == [client.name for client in PROFILE.clients]
    assert [client.note for client in view.clients] == [
        "",
        "1 of 4 unit tests fail",
        "exit code 2",
    ]
    assert view.traced == (("app", "go:example.org/app@v1"), ("tool", "/src/tool"))


def test_what_an_audit_takes_of_it():
    result = extract_popularity(build_document())

    assert result.methods == tuple(profile.method.id for profile in PROFILE.methods[:2])
    assert result.source.startswith("the tests of 2 clients (go:example.org/app@v1, /src/tool; ")


def test_a_table_for_spreadsheets():
    hostile = replace(PROFILE.clients[0], name="=cmd()")
    profile = replace(PROFILE, clients=(hostile, *PROFILE.clients[1:]))

    head, first, *_ = csv.reader(io.StringIO(page_clients.render_csv(build_document(profile))))

    assert head[:3] == ["rank", "method", "often_used"]
    assert head[-2:] == ["'=cmd()", "/src/tool"]
    row = dict(zip(head, first, strict=True))
    assert (row["outside"], row["inside"], row["share"]) == ("1230", "7", "0.75")
    assert (row["often_used"], row["'=cmd()"]) == ("True", "1200")


def nasty():
    profile = UsageProfile(
        ranking=Ranking.SHARE,
        chosen_count=1,
        methods=tuple(
            replace(
                use(name, *[1] * len(NASTY), arguments=((name,),)),
                method=replace(method(name), id=name, span=Span(name, 1, 2)),
            )
            for name in NASTY
        ),
        clients=tuple(ClientUse(name=name, missing=name) for name in NASTY),
        caveats=(Caveat("clients-failed", "".join(NASTY)),),
    )
    plain = msgspec.to_builtins(build_document(profile))
    plain |= {"subject": "".join(NASTY), "revision": NASTY[0]}
    return msgspec.convert(plain, ProfileDocument)


@pytest.mark.browser
def test_hostile_names_leave_no_markup(visit_hostile):
    tab = visit_hostile(page_clients.render_html(nasty()))
    assert tab.locator("#methods tbody tr").count() == len(NASTY)


@pytest.mark.browser
def test_methods_are_sorted_and_filtered(visit):
    tab, _ = visit(page_clients.render_html(build_document()))
    visible_names = tab.locator("#methods tbody tr:visible th")

    tab.locator("#methods th", has_text="tool").click()
    assert visible_names.all_inner_texts() == ["ring.Push", "ring.Pop", "ring.Never"]
    tab.locator("#methods th", has_text="tool").click()
    assert visible_names.all_inner_texts() == ["ring.Pop", "ring.Push", "ring.Never"]
    tab.locator("#methods select.kind").select_option("detected")
    assert visible_names.all_inner_texts() == ["ring.Push"]


@pytest.mark.browser
def test_axe_finds_nothing(faults_of):
    assert faults_of(page_clients.render_html(build_document())) == []
