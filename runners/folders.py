"""Where the parts of a built variant are."""

from pathlib import Path

from auditor.core.plan import Trial


def running_folder(into: Path, trial: Trial | None = None) -> Path:
    """Return the folder of a variant that its processes write to, and no other one of its files.

    A trial that others may run beside has a folder of its own in it.
    """
    folder = into / "run"
    return folder if trial is None or trial.alone else folder / trial.id
