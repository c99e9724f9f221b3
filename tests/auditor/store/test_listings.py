from dataclasses import replace

from store_making import LOCAL_HOST, project

from auditor.core.subject import BuildInputs
from auditor.core.suite import Benchmark, Suite
from auditor.store.listings import ListingStore, split_by_group
from auditor.store.sqlite import SqliteStore

LEFT, RIGHT = "example.org/m/left", "example.org/m/right"
SUITE = Suite(
    (Benchmark(group=LEFT, name="BenchmarkA"), Benchmark(group=RIGHT, name="BenchmarkB")),
    (),
    ((RIGHT, "it does not build"), (f"{LEFT}.BenchmarkC", "it hangs")),
)


def _listings(store, left="l", right="r", content="c"):
    closures = ((LEFT, BuildInputs(digest=left)), (RIGHT, BuildInputs(digest=right)))
    return ListingStore(store, replace(project(), content=content, closures=closures), 60.0, "1")


def test_a_listing_is_known_as_a_whole_where_nothing_has_changed(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite", host=LOCAL_HOST) as store:
        _listings(store).add_suite(SUITE)

        assert _listings(store).find_suite() == SUITE
        assert _listings(store, content="d").find_suite() is None


def test_groups_whose_code_is_the_same_are_known_at_another_revision(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite", host=LOCAL_HOST) as store:
        _listings(store).add_suite(SUITE)

        groups = _listings(store, right="changed", content="d").find_groups()

    assert groups == {LEFT: Suite(SUITE.benchmarks[:1], (), ((f"{LEFT}.BenchmarkC", "it hangs"),))}


def test_what_could_not_be_listed_belongs_to_the_longest_name_that_fits():
    result = split_by_group(Suite((), (), (("a.v2.BenchmarkF", "hangs"),)), ["a", "a.v2"])

    assert result == {"a": Suite(()), "a.v2": Suite((), (), (("a.v2.BenchmarkF", "hangs"),))}


def test_what_was_passed_over_is_not_known(tmp_path):
    suite = replace(SUITE, benchmarks=SUITE.benchmarks[:1], passed_over=(RIGHT,))

    with SqliteStore(tmp_path / "s.sqlite", host=LOCAL_HOST) as store:
        _listings(store).add_suite(suite)

        assert _listings(store).find_suite() is None
        assert _listings(store).find_groups().keys() == {LEFT}
