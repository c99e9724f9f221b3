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
from auditor.backtest.text import render_markdown
from auditor.cli import options, tables
from auditor.cli.console import Console
from auditor.cli.logs import log_to_folder
from auditor.cli.outputs import ResultFiles
from auditor.cli.progress import open_observer
from auditor.compare.model import Comparison
from auditor.config import Config
from auditor.config.load import at_revision
from auditor.core.errors import MachineError, OutOfTime, SubjectError

_STYLES = {
    CommitDetection.DETECTED: "green",
    CommitDetection.MISSED: "red",
    CommitDetection.UNKNOWN: "yellow",
}


@dataclass(frozen=True, slots=True)
class BacktestRunner:
    """What is asked, the terminal, and a clock in seconds for the budget."""

    command_line: options.CommandLine
    console: Console
    clock: Callable[[], float] = time.monotonic

    def compare_commits(self, changes: Sequence[PastChange]) -> Backtest:
        """Compare each commit with its parent; one that fails does not keep the others from it."""
        commit_results = []
        start_time, budget = self.clock(), self.command_line.config.request.suite.budget_seconds
        for number, change in enumerate(changes):
            left = None if budget is None else budget - (self.clock() - start_time)
            if left is not None and left <= 0:
                commit_results.append(audits.make_unmeasured_result(change))
                continue
            share = None if left is None else left / (len(changes) - number)
            result = self._try_commit(change, share)
            self.console.print_note(words.format_commit_line(result))
            commit_results.append(result)
        return audits.summarise_backtest(commit_results)

    def _try_commit(self, change: PastChange, seconds: float | None) -> CommitResult:
        start_time = self.clock()
        try:
            comparison = self._compare_with_parent(change, seconds)
        except (SubjectError, OutOfTime, MachineError) as error:
            return audits.make_failed_result(change, str(error), self.clock() - start_time)
        return audits.judge_commit(change, comparison, self.clock() - start_time)

    def _compare_with_parent(self, change: PastChange, seconds: float | None) -> Comparison:
        from auditor.compare.assemble import open_comparison  # noqa: PLC0415 numpy and scipy come with it

        command_line = self.command_line
        config = _limit_budget(command_line.config, seconds)
        pair = [
            at_revision(config, name, Path.cwd())
            for name in (change.commit.parent, change.commit.id)
        ]
        with (
            log_to_folder(command_line.places.output, command_line.verbose),
            open_observer(self.console, time.monotonic) as watching,
            command_line.surroundings.find_opener(open_comparison)(
                (pair[0], pair[1]),
                command_line.places,
                command_line.surroundings.environment,
                watching,
            ) as comparing,
        ):
            comparison = comparing.compare_revisions()
            comparing.store_document(comparison)
        return comparison


def _limit_budget(config: Config, seconds: float | None) -> Config:
    suite = replace(config.request.suite, budget_seconds=seconds)
    return replace(config, request=replace(config.request, suite=suite))


def build_table(document: BacktestDocument) -> RenderableType:
    """Return what a terminal shows."""
    commit_table = tables.make_borderless_table(
        "", "commit", "of", "", "detected by", "changed methods", "what it was"
    )
    for commit in document.commits:
        commit_table.add_row(
            Text(str(commit.noticed), style=_STYLES.get(commit.noticed, "")),
            Text(commit.commit[:12]),
            commit.day,
            str(commit.kind),
            Text(tables.shorten_text(_describe_detection(commit))),
            Text(words.describe_methods(commit)),
            Text(tables.shorten_text(commit.title), style="dim"),
        )
    return Group(
        Text(words.format_headline(document), style="bold"),
        "",
        commit_table,
        *tables.build_section(
            "How it goes with being watched", words.describe_agreement(document.agreement)
        ),
    )


def _describe_detection(commit: TriedCommit) -> str:
    return words.detecting_benchmarks(commit) or commit.reason


def build_commit_list(changes: Sequence[PastChange]) -> RenderableType:
    """Return the commits that would be tried."""
    commit_table = tables.make_borderless_table("commit", "of", "", "title", "why")
    for change in changes:
        title = Text(tables.shorten_text(change.commit.title))
        commit_table.add_row(
            Text(change.commit.id[:12]),
            change.commit.day,
            str(change.kind),
            title,
            Text(change.found_by, "dim"),
        )
    return commit_table


FILES = ResultFiles("backtest", build_table, {".md": render_markdown})
