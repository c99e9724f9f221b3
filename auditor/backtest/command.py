"""`bench-audit backtest`: would the suite have detected past changes of performance?"""

from typing import Any

import click

from auditor.backtest import assemble
from auditor.backtest.document import backtest_document
from auditor.backtest.judge import find_candidates
from auditor.backtest.model import CommitKind, PastChange
from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.compare.command import collect_changes
from auditor.config import Config
from auditor.core.errors import Exit, UsageError
from auditor.versions import find_own_version
from runners.subjects.repository import find_commits, list_recent_commits


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--fix", "--cause", "--find", "--list", "--benchmarks", "--output"),
    short_help="Would the suite have detected past changes of performance?",
)
@options.add_options(
    *options.SUITE_OPTIONS,
    click.option(
        "--fix", multiple=True, metavar="COMMIT", help="It made something faster; repeatable."
    ),
    click.option(
        "--cause", multiple=True, metavar="COMMIT", help="It made something slower; repeatable."
    ),
    click.option(
        "--find",
        type=click.IntRange(1),
        metavar="N",
        help="At most N by what messages say and by changes of benchmarks (10, if none is named).",
    ),
    click.option(
        "--within",
        type=click.IntRange(1),
        default=2000,
        show_default=True,
        help="Commits that are looked at for --find.",
    ),
    click.option("--list", "listed", is_flag=True, help="Say which commits; run nothing."),
    options.make_min_delta_option(),
    click.option("--rounds", type=int, help="The most rounds before a suspicion (20)."),
    click.option("--confirm", type=int, help="Rounds that confirm a suspicion (8)."),
    options.SLOWDOWN,
    click.option("--methods", type=int, help="Changed methods to slow down at most (20; 0: none)."),
    options.WARMUP,
    options.RETRY_FAILED,
    options.STORE,
    *assemble.FILES.make_options(),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Compare commits of the past, which made something faster or slower, with their parents.

    Each is built in throw-away copies, with its parent, and the benchmarks that both have are run
    as compare does. A commit is detected where a benchmark moves as the commit should have made it.
    The methods that it changes are slowed down as well. The result shows whether both answers
    agree.

    \b
    bench-audit backtest . --list
    bench-audit backtest . --fix 1a2b3c4 --cause v1.4.0 --benchmarks Parse
    """
    command_line = options.CommandLine.from_context(context, collect_changes(option_values))
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    changes = _choose_changes(command_line.config, option_values)
    if option_values["listed"]:
        console.print_result(assemble.build_commit_list(changes))
        return Exit.OK
    backtest = assemble.BacktestRunner(command_line, console).compare_commits(changes)
    document = backtest_document(backtest, command_line.config.text, find_own_version())
    folder = command_line.places.output
    assemble.FILES.write_results(folder, document)
    assemble.FILES.print_result(document, option_values["format"], console)
    assemble.FILES.deliver_files(option_values, folder, console)
    return Exit.OK


def _choose_changes(config: Config, option_values: dict[str, Any]) -> tuple[PastChange, ...]:
    """Return the commits that are named, and those that are found where that is asked for."""
    past_changes: list[PastChange] = []
    for kind, names in (
        (CommitKind.FIX, option_values["fix"]),
        (CommitKind.CAUSE, option_values["cause"]),
    ):
        for commit in find_commits(config.subject, names) if names else ():
            if not commit.parent:
                raise UsageError(
                    f"{commit.id[:12]} has no parent commit to compare with; leave it out"
                )
            if any(past_change.commit.id == commit.id for past_change in past_changes):
                raise UsageError(
                    f"{commit.id[:12]} is given to both --fix and --cause; leave one out"
                )
            past_changes.append(PastChange(commit=commit, kind=kind))
    if option_values["find"] or not past_changes:
        named_ids = {past_change.commit.id for past_change in past_changes}
        candidate_changes = find_candidates(
            list_recent_commits(config.subject, option_values["within"]),
            option_values["find"] or 10,
        )
        past_changes += [
            past_change
            for past_change in candidate_changes
            if past_change.commit.id not in named_ids
        ]
    if not past_changes:
        raise UsageError(
            f"none of the last {option_values['within']} commit messages mentions performance; "
            "name commits with --fix and --cause"
        )
    return tuple(past_changes)
