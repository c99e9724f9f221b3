"""The user's own gate, run on throw-away checkouts of two versions of a subject."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.contracts.qualify import (
    CheckoutVersion,
    GateAnswer,
    GateCase,
    ShownCase,
    SlowedSide,
)
from auditor.core.errors import MachineError, SubjectError
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from runners.disk import convert_write_errors

_GIT_VARIABLES = {
    "GIT_AUTHOR_NAME": "bench-audit",
    "GIT_AUTHOR_EMAIL": "bench-audit@localhost",
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "bench-audit",
    "GIT_COMMITTER_EMAIL": "bench-audit@localhost",
    "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
FOLDER_VARIABLES = {
    CheckoutVersion.BASE: "BENCH_AUDIT_BASE",
    CheckoutVersion.HEAD: "BENCH_AUDIT_HEAD",
}
_NOT_RUN_CODES = (126, 127)
"""What a shell ends with where a program is not there or cannot be run."""
_GIT_SECONDS = 300.0

OverlayFiles = Mapping[str, bytes]
"""What is laid over a checkout, by paths in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRule:
    """How a gate says that it has found something: by these exit codes, or by words it prints."""

    codes: frozenset[int] = frozenset(range(1, 126))
    words: re.Pattern[str] | None = None

    def classify_exit(self, completed: CompletedProcess) -> GateAnswer:
        """Return what a gate that has ended has said."""
        code = completed.exit_code
        if code is None or code < 0 or code in _NOT_RUN_CODES:
            return GateAnswer.FAILED
        if self.words is not None:
            text = (completed.stdout + b"\n" + completed.stderr).decode(errors="replace")
            if self.words.search(text):
                return GateAnswer.ALARM
            return GateAnswer.QUIET if code == 0 else GateAnswer.FAILED
        if code == 0:
            return GateAnswer.QUIET
        return GateAnswer.ALARM if code in self.codes else GateAnswer.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalGate:
    """Runs a command on pairs of checkouts."""

    host: Host  # starts the gate
    folder: Path
    """Of both checkouts, emptied before each pair; their paths stay the same, so caches stay
    valid."""
    tree: Path  # the subject
    files: Collection[str]  # those of `tree` that a checkout has
    overlay: Callable[[GateCase, CheckoutVersion, Path], OverlayFiles]
    """Files over a version of a case; takes case, version, and the folder where the code leaves
    a trace."""
    words: tuple[str, ...]  # command line of the gate
    environment: tuple[tuple[str, str], ...]  # of the gate
    alarm: AlarmRule  # what counts as an alarm
    timeout_seconds: float  # of one run of the gate

    def show_case(self, case: GateCase, number: int, turns: int) -> ShownCase:
        """Make both checkouts, and run the command there until it alarms, `turns` times at most."""
        revisions = self._make_checkouts(case, number)
        ran = self.folder / "ran"
        seconds, turn = 0.0, 0
        while True:
            turn += 1
            completed = self.host.run_process(self._make_gate_job(revisions))
            seconds += completed.seconds
            answer = self.alarm.classify_exit(completed)
            if answer is not GateAnswer.QUIET or turn >= turns:
                break
        case_result = ShownCase(
            case=case,
            number=number,
            answer=answer,
            turn=turn,
            seconds=seconds,
            exit_code=completed.exit_code,
            ran=tuple(version for version in CheckoutVersion if (ran / version).exists()),
        )
        return (
            replace(case_result, tail=completed.format_tail(3))
            if answer is GateAnswer.FAILED
            else case_result
        )

    def remove_checkouts(self) -> None:
        """Remove the checkouts."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make_checkouts(self, case: GateCase, number: int) -> dict[CheckoutVersion, str]:
        """Make base and head, with the history that a pull request has; return their revisions."""
        with convert_write_errors(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
            (self.folder / "ran").mkdir(parents=True)
            base = self.folder / CheckoutVersion.BASE
            for name in self.files:
                (base / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.tree / name, base / name, follow_symlinks=False)
            _write_files(base, self.overlay(case, CheckoutVersion.BASE, self.folder / "ran"))
            self._run_git(base, "init", "--quiet", "--initial-branch=main")
            first = self._commit_files(base, "base")
            head = self.folder / CheckoutVersion.HEAD
            self._run_git(self.folder, "clone", "--quiet", str(base), str(head))
            _write_files(head, self.overlay(case, CheckoutVersion.HEAD, self.folder / "ran"))
            second = self._commit_files(head, f"head {number}")
        return {CheckoutVersion.BASE: first, CheckoutVersion.HEAD: second}

    def _commit_files(self, folder: Path, message: str) -> str:
        self._run_git(folder, "add", "--all", "--force")
        self._run_git(folder, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        return self._run_git(folder, "rev-parse", "HEAD").strip()

    def _run_git(self, folder: Path, *words: str) -> str:
        """Run git on what is ours alone: no configuration of the user, no hooks."""
        path = dict(self.environment).get("PATH", os.defpath)
        answer = self.host.run_process(
            Invocation(
                argv=("git", "-c", "core.hooksPath=/dev/null", *words),
                cwd=folder,
                environment=tuple(sorted({**_GIT_VARIABLES, "PATH": path}.items())),
                timeout_seconds=_GIT_SECONDS,
            )
        )
        if answer.exit_code != 0:
            raise MachineError(f"git cannot {words[0]} a checkout: {answer.format_tail(2)}")
        return answer.stdout.decode()

    def _make_gate_job(self, revisions: Mapping[CheckoutVersion, str]) -> Invocation:
        paths = {version: str(self.folder / version) for version in CheckoutVersion}
        variables = {
            **dict(self.environment),
            **{FOLDER_VARIABLES[version]: paths[version] for version in CheckoutVersion},
            **{
                f"{FOLDER_VARIABLES[version]}_REVISION": revisions[version]
                for version in CheckoutVersion
            },
        }
        places = {
            **{f"{{{version}}}": paths[version] for version in CheckoutVersion},
            **{f"{{{version}_revision}}": revisions[version] for version in CheckoutVersion},
        }
        return Invocation(
            argv=tuple(_fill_places(word, places) for word in self.words),
            cwd=self.folder / CheckoutVersion.HEAD,
            environment=tuple(sorted(variables.items())),
            timeout_seconds=self.timeout_seconds,
        )


def hash_named_files(
    words: Sequence[str], environment: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the files that a command names outside the checkouts, with digests of what they hold.

    A relative name is one of a checkout, where the command runs.
    """
    program = shutil.which(words[0], path=dict(environment).get("PATH", os.defpath))
    for path in map(Path, dict.fromkeys((program or "", *words))):
        if path.is_absolute() and path.is_file() and os.access(path, os.R_OK):
            with path.open("rb") as file:
                yield str(path), hashlib.file_digest(file, "sha256").hexdigest()


def _fill_places(word: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        word = word.replace(name, value)
    return word


def _write_files(folder: Path, files: OverlayFiles) -> None:
    """Write below a folder, never through a link of the subject's: that may lead anywhere."""
    for name, content in files.items():
        path = folder / name
        if not path.parent.resolve().is_relative_to(folder.resolve()):
            raise SubjectError(
                f"{name} is behind a symbolic link that leads out of the subject; copy the file "
                "into the subject"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(content)


def list_version_factors(case: GateCase) -> Mapping[CheckoutVersion, float]:
    """Return how many times as long the method of a case takes in each version."""
    slowed = {
        SlowedSide.SAME: (),
        SlowedSide.SLOWED: (CheckoutVersion.HEAD,),
        SlowedSide.SPED: (CheckoutVersion.BASE,),
    }[case.side]
    return {version: case.factor if version in slowed else 1.0 for version in CheckoutVersion}
