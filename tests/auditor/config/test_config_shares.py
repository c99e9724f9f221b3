"""Changes, parts of a whole and percentages as people write them."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.config import load_config
from auditor.config.settings import json_schema
from auditor.config.shares import as_percent, parse_change, parse_percent, parse_share
from auditor.core.errors import UsageError


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        *[("5%", 0.05), (".05", 0.05), ("1.05x", 0.05), (" 5% ", 0.05), ("500%", 5.0)],
        *[("6x", 5.0), ("1x", 0.0), (0.6, 0.6), ("0", 0.0), ("100%", 1.0)],
    ],
)
def test_a_change_has_three_spellings(spelling, expected):
    assert parse_change("--min-delta", spelling) == expected


@pytest.mark.parametrize(
    ("spelling", "readings"),
    [
        ("5", "5% or 500%"),
        ("1", "1% or 100%"),
        (60, "60% or 6000%"),
        ("1.05", "1.05x or 1.05% or 105%"),
    ],
)
def test_a_change_that_can_be_misread_is_refused_with_both_readings(spelling, readings):
    with pytest.raises(UsageError) as refused:
        parse_change("--min-delta", spelling)

    assert str(refused.value) == f"--min-delta {spelling} is ambiguous: write {readings}"


@pytest.mark.parametrize(
    "spelling", ["", "x", "0.5x", "-1", "-5%", "nan", "inf%", "5 % of it", "%"]
)
def test_what_is_no_change_is_refused(spelling):
    with pytest.raises(UsageError, match="is not a change: write"):
        parse_change("--min-delta", spelling)


@given(st.floats(0, 1000))
def test_what_is_printed_is_read_back(change):
    assert parse_change("--min-delta", as_percent(change)) == pytest.approx(
        change, rel=1e-11, abs=1e-12
    )


def test_a_part_of_a_whole_is_less_than_all_of_it():
    assert [parse_share("--s", spelling) for spelling in ("5%", "0.05", "99%", "0")] == [
        0.05,
        0.05,
        0.99,
        0.0,
    ]
    for spelling in ("1", "5", "100%", "much"):
        with pytest.raises(
            UsageError, match=f"--s {spelling} is not a fraction below 100%: write 5% or"
        ):
            parse_share("--s", spelling)


def test_a_score_is_a_percentage_and_a_part_is_refused():
    assert [parse_percent("--f", spelling) for spelling in ("80%", "80", 80.0, "0.8%")] == [
        80,
        80,
        80,
        0.8,
    ]
    with pytest.raises(UsageError, match=r"--f 0\.8 is ambiguous: write 0\.8% or 80%"):
        parse_percent("--f", "0.8")
    with pytest.raises(UsageError, match="--f 0: a gate at 0% can never fail; leave it out"):
        parse_percent("--f", "0")
    with pytest.raises(UsageError, match="--f 101% is not a percentage from 0 to 100: write 80%"):
        parse_percent("--f", "101%")


def test_a_file_may_have_them_as_texts(tmp_path):
    document = {
        "slowdown": "1.6x",
        "rule": "gate",
        "min_delta": "5%",
        "compare": {"min_delta": "10%"},
        "gates": {"min_score": "80%"},
    }
    (tmp_path / "c.json").write_text(json.dumps(document))
    jsonschema.Draft202012Validator(json_schema()).validate(document)

    config = load_config("c.json", {}, tmp_path)

    assert (config.request.slowdown, config.request.min_delta) == (0.6, 0.05)
    assert (config.compare.min_delta, config.gates.min_score) == (0.1, 80.0)
