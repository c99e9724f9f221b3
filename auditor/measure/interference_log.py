"""What was beside the processes that were measured, noted while studies listen to them."""

from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.ports import Observer
from auditor.measure.interference import NotedProcess


class InterferenceLog:
    """An observer between studies and another observer; notes each trial once."""

    def __init__(self, inner: Observer) -> None:
        """Take who else listens."""
        self._inner = inner
        self._noted: dict[str, NotedProcess] = {}
        self._last: dict[str, str] = {}

    @property
    def noted(self) -> tuple[NotedProcess, ...]:
        """Return what was noted of runs that belong to a result, whenever they were made."""
        return tuple(self._noted.values())

    def machine_of(self, benchmark: str) -> str | None:
        """Return the machine that measured a benchmark last, by its id, as far as it was heard."""
        return self._last.get(benchmark)

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Pass it on."""
        self._inner.phase_started(name, trials, seconds)

    def build_step(self, text: str) -> None:
        """Pass it on."""
        self._inner.build_step(text)

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Note what was beside it, and pass it on."""
        name = run.trial.benchmark.id if run.trial.benchmark else ""
        self._noted[run.trial.id] = NotedProcess(
            run.host.name, run.started, run.seconds, run.strain, run.loop_seconds, name
        )
        self._last[name] = run.host.name
        self._inner.trial_ended(run, reused=reused)

    def caveat(self, caveat: Caveat) -> None:
        """Pass it on."""
        self._inner.caveat(caveat)
