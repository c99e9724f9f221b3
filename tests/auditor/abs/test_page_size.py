"""The page of a large suite can be sent and opened."""

import crowds
import pytest

from auditor.abs.page.page_budget import choose_listed_pairs
from auditor.abs.page.report import render_page
from auditor.core.result import Verdict


@pytest.mark.parametrize("reach_interval", [1, 3, 10, 50])
def test_a_hundred_benchmarks_and_twenty_methods_stay_below_a_megabyte(reach_interval):
    assert len(render_page(crowds.crowd(20, 100, reach_interval)).encode()) <= 1_000_000


@pytest.mark.parametrize("reach_interval", [10, 100])
def test_a_thousand_benchmarks_and_two_hundred_methods_stay_below_ten_megabytes(reach_interval):
    assert len(render_page(crowds.crowd(200, 1000, reach_interval)).encode()) <= 10_000_000


@pytest.mark.parametrize(("methods", "benchmarks", "reach_interval"), [(20, 100, 5), (40, 300, 20)])
def test_where_there_is_room_every_reached_pair_is_described_and_many_are_drawn(
    methods, benchmarks, reach_interval
):
    document = crowds.crowd(methods, benchmarks, reach_interval)
    reached = [pair for pair in document.pairs if pair.outcome is not Verdict.UNREACHED]

    listed_pairs = choose_listed_pairs(document)

    assert len(listed_pairs.places) == len(reached)
    assert len(listed_pairs.plotted) > len(reached) / 4


def test_the_doubtful_are_described_first_where_there_is_no_room_for_all():
    document = crowds.crowd(20, 100, 1)

    listed_pairs = choose_listed_pairs(document)

    outcomes = {(pair.method, pair.benchmark): pair.outcome for pair in document.pairs}
    assert {outcomes[key] for key in listed_pairs.places} == {Verdict.INCONCLUSIVE}
    assert 0 < len(listed_pairs.plotted) < len(listed_pairs.places)
    assert listed_pairs.plotted <= set(listed_pairs.places)


def test_blank_cells_cost_next_to_nothing():
    """A page grows with what was reached, not with methods times benchmarks."""
    few, many = (render_page(crowds.crowd(100, size, size)) for size in (100, 1000))

    assert few.count('<a href="#cell-') == many.count('<a href="#cell-') == 100
    assert many.count("<td") - few.count("<td") < 900 * 14
