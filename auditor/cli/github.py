"""Files of a step of GitHub Actions: its summary, and its outputs for later steps."""

from collections.abc import Mapping
from pathlib import Path

from auditor.cli import output
from auditor.core.errors import Exit, UsageError

SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
MAX_SUMMARY_BYTES = 900_000
"""Bytes; GitHub refuses a summary of more than a mebibyte."""
VERDICTS = {Exit.OK: "pass", Exit.GATE_FAILED: "fail", Exit.NO_VERDICT: "undecided"}
"""The output `verdict` of a step, by the exit code of its gates."""


def find_step_files(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the files of the summary and of the outputs; raises UsageError outside of a step."""
    path_texts = [environment.get(name, "") for name in (SUMMARY, OUTPUT)]
    if not all(path_texts):
        raise UsageError(
            f"--github works only in GitHub Actions, which sets {SUMMARY} and {OUTPUT}; leave it "
            "out elsewhere"
        )
    return Path(path_texts[0]), Path(path_texts[1])


def append_step_files(
    text: str, outputs: Mapping[str, str], folder: Path, environment: Mapping[str, str]
) -> None:
    """Append a text to the summary of the step, and its outputs; raises UsageError.

    `outputs` name files in `folder` and nothing that comes from the subject.
    """
    summary, output_file = find_step_files(environment)
    if any("\n" in value or "\r" in value for value in outputs.values()):
        raise UsageError(f"the folder {str(folder)!r} has a line break in its name; rename it")
    _append_text(summary, text)
    _append_text(output_file, "".join(f"{name}={value}\n" for name, value in outputs.items()))


def _append_text(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise output.make_write_error(path, error) from error
