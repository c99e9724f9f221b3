"""Hears what an audit measures, for the file that the paper's research tools would write."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from auditor.cli.context import AppContext
from auditor.core.busy import is_busy
from auditor.core.caveats import Caveat
from auditor.core.plan import REPEAT_OFFSET, Purpose, Run, original_repetition
from auditor.core.ports import Observer

if TYPE_CHECKING:  # `--help` should not pay for msgspec
    from auditor.abs.assemble import AbsAudit
    from auditor.config import Config, Places

CSV = "result.csv"
"""The name of the file, in the output folder."""


@dataclass(slots=True)
class RecordedRuns:
    """The runs that an audit rests on, those that the store knew too, by phase and trial."""

    runs: dict[tuple[str, str], Run] = field(default_factory=dict)

    def wrap_context(self, surroundings: AppContext) -> AppContext:
        """Return surroundings whose audits are heard."""
        from auditor.abs.assemble import open_audit  # noqa: PLC0415 numpy and scipy come with it

        open_original = surroundings.find_opener(open_audit)

        @contextmanager
        def open_recorded(
            config: "Config", places: "Places", environment: Mapping[str, str], observer: Observer
        ) -> "Iterator[AbsAudit]":
            recording_observer = _RecordingObserver(observer, self.runs)
            with open_original(config, places, environment, recording_observer) as audit:
                yield audit

        return replace(
            surroundings, replacements={**surroundings.replacements, open_audit: open_recorded}
        )

    def format_table(self, harness: str) -> str:
        """Return the file: GoABS's for a Go suite, JavaABS's for a JMH suite.

        Controls and the detection curve slow the same methods by other sizes: they are not in it,
        nor is a run that was made anew because its turns were wrong.
        """
        from auditor.abs.study.pair import MAIN  # noqa: PLC0415 numpy and scipy come with it
        from auditor.abs.study.recorded_rows import build_rows  # noqa: PLC0415
        from auditor.importers.research_tools.layout import ResearchTool  # noqa: PLC0415
        from auditor.importers.research_tools.writing import format_table  # noqa: PLC0415

        judged = {
            _make_place_key(run): run
            for (phase, _), run in self.runs.items()
            if run.trial.purpose is Purpose.SUITE or phase.startswith(f"{MAIN.name},")
            if not _is_busy_repeat(run)
        }
        return format_table(
            build_rows(judged.values()), ResearchTool.GO if harness == "go" else ResearchTool.JAVA
        )


def _make_place_key(run: Run) -> tuple[object, ...]:
    """Return whose run it is, and which: the last of a place is the one that was judged."""
    trial = run.trial
    number = original_repetition(trial.repetition)
    return trial.purpose, trial.variant, trial.benchmark, number, trial.fork


def _is_busy_repeat(run: Run) -> bool:
    """Tell whether a suite run was repeated in vain: the first one was judged."""
    return run.trial.repetition > REPEAT_OFFSET and is_busy(run.strain)


@dataclass(slots=True)
class _RecordingObserver:
    """Passes on what happens, and keeps the runs."""

    observer: Observer
    runs: dict[tuple[str, str], Run]
    phase: str = ""

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        self.phase = name
        self.observer.phase_started(name, trials, seconds)

    def build_step(self, text: str) -> None:
        self.observer.build_step(text)

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        self.runs[self.phase, run.trial.id] = run
        self.observer.trial_ended(run, reused=reused)

    def report_caveat(self, caveat: Caveat) -> None:
        self.observer.report_caveat(caveat)
