"""How long processes warm up that cannot be watched: as long as watched ones of the same code."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil

from auditor.audits.watched import warm_seconds
from auditor.core.plan import Run
from auditor.core.request import Plan


def warmed(plans: Mapping[str, Plan], runs: Sequence[Run]) -> dict[str, Plan]:
    """Return the plan of each benchmark, by its id, with the warm-up that watched runs ask for.

    That is the longest of any of its processes in the first of the runs, so that further ones
    change nothing. A benchmark of which one was not seen warm keeps what is planned.
    """
    earliest = min((run.trial.repetition for run in runs), default=0)
    found = warm_seconds([run for run in runs if run.trial.repetition == earliest])
    return {
        name: plan
        if found.get(name) is None
        else replace(plan, warmup=max(1, ceil(found[name] / plan.iteration_seconds)))
        for name, plan in plans.items()
    }
