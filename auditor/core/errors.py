"""What stops a whole command.

AuditError
  UsageError            2   the command line or the configuration file is wrong
  SubjectError          3   the audited project is at fault
    BuildFailed             its unmutated build ended with an error
    NoBenchmarks            its suite is empty, or every benchmark fails
      NothingSelected       the filter left nothing
    SourceUnreadable        a file of it could not be parsed
  MachineError          4   a tool or a machine is at fault
    ToolMissing             go, java, mvn, git ... is absent or has the wrong version
    ResolveFailed           something that had to be fetched could not be had
    FolderUnusable          a folder cannot be written, or the disk is full
    WorkerUnusable          one machine of a cluster cannot make the subject ready
  StoreError            4   the results file is locked, damaged or too new
  OutOfTime             5   the budget ended before there was anything to judge

What stops one benchmark or one mutant is not here: it is an `Outcome`.
"""

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes of every command (docs/messages.md)."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    SUBJECT = 3
    MACHINE = 4
    NO_VERDICT = 5
    INTERNAL = 70
    INTERRUPTED = 130


class AuditError(Exception):
    """The root: a message for the user, a slug for docs/messages.md and an exit code."""

    slug = "error"
    exit_code = Exit.INTERNAL


class UsageError(AuditError):
    """The command line or the configuration is wrong; the call must change."""

    slug = "usage"
    exit_code = Exit.USAGE


class SubjectError(AuditError):
    """The audited project is at fault."""

    slug = "subject"
    exit_code = Exit.SUBJECT


class BuildFailed(SubjectError):
    """The unchanged subject does not build."""

    slug = "build-failed"


class NoBenchmarks(SubjectError):
    """Nothing is left to run."""

    slug = "no-benchmarks"


class NothingSelected(NoBenchmarks):
    """The suite has benchmarks, and the user's pattern matches none of them."""


class SourceUnreadable(SubjectError):
    """A source, class or listing of the subject cannot be parsed."""

    slug = "source-unreadable"


class MachineError(AuditError):
    """A tool or a machine is at fault; the same call may work later or elsewhere."""

    slug = "machine"
    exit_code = Exit.MACHINE


class ToolMissing(MachineError):
    """A program that is needed is absent or has the wrong version."""

    slug = "tool-missing"


class ResolveFailed(MachineError):
    """Something that had to be fetched could not be had."""

    slug = "resolve-failed"


class WorkerUnusable(MachineError):
    """A machine of a cluster cannot do what others there can."""


class FolderUnusable(MachineError):
    """A folder or file of ours cannot be written."""

    slug = "folder-unusable"


class OutOfTime(AuditError):
    """The budget was used up; within a study that is no error, but leaves things undecided."""

    slug = "out-of-time"
    exit_code = Exit.NO_VERDICT


class StoreError(AuditError):
    """The results file is locked, damaged or made by a newer version."""

    slug = "store"
    exit_code = Exit.MACHINE
