"""What a step of GitHub Actions leaves: a summary, and outputs for the steps behind it."""

from collections.abc import Mapping
from pathlib import Path

from auditor.cli.comparison import PAGE, RESULT
from auditor.cli.output import unusable
from auditor.core.comparison import Change
from auditor.core.errors import Exit, UsageError
from reports.comparison_document import ComparisonDocument
from reports.comparison_markdown import markdown

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
    document: ComparisonDocument, code: Exit, folder: Path, environment: Mapping[str, str]
) -> None:
    """Append the summary and the outputs; nothing of them is made of what a subject names."""
    summary, output = files(environment)
    score = document.patch.score
    regressions = sum(one.change is Change.REGRESSION for one in document.benchmarks)
    outputs = {
        "verdict": _VERDICTS[code],
        "change": document.change.value.replace(" ", "-"),
        "regressions": str(regressions),
        "score": "" if score is None or score.percent is None else f"{score.percent:.4g}",
        "report": str(folder / PAGE),
        "result": str(folder / RESULT),
    }
    if any("\n" in value or "\r" in value for value in outputs.values()):
        raise UsageError(f"the folder {str(folder)!r} has a line break in its name")
    _append(summary, markdown(document, LARGEST_SUMMARY))
    _append(output, "".join(f"{name}={value}\n" for name, value in outputs.items()))


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise unusable(path, error) from error
