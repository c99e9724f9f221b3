"""Where things of ours are put: never into the user's tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.config.load import Config
from auditor.config.subjects import slug
from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec

PROGRAM = "bench-audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folder of results, the file of measurements, the folder of caches and copies."""

    output: Path
    store: Path
    home: Path


def places(
    config: Config,
    environment: Mapping[str, str],
    *,
    output: Path | None = None,
    store: Path | None = None,
) -> Places:
    """Return the places of an audit; creates nothing.

    Raises UsageError where one lies inside the subject's folder: writing there would change what
    is being audited.
    """
    chosen = output or state(environment) / slug(config.subject)
    found = Places(
        output=chosen.absolute(),
        store=(store or config.store or chosen / "store.sqlite").absolute(),
        home=home(environment),
    )
    if isinstance(config.subject, FolderSpec):
        for name, path in (("output", found.output), ("store", found.store), ("cache", found.home)):
            if path.resolve().is_relative_to(config.subject.path):
                raise UsageError(
                    f"the {name} {path} lies inside the subject {config.subject.path}, which must "
                    f"not change while it is audited; {_REMEDIES[name]}"
                )
    return found


_REMEDIES = {
    "output": "choose a folder outside with --output",
    "store": "choose a file outside with --store",
    "cache": "set XDG_CACHE_HOME to a folder outside",
}


def state(environment: Mapping[str, str]) -> Path:
    """Return the folder that holds the results of all subjects."""
    return _base(environment, "XDG_STATE_HOME", ".local/state") / PROGRAM


def home(environment: Mapping[str, str]) -> Path:
    """Return the folder of caches, tools and copies."""
    return _base(environment, "XDG_CACHE_HOME", ".cache") / PROGRAM


def _base(environment: Mapping[str, str], variable: str, default: str) -> Path:
    given = environment.get(variable, "")
    if Path(given).is_absolute():  # others are to be ignored, says the XDG specification
        return Path(given)
    user = environment.get("HOME", "")
    if not Path(user).is_absolute():
        raise UsageError(f"neither {variable} nor HOME names a folder; set one of them")
    return Path(user) / default
