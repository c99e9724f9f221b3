"""A result file of another program, and what there is to say of it, as one of our results."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auditor.config import shares
from auditor.config.places import state
from auditor.core.jobs import NOWHERE
from auditor.core.provenance import Context
from auditor.core.subject import Language
from auditor.core.verdict import AbsVerdict
from auditor.studies import tables
from auditor.versions import own_version
from reports.document import Either
from reports.record import document, stability_document
from runners.ancestors.layout import Tool
from runners.ancestors.reading import Table as Content
from runners.hosts.clock import SystemClock

_HARNESSES = {Tool.GO: "go", Tool.JAVA: "jmh"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A file that was read, and the words of the command line that say how to judge it.

    None: `slowdown` from the spreads, runs as in the file.
    """

    path: Path
    content: Content = field(repr=False)
    slowdown: float | None
    runs: int | None
    stability_runs: int | None
    units: tuple[str, ...]

    @property
    def command(self) -> str:
        """Return the command that judges it so."""
        words = ["bench-audit", "judge", self.path.name, f"--tool={self.content.tool}"]
        words += [f"--unit={one}" for one in self.units]
        options = {
            "slowdown": None if self.slowdown is None else shares.as_percent(self.slowdown),
            "runs": self.runs,
            "stability-runs": self.stability_runs,
        }
        words += [f"--{name}={value}" for name, value in options.items() if value is not None]
        return shlex.join(words)


def folder_of(name: str, digest: str, environment: Mapping[str, str]) -> Path:
    """Return the folder of what comes out of files of this name and content."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "results"
    return state(environment) / f"{readable}-{digest[:8]}"


def judged(table: Table) -> Either:
    """Judge a file by the paper's rule: an ABS result, or one of stability where nothing is slowed.

    Raises UsageError where the slowdown is to be sized and cannot.
    """
    clock = SystemClock()
    started = clock.now()
    language = Language(table.content.tool)
    question = tables.Question(
        rows=table.content.rows,
        language=language,
        digest=table.content.digest,
        slowdown=table.slowdown,
        runs=table.runs,
        stability_runs=table.stability_runs,
    )
    verdict = tables.audit(question)
    context = Context(
        subject=table.path.name,
        revision=f"sha256:{table.content.digest[:12]}",
        language=language,
        harness=_HARNESSES[table.content.tool],
        host=NOWHERE.name,
        host_facts=NOWHERE.facts,
        runs=question.wanted,
        stability_runs=question.wanted_plain,
        version=own_version(),
        command=table.command,
        started=started,
        ended=clock.now(),
    )
    if isinstance(verdict, AbsVerdict):
        return document(verdict, context)
    return stability_document(verdict, context)
