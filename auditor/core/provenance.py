"""The circumstances of a measurement: enough to repeat it."""

from dataclasses import dataclass, field

from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.request import Plan

NamedValues = tuple[tuple[str, str], ...]
"""Pairs of a name and its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The subject, machine, plan and versions of a result: all that a verdict does not hold.

    The defaults apply to measurements of other programs.
    """

    subject: str  # name of the audited code
    revision: str  # commit or version; empty: unknown
    language: str  # of the subject
    harness: str  # benchmark framework
    host: str  # where it was measured
    host_facts: NamedValues  # such as ("cores", "8")
    seed: int | None = None  # None: unknown
    plan: Plan | None = None  # None: unknown
    runs: int  # of each pair
    stability_runs: int  # suite runs
    wait: str = "unknown"  # "auto", or the way to produce the delay
    versions: NamedValues = ()  # of the tools
    version: str  # of bench-audit
    command: str  # the command line
    config: str = field(default="", repr=False)  # JSON text with all defaults filled in
    started: str  # UTC, ISO 8601
    ended: str  # UTC, ISO 8601
    strain: HostInterference = field(
        default_factory=HostInterference
    )  # of the machine during the measurement
    caveats: tuple[Caveat, ...] = ()  # of the machine during the measurement
