"""Where things of ours are put: never into the user's tree."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.config.load import Config
from auditor.config.subjects import build_slug
from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec, SubjectSpec

PROGRAM = "bench-audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folder of results, the file of measurements, the folder of caches and copies."""

    output: Path
    store: Path
    home: Path


def choose_places(
    config: Config,
    environment: Mapping[str, str],
    *,
    output: Path | None = None,
    store: Path | None = None,
) -> Places:
    """Return the places of an audit; creates nothing.

    All audits of a subject share its store; each configuration has results of its own. A folder of
    results holds the store, too, where it does not lie in the project. Raises
    UsageError where the store or the cache lies inside the subject's folder: writing there would
    change what is being audited. Results may lie there (`without_outputs`).
    """
    base = find_state_folder(environment) / build_slug(config.subject)
    if output is not None and not is_inside(config.subject, output):
        base = output
    digest = hashlib.sha256(config.text.encode(errors="surrogateescape")).hexdigest()[:8]
    audit_places = Places(
        output=(output or base / digest).absolute(),
        store=(store or config.store or base / "store.sqlite").absolute(),
        home=find_cache_folder(environment),
    )
    if isinstance(config.subject, FolderSpec):
        _require_outside(audit_places, config.subject.path, ("store", "cache"))
    return audit_places


def without_outputs(subject: FolderSpec, output: Path, files: Iterable[Path]) -> FolderSpec:
    """Return a subject without what results are written to; raises UsageError.

    A folder of results inside of the subject must be new, empty or one of ours.
    """
    folder = subject.path.resolve()
    if output.resolve() == folder:
        raise UsageError(
            f"-o {output} is the folder of the project; name a new folder in it, such as "
            f"{output / 'bench-audit-out'}, or a file"
        )
    if is_inside(subject, output) and not _is_ours(output):
        raise UsageError(f"-o {output} holds files of the project; name a new folder")
    places = (path.resolve() for path in (output, *files))
    return replace(
        subject, outputs=tuple(path for path in places if not folder.is_relative_to(path))
    )


def is_inside(subject: SubjectSpec, output: Path) -> bool:
    """Tell whether results lie in the folder that is audited."""
    if not isinstance(subject, FolderSpec):
        return False
    return output.resolve().is_relative_to(subject.path.resolve())


def _is_ours(output: Path) -> bool:
    try:
        names = [path.name for path in output.iterdir()]
        return not names or (output / IGNORING).read_text("utf-8") == IGNORED
    except FileNotFoundError:
        return not output.exists()
    except (OSError, ValueError):
        return False


IGNORING = ".gitignore"
IGNORED = "# Results of bench-audit: no part of the project.\n*\n"
"""What keeps a folder of results inside of a project out of its repository."""


def _require_outside(audit_places: Places, subject: Path, kinds: Iterable[str]) -> None:
    named = {"output": audit_places.output, "store": audit_places.store, "cache": audit_places.home}
    for name, path in ((kind, named[kind]) for kind in kinds):
        if path.resolve().is_relative_to(subject):
            raise UsageError(
                f"the {name} {path} is inside the subject {subject}, which must not change during "
                f"the audit; {_REMEDIES[name]}"
            )


def choose_class_places(  # noqa: PLR0913 - what is compared, and where things may be put
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
    folder = find_state_folder(environment) / f"class-{readable}"
    named = "\0".join(versions).encode(errors="surrogateescape")
    pair = hashlib.sha256(named).hexdigest()[:8]
    audit_places = Places(
        output=(output or folder / pair).absolute(),
        store=(store or folder / "store.sqlite").absolute(),
        home=find_cache_folder(environment),
    )
    for path in folders:
        _require_outside(audit_places, path, _REMEDIES)
    return audit_places


_REMEDIES = {
    "output": "choose a folder outside with --output",
    "store": "choose a file outside with --store",
    "cache": "set XDG_CACHE_HOME to a folder outside",
}


def find_state_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder that holds the results of all subjects."""
    return _find_base_folder(environment, "XDG_STATE_HOME", ".local/state") / PROGRAM


def find_rental_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of notes of what is rented: one for all subjects."""
    return find_state_folder(environment) / "rented"


def find_cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of caches, tools and copies."""
    return _find_base_folder(environment, "XDG_CACHE_HOME", ".cache") / PROGRAM


def _find_base_folder(environment: Mapping[str, str], variable: str, default: str) -> Path:
    value = environment.get(variable, "")
    if Path(value).is_absolute():  # others are to be ignored, says the XDG specification
        return Path(value)
    user = environment.get("HOME", "")
    if not Path(user).is_absolute():
        raise UsageError(f"neither {variable} nor HOME is set; set one of them to a folder")
    return Path(user) / default
