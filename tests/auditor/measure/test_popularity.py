"""Which methods come first, by what clients call."""

from dataclasses import replace

import pytest
from builders import method

from auditor.core.outcome import MethodCalls
from auditor.core.popularity import ClientUse, Popularity, Ranking
from auditor.measure.popularity import build_usage_profile, most_used

NAMES = ("Add", "Get", "Len", "Never", "Pop")
METHODS = [method(name) for name in NAMES]
IDS = {public_method.name: public_method.id for public_method in METHODS}


def client(name, calls, **more):
    callses = tuple(
        MethodCalls(method=IDS[method_name], outside=outside, **more)
        for method_name, outside in calls.items()
    )
    return ClientUse(name=name, calls=callses)


NOISY = client("noisy", {"Add": 8000, "Get": 2000})
QUIET = client("quiet", {"Len": 9, "Get": 1})
THIRD = client("third", {"Pop": 7, "Get": 3})


def order(usage_profile):
    return [usage.method.name for usage in usage_profile.methods]


@pytest.mark.parametrize(
    ("ranking", "names"),
    [
        # The paper's: one client decides.
        (Ranking.SUM, ["Add", "Get", "Len", "Pop", "Never"]),
        # Of the three clients: .9 of one; .8 of one; .7 of one; .2, .1 and .3.
        (Ranking.SHARE, ["Len", "Add", "Pop", "Get", "Never"]),
        (Ranking.CLIENTS, ["Get", "Len", "Add", "Pop", "Never"]),
    ],
)
def test_the_order_is_that_of_the_ranking(ranking, names):
    assert order(build_usage_profile(METHODS, [NOISY, QUIET, THIRD], ranking, 20)) == names


def test_a_client_counts_no_more_than_others_by_share():
    louder = client("noisy", {"Get": 90_000, "Add": 30_000})

    usage_profile = build_usage_profile(
        METHODS, [louder, QUIET, client("third", {"Len": 1})], Ranking.SHARE, 20
    )

    assert order(usage_profile)[0] == "Len"
    shares = {
        method_profile.method.name: method_profile.share for method_profile in usage_profile.methods
    }
    assert shares["Len"] == pytest.approx((0 + 0.9 + 1) / 3)
    assert sum(shares.values()) == pytest.approx(1)
    assert "one-client" not in {caveat.slug for caveat in usage_profile.caveats}


def test_one_client_that_decides_the_sum_is_named():
    usage_profile = build_usage_profile(METHODS, [NOISY, QUIET], Ranking.SUM, 20)

    (caveat,) = [caveat for caveat in usage_profile.caveats if caveat.slug == "one-client"]
    assert caveat.text.startswith("noisy makes 99 % of all calls")
    assert not {"one-client"} & {
        caveat.slug for caveat in build_usage_profile(METHODS, [NOISY], Ranking.SUM, 20).caveats
    }


def test_the_cut_and_its_ties_are_explained():
    tied_client = client("alike", {"Pop": 3, "Add": 3, "Len": 3, "Get": 7})

    usage_profile = build_usage_profile(METHODS, [tied_client], Ranking.SUM, 2)

    assert order(usage_profile) == ["Get", "Add", "Len", "Pop", "Never"]
    assert usage_profile.chosen_count == 2
    (caveat,) = [caveat for caveat in usage_profile.caveats if caveat.slug == "methods-used"]
    assert "clients call 4 of 5 public methods; the first 2 count as often used" in caveat.text
    assert "2 more tie with the last one, the cut is by name" in caveat.text


def test_sums_of_all_clients_and_calls_of_each():
    first_client = client("one", {"Add": 4}, inside=10, indirect=1, arguments=((None,), ("1",)))
    second_client = client("other", {"Add": 6}, inside=None, indirect=2, arguments=(("1",), ("2",)))
    failed = ClientUse(name="failed", reason="exit code 2")

    usage_profile = build_usage_profile(
        METHODS, [first_client, failed, second_client], Ranking.SUM, 20
    )

    first = usage_profile.methods[0]
    assert (first.outside, first.inside, first.indirect, first.client_count) == (10, 10, 3, 2)
    assert first.by_client == (4, 6)
    assert first.arguments == (("1",), ("2",), (None,))
    assert usage_profile.methods[-1].inside is None
    assert [use.name for use in usage_profile.clients] == ["one", "failed", "other"]
    texts = {caveat.slug: caveat.text for caveat in usage_profile.caveats}
    assert texts["clients-failed"] == "1 of 3 clients could not be traced: failed: exit code 2"


def test_a_client_whose_calls_may_be_missing_is_named():
    partly = ClientUse(name="partly", calls=QUIET.calls, missing="3 of 9 unit tests fail")

    texts = {
        caveat.slug: caveat.text
        for caveat in build_usage_profile(METHODS, [partly], Ranking.SUM, 20).caveats
    }

    assert texts["clients-partly"].endswith("partly: 3 of 9 unit tests fail")


def test_what_cannot_be_slowed_or_is_gone_leaves_its_place_to_the_next():
    bad = replace(METHODS[1], refusal="a generator")
    popular_ids = (IDS["Pop"], "gone", bad.id, IDS["Len"], IDS["Add"])
    popularity = Popularity(methods=popular_ids, source="2 clients")

    slowable_methods, caveats = most_used([METHODS[0], bad, *METHODS[2:]], popularity, 2)

    assert [slowable_method.name for slowable_method in slowable_methods] == ["Pop", "Len"]
    assert [caveat.slug for caveat in caveats] == ["methods-profile", "methods-left-out"]
    assert (
        "the methods are the 2 public ones that 2 clients call most, of 5; 1 of those"
        in caveats[0].text
    )
    assert f"{bad.id}: a generator" in caveats[1].text
