"""Where the parts of a built variant are."""

from pathlib import Path

from auditor.core.plan import Trial


def locate_run_folder(build_folder: Path, trial: Trial | None = None) -> Path:
    """Return the folder of a variant that its processes write to, and no other one of its files.

    A trial that others may run beside has a folder of its own in it.
    """
    folder = build_folder / "run"
    return folder if trial is None or trial.is_exclusive else folder / trial.id
