"""What a step of GitHub Actions leaves: a summary, and outputs for the steps behind it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditor.cli import comparison, output, running
from auditor.core.comparison import Change
from auditor.core.errors import Exit, UsageError
from reports import abs_markdown, comparison_markdown
from reports.comparison_document import ComparisonDocument
from reports.document import Document, Score

SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
LARGEST_SUMMARY = 900_000
"""Bytes; GitHub refuses a summary of more than a mebibyte."""
_VERDICTS = {Exit.OK: "pass", Exit.GATE_FAILED: "fail", Exit.NO_VERDICT: "undecided"}


def files(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the files of the summary and of the outputs; raises UsageError outside of a step."""
    found = [environment.get(name, "") for name in (SUMMARY, OUTPUT)]
    if not all(found):
        raise UsageError(
            f"--github is for a step of GitHub Actions, which has {SUMMARY} and {OUTPUT}; leave it "
            "out elsewhere"
        )
    return Path(found[0]), Path(found[1])


def leave(
    document: Document | ComparisonDocument,
    gates: tuple[Exit, Sequence[str]],
    folder: Path,
    environment: Mapping[str, str],
) -> None:
    """Append the summary and the outputs; no output is made of what a subject names.

    `gates` has their verdict, whatever `--inconclusive` makes of it, and what they say.
    """
    summary, output_file = files(environment)
    verdict, lines = gates
    if isinstance(document, Document):
        text = abs_markdown.markdown(document, LARGEST_SUMMARY, lines)
        outputs = _of_audit(document, folder)
    else:
        text = comparison_markdown.markdown(document, LARGEST_SUMMARY, lines)
        outputs = _of_comparison(document, folder)
    outputs["verdict"] = _VERDICTS[verdict]
    if any("\n" in value or "\r" in value for value in outputs.values()):
        raise UsageError(f"the folder {str(folder)!r} has a line break in its name")
    _append(summary, text)
    _append(output_file, "".join(f"{name}={value}\n" for name, value in outputs.items()))


def _of_audit(document: Document, folder: Path) -> dict[str, str]:
    return {
        "score": _percent(document.without_accepted or document.scores.total),
        "report": str(folder / running.ABS.report),
        "result": str(folder / running.ABS.result),
    }


def _of_comparison(document: ComparisonDocument, folder: Path) -> dict[str, str]:
    regressions = sum(one.change is Change.REGRESSION for one in document.benchmarks)
    return {
        "change": document.change.value.replace(" ", "-"),
        "regressions": str(regressions),
        "score": _percent(document.patch.score),
        "report": str(folder / comparison.PAGE),
        "result": str(folder / comparison.RESULT),
    }


def _percent(score: Score | None) -> str:
    return "" if score is None or score.percent is None else f"{score.percent:.4g}"


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise output.unusable(path, error) from error
