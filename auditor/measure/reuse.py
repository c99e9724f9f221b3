"""How many of the runs behind a result were made of another revision with the same code."""

from collections import Counter

from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.ports import Observer

_NAMED = 3
"""Revisions that are named; a store that lives long holds many."""


class ReuseObserver:
    """An observer between a study and another observer; counts each trial once."""

    def __init__(self, inner: Observer, revision: str) -> None:
        """Take who else listens, and the revision that is audited."""
        self._inner = inner
        self._revision = revision
        self._made_of: dict[str, str] = {}

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Pass it on."""
        self._inner.phase_started(name, trials, seconds)

    def build_step(self, text: str) -> None:
        """Pass it on."""
        self._inner.build_step(text)

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Note of which revision the run was made, and pass it on."""
        self._made_of[run.trial.id] = run.revision
        self._inner.trial_ended(run, reused=reused)

    def report_caveat(self, caveat: Caveat) -> None:
        """Pass it on."""
        self._inner.report_caveat(caveat)

    def describe_reuse(self) -> tuple[Caveat, ...]:
        """Say how many runs were made of other revisions, if some were."""
        other_revisions = Counter(
            revision for revision in self._made_of.values() if revision not in ("", self._revision)
        )
        if not other_revisions:
            return ()
        named = [name for name, _ in other_revisions.most_common(_NAMED)]
        more = f" and {len(other_revisions) - _NAMED} more" if len(other_revisions) > _NAMED else ""
        text = (
            f"{other_revisions.total()} of {len(self._made_of)} runs are reused from another "
            f"revision, with the same build inputs: {', '.join(named)}{more}; to measure anew, use "
            "another --store"
        )
        return (Caveat("other-revision", text),)
