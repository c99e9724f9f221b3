"""What `abs` leaves in a step of GitHub Actions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditor.cli import abs_output, github
from auditor.core.errors import Exit
from reports import abs_markdown
from reports.document import Document, Score


def write_for_github(
    document: Document,
    gates: tuple[Exit, Sequence[str]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    """Append the summary and the outputs of an audit; raises UsageError and FolderUnusable.

    `gates` has their verdict, whatever `--inconclusive` makes of it, and what they say.
    """
    verdict, lines = gates
    outputs = {
        "score": percent_of(document.without_accepted or document.scores.total),
        "report": str(folder / abs_output.ABS.report),
        "result": str(folder / abs_output.ABS.result),
        "verdict": github.VERDICTS[verdict],
    }
    text = abs_markdown.markdown(document, github.LARGEST_SUMMARY, lines)
    github.append_step_files(text, outputs, folder, environment)


def percent_of(score: Score | None) -> str:
    """Return a score as a number of percent; an empty text where there is none."""
    return "" if score is None or score.percent is None else f"{score.percent:.4g}"
