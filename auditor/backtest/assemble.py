"""Past commits tried one after the other; what came out on a terminal."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.backtest import judge as audits
from auditor.backtest import text as words
from auditor.backtest.document import BacktestDocument, TriedCommit
from auditor.backtest.model import Backtest, CommitDetection, CommitResult, PastChange
from auditor.backtest.text import markdown
from auditor.cli import options, output, tables
from auditor.cli.console import Console
from auditor.cli.logs import logged
from auditor.cli.progress import observer
from auditor.compare.model import Comparison
from auditor.config import Config
from auditor.config.load import at_revision
from auditor.core.errors import MachineError, OutOfTime, SubjectError
from reports import results

FORMATS = ("table", "json", "markdown")
RESULT, TEXT = "backtest.json", "backtest.md"
_STYLES = {
    CommitDetection.DETECTED: "green",
    CommitDetection.MISSED: "red",
    CommitDetection.UNKNOWN: "yellow",
}


@dataclass(frozen=True, slots=True)
class Trying:
    """What is asked, the terminal, and a clock in seconds for the budget."""

    asked: options.CommandLine
    console: Console
    clock: Callable[[], float] = time.monotonic

    def every(self, changes: Sequence[PastChange]) -> Backtest:
        """Compare each commit with its parent; one that fails does not keep the others from it."""
        commit_results = []
        begun, budget = self.clock(), self.asked.config.request.suite.budget_seconds
        for number, change in enumerate(changes):
            left = None if budget is None else budget - (self.clock() - begun)
            if left is not None and left <= 0:
                commit_results.append(audits.left_out(change))
                continue
            share = None if left is None else left / (len(changes) - number)
            result = self._one(change, share)
            self.console.note(words.line(result))
            commit_results.append(result)
        return audits.backtest(commit_results)

    def _one(self, change: PastChange, seconds: float | None) -> CommitResult:
        begun = self.clock()
        try:
            comparison = self._compared(change, seconds)
        except (SubjectError, OutOfTime, MachineError) as error:
            return audits.failed(change, str(error), self.clock() - begun)
        return audits.judge_commit(change, comparison, self.clock() - begun)

    def _compared(self, change: PastChange, seconds: float | None) -> Comparison:
        from auditor.compare.assemble import open_comparison  # noqa: PLC0415 numpy and scipy come with it

        command_line = self.asked
        config = _limit_budget(command_line.config, seconds)
        pair = [
            at_revision(config, name, Path.cwd())
            for name in (change.commit.parent, change.commit.id)
        ]
        with (
            logged(command_line.places.output, command_line.verbose),
            observer(self.console, time.monotonic) as watching,
            command_line.surroundings.opener(open_comparison)(
                (pair[0], pair[1]),
                command_line.places,
                command_line.surroundings.environment,
                watching,
            ) as comparing,
        ):
            comparison = comparing.compare()
            comparing.document(comparison)
        return comparison


def _limit_budget(config: Config, seconds: float | None) -> Config:
    suite = replace(config.request.suite, budget_seconds=seconds)
    return replace(config, request=replace(config.request, suite=suite))


def keep(folder: Path, document: BacktestDocument) -> None:
    """Write the result and its Markdown."""
    texts = {RESULT: results.text(document), TEXT: markdown(document)}
    output.keep(folder, texts)


def show(document: BacktestDocument, format_: str, console: Console) -> None:
    """Print a result in one of FORMATS."""
    output.show(document, format_, console, table, markdown=markdown)


def table(document: BacktestDocument) -> RenderableType:
    """Return what a terminal shows."""
    made = tables.lineless("", "commit", "of", "", "detected by", "changed methods", "what it was")
    for commit in document.commits:
        made.add_row(
            Text(str(commit.noticed), style=_STYLES.get(commit.noticed, "")),
            Text(commit.commit[:12]),
            commit.day,
            str(commit.kind),
            Text(tables.short(_by(commit))),
            Text(words.methods(commit)),
            Text(tables.short(commit.title), style="dim"),
        )
    return Group(
        Text(words.headline(document), style="bold"),
        "",
        made,
        *tables.section("How it goes with being watched", words.agreement(document.agreement)),
    )


def _by(commit: TriedCommit) -> str:
    return words.detecting_benchmarks(commit) or commit.reason


def commit_list(changes: Sequence[PastChange]) -> RenderableType:
    """Return the commits that would be tried."""
    made = tables.lineless("commit", "of", "", "title", "why")
    for change in changes:
        title = Text(tables.short(change.commit.title))
        made.add_row(
            Text(change.commit.id[:12]),
            change.commit.day,
            str(change.kind),
            title,
            Text(change.why, "dim"),
        )
    return made
