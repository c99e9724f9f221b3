"""Where things of ours are put: never into the user's tree."""

import hashlib
import re
from collections.abc import Iterable, Mapping
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

    All audits of a subject share its store; each configuration has results of its own. Raises
    UsageError where a place lies inside the subject's folder: writing there would change what is
    being audited.
    """
    base = output or state(environment) / slug(config.subject)
    asked = hashlib.sha256(config.text.encode(errors="surrogateescape")).hexdigest()[:8]
    found = Places(
        output=(output or base / asked).absolute(),
        store=(store or config.store or base / "store.sqlite").absolute(),
        home=home(environment),
    )
    if isinstance(config.subject, FolderSpec):
        _require_outside(found, config.subject.path)
    return found


def _require_outside(found: Places, subject: Path) -> None:
    for name, path in (("output", found.output), ("store", found.store), ("cache", found.home)):
        if path.resolve().is_relative_to(subject):
            raise UsageError(
                f"the {name} {path} lies inside the subject {subject}, which must "
                f"not change while it is audited; {_REMEDIES[name]}"
            )


def class_places(  # noqa: PLR0913 - what is compared, and where things may be put
    subject: str,
    versions: tuple[str, ...],
    environment: Mapping[str, str],
    *,
    output: Path | None = None,
    store: Path | None = None,
    folders: Iterable[Path] = (),
) -> Places:
    """Return the places of a comparison of two versions of a class; creates nothing.

    All comparisons of a class have one store. Raises UsageError where one lies inside one of the
    `folders` that versions are.
    """
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", subject)[-60:].strip("-.") or "class"
    folder = state(environment) / f"class-{readable}"
    named = "\0".join(versions).encode(errors="surrogateescape")
    pair = hashlib.sha256(named).hexdigest()[:8]
    found = Places(
        output=(output or folder / pair).absolute(),
        store=(store or folder / "store.sqlite").absolute(),
        home=home(environment),
    )
    for path in folders:
        _require_outside(found, path)
    return found


_REMEDIES = {
    "output": "choose a folder outside with --output",
    "store": "choose a file outside with --store",
    "cache": "set XDG_CACHE_HOME to a folder outside",
}


def state(environment: Mapping[str, str]) -> Path:
    """Return the folder that holds the results of all subjects."""
    return _base(environment, "XDG_STATE_HOME", ".local/state") / PROGRAM


def rented(environment: Mapping[str, str]) -> Path:
    """Return the folder of notes of what is rented: one for all subjects."""
    return state(environment) / "rented"


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
