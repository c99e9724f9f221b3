"""How a suite is listed: what is known, what is asked for, how many processes at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.suite import Suite

Ask = Callable[[Invocation], CompletedProcess]
AskAll = Callable[[Ask, Sequence[Invocation]], Sequence[CompletedProcess]]


def ask_in_turn(ask: Ask, jobs: Sequence[Invocation]) -> Sequence[CompletedProcess]:
    """Ask of one process after the other."""
    return [ask(job) for job in jobs]


def _accept_all(_group: str, _name: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How a suite is listed; a harness may do more than is asked for.

    The groups in `suites` need not be listed again; their listings are without sources. `together`
    asks of each of some processes that are not timed, and returns their answers in order; of one
    that fails beside others it asks again.
    `is_asked_for` tells of a group and a name whether benchmarks of the group that are called so,
    or whose name begins so, may be among those that are asked for.
    """

    suites: Mapping[str, Suite] = field(default_factory=dict)
    together: AskAll = ask_in_turn
    is_asked_for: Callable[[str, str], bool] = _accept_all


EVERYTHING = Listing()
