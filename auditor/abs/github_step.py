"""What `abs` leaves in a step of GitHub Actions."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditor.abs import running
from auditor.abs.document import Document
from auditor.abs.exports import markdown
from auditor.abs.model import Score
from auditor.cli import github
from auditor.core.errors import Exit


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
        "report": str(folder / running.ABS.report),
        "result": str(folder / running.ABS.result),
        "verdict": github.VERDICTS[verdict],
    }
    text = markdown.format_markdown(document, github.MAX_SUMMARY_BYTES, lines)
    github.append_step_files(text, outputs, folder, environment)


def percent_of(score: Score | None) -> str:
    """Return a score as a number of percent; an empty text where there is none."""
    return "" if score is None or score.percent is None else f"{score.percent:.4g}"
