"""The environment of a Python suite, as a configuration asks for it."""

from pathlib import Path

from auditor.config.sections import PythonSection
from auditor.config.subjects import refuse_secret
from auditor.core.errors import UsageError
from auditor.core.request import Installer, PythonSpec


def python_spec(section: PythonSection, folder: Path) -> PythonSpec:
    """Return it; the path of an interpreter is relative to `folder`, a bare name is on PATH.

    Raises UsageError for a requirement or an option with a password, and for a place of tests.
    """
    for requirement in section.requirements:
        refuse_secret(requirement, "a requirement at python.requirements")
    for option in section.pytest_options:
        refuse_secret(option, "an option at python.pytest_options")
        _check_option(option)
    path = section.interpreter
    if path and "/" in path:
        # Not resolved: an environment's interpreter is a link, and known by where the link is.
        path = str(folder / Path(path).expanduser())
    return PythonSpec(
        interpreter=path,
        installer=Installer(section.installer),
        extras=section.extras,
        groups=section.groups,
        requirements=section.requirements,
        pytest_options=section.pytest_options,
    )


def _check_option(option: str) -> None:
    """Raise UsageError for a text that pytest would take as a place of tests."""
    if not option.startswith("-"):
        raise UsageError(
            f"python.pytest_options has {option!r}, which is no option; "
            'write an option and its value as one text, such as "--backend=numpy"'
        )
