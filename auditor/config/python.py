"""The environment of a Python suite, as a configuration asks for it."""

from pathlib import Path

from auditor.config.sections import PythonSection
from auditor.config.subjects import refuse_secret
from auditor.core.request import Installer, PythonSpec


def python_spec(section: PythonSection, folder: Path) -> PythonSpec:
    """Return it; the path of an interpreter is relative to `folder`, a bare name is on PATH.

    Raises UsageError for a requirement with a password.
    """
    for requirement in section.requirements:
        refuse_secret(requirement, "a requirement at python.requirements")
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
    )
