from dataclasses import replace

from builders import suite_run
from toy_language import Listener

from auditor.core.caveats import Caveat
from auditor.measure.reuse import ReuseObserver


def _observe_runs(*revisions, now="new"):
    listener = Listener()
    reuse = ReuseObserver(listener, now)
    for number, revision in enumerate(revisions, 1):
        run = replace(suite_run([1.0], repetition=number), revision=revision)
        reuse.trial_ended(run, reused=revision != now)
        reuse.trial_ended(run, reused=True)
    return reuse, listener


def test_runs_of_this_revision_and_of_unknown_ones_need_no_word():
    assert _observe_runs("new", "new", "")[0].describe_reuse() == ()


def test_runs_of_other_revisions_are_counted_once_and_named():
    (caveat,) = _observe_runs("new", "old", "old", "older")[0].describe_reuse()

    assert caveat.slug == "other-revision"
    assert caveat.text.startswith("3 of 4 runs are reused from another revision")
    assert caveat.text.endswith("inputs: old, older; to measure anew, use another --store")


def test_of_many_revisions_the_commonest_are_named():
    (caveat,) = _observe_runs("d", "c", "c", "b", "b", "a", "a", "a")[0].describe_reuse()

    assert caveat.text.startswith("8 of 8 runs")
    assert caveat.text.endswith(": a, c, b and 1 more; to measure anew, use another --store")


def test_everything_is_passed_on():
    reuse, listener = _observe_runs("new")
    reuse.phase_started("suite", 1, 2.0)
    reuse.report_caveat(Caveat("few-runs", "few"))

    assert listener.reused == 1
    assert listener.phases
    assert listener.caveats == [Caveat("few-runs", "few")]
