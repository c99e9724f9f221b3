"""Which stored results of other tools a command reads, and the circumstances of its answer."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.config import shares
from auditor.config.places import find_state_folder
from auditor.core.provenance import Context
from auditor.core.series.stored import StoredResults
from auditor.importers.reading import read_results
from auditor.languages.registry import LANGUAGES
from auditor.series.stored import find_common_host
from auditor.versions import find_own_version
from runners.hosts.clock import SystemClock

ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuestion:
    """Which results to read, as the command line names them."""

    verb: str = "analyze"  # the command that asks
    paths: tuple[Path, ...]  # files and folders to read
    more: tuple[str, ...] = ()  # the command's own options
    commit: str | None = None  # whose results are read; None: the newest
    against: tuple[Path, ...] = ()  # files and folders of the base; empty: none
    against_commit: str | None = None  # whose results are the base; None: the newest of `against`
    min_delta: float | None = None
    """Smallest relative change that counts, 0.05 for 5 %; None: the default."""
    unlike: bool = False  # whether results of unlike machines are compared too

    @property
    def has_base(self) -> bool:
        """Tell whether there is a base."""
        return bool(self.against) or self.against_commit is not None

    @property
    def command_text(self) -> str:
        """Return the command that asks this."""
        words = ["bench-audit", self.verb, *map(str, self.paths), *self.more]
        words += [word for path in self.against for word in ("--against", str(path))]
        option_values = {
            "commit": self.commit,
            "against-commit": self.against_commit,
            "min-delta": None if self.min_delta is None else shares.as_percent(self.min_delta),
        }
        words += [f"--{name}={value}" for name, value in option_values.items() if value is not None]
        return shlex.join([*words, *(["--unlike-machines"] if self.unlike else [])])

    def read_base(self) -> StoredResults:
        """Read the base; a commit of it alone is one of the same files. Raises UsageError."""
        return read_results(self.against or self.paths, self.against_commit)

    def read_head(self) -> StoredResults:
        """Read what is judged. Raises UsageError."""
        return read_results(self.paths, self.commit)


def prepare_context(question: StoredQuestion, results: StoredResults) -> Callable[[], Context]:
    """Return what tells the circumstances of a result that is begun now, once it is done."""
    started = SystemClock().now()
    return lambda: build_context(question, results, len(results.runs), started)


def choose_output_folder(name: str, digest: str, environment: Mapping[str, str]) -> Path:
    """Return the folder of what comes out of files of this name and content."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "results"
    return find_state_folder(environment) / f"{readable}-{digest[:8]}"


def build_context(
    question: StoredQuestion, head: StoredResults, runs: int, started: str
) -> Context:
    """Return the circumstances of a result that was begun at `started` and is done now."""
    host = find_common_host(head.runs)
    more = len(question.paths) - 1
    return Context(
        subject=f"{question.paths[0].name or '.'}{f' and {more} more' if more else ''}",
        revision=find_revision(head),
        language=LANGUAGES.language_of_harness(head.harness) or "unknown",
        harness=head.harness,
        host=host.name,
        host_facts=host.facts,
        runs=runs,
        stability_runs=runs,
        version=find_own_version(),
        command=question.command_text,
        started=started,
        ended=SystemClock().now(),
    )


def find_revision(results: StoredResults) -> str:
    """Return the commit where there is one of all runs, else what was read."""
    commit_ids = results.commit_ids
    is_one = len(commit_ids) == 1 and all(run.commit for run in results.runs)
    return commit_ids[0] if is_one else f"sha256:{results.digest[:12]}"
