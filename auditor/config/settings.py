"""The configuration file as types; reports/schema/config.schema.json is made of them."""

from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from auditor.config.durations import PATTERN

Duration = Annotated[str, Meta(extra_json_schema={"pattern": PATTERN})]
"""The pattern is for editors; `durations.seconds` says more kindly what is wrong."""
Positive = Annotated[int, Meta(ge=1, le=100_000)]
Name = Annotated[str, Meta(min_length=1)]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every object in the file: frozen, and a typo is an error."""


class SubjectSection(Section, frozen=True):
    """A subject of more than one word; exactly one of path, git, go, maven and pypi is given."""

    path: Annotated[Name, Meta(description="A folder or jar, relative to this file.")] | None = None
    git: Annotated[Name, Meta(description="PATH-OR-URL@REVISION of a git repository.")] | None = (
        None
    )
    go: Annotated[Name, Meta(description="MODULE@VERSION of a published Go module.")] | None = None
    maven: Annotated[Name, Meta(description="GROUP:ARTIFACT:VERSION.")] | None = None
    pypi: Annotated[Name, Meta(description="NAME@VERSION of a source distribution.")] | None = None
    extra: Annotated[
        tuple[Name, ...],
        Meta(description="With maven: further dependencies as GROUP:ARTIFACT:VERSION."),
    ] = ()
    profiles: Annotated[
        tuple[Annotated[Name, Meta(pattern=r"^[^\s,]+$")], ...],
        Meta(
            description="With path or git, where Maven builds: profiles that are switched on "
            "(!NAME: off), as with its -P."
        ),
    ] = ()
    flags: Annotated[
        tuple[Annotated[Name, Meta(pattern=r"^-")], ...],
        Meta(description="With path or git: flags for the project's own mvn or gradle."),
    ] = ()


class PlanSection(Section, frozen=True):
    """How much is measured in one process."""

    forks: Annotated[Positive, Meta(description="Processes per run and benchmark.")] = 1
    warmup: Annotated[
        Annotated[int, Meta(ge=0, le=100_000)] | None,
        Meta(
            description="Blocks per process before measuring, in which all arms take turns; "
            "null: 50 ms of them for Go, 200 for Python, a second for JMH."
        ),
    ] = None
    iterations: Annotated[Positive, Meta(description="Measured blocks per arm and process.")] = 15
    iteration_time: Annotated[
        Duration | None,
        Meta(
            description="How long a block lasts; null: for Go 3 ms, up to 30 where code allocates,"
            " for Python 10, for JMH 30 ms."
        ),
    ] = None


class IgnoreSection(Section, frozen=True):
    """A miss that is accepted."""

    method: Annotated[Name, Meta(description="The method that no benchmark has to watch.")]
    reason: Annotated[str, Meta(pattern=r"\S", description="Why, for those who read the report.")]
    until: (
        Annotated[date, Meta(description="The last day it is accepted; null: for good.")] | None
    ) = None


class GatesSection(Section, frozen=True):
    """Limits that turn the exit code to 1 when they are missed, to 5 when that is undecided."""

    min_score: (
        Annotated[float, Meta(ge=0, le=100, description="The least total score, in percent.")]
        | None
    ) = None


class CompareSection(Section, frozen=True):
    """How two revisions are compared."""

    min_delta: Annotated[
        float, Meta(gt=0, le=1000, description="Smaller changes do not count; 0.05 for 5 %.")
    ] = 0.05
    rounds: Annotated[
        int, Meta(ge=4, le=100, description="The most rounds before something is suspected.")
    ] = 20
    confirm: Annotated[
        int, Meta(ge=5, le=100, description="Rounds that confirm what is suspected.")
    ] = 8
    methods: Annotated[
        int, Meta(ge=0, description="Changed methods that are slowed down at most; 0: none.")
    ] = 20


class PythonSection(Section, frozen=True):
    """The environment that a Python suite runs in."""

    interpreter: Annotated[
        Name | None,
        Meta(description="One that has all the suite needs; null: an environment is made."),
    ] = None
    installer: Annotated[
        Literal["auto", "uv", "pip"],
        Meta(
            description='What makes the environment; "auto": uv where there is one, but pip where '
            "pip is told where to look."
        ),
    ] = "auto"
    extras: Annotated[
        tuple[Name, ...], Meta(description="Extras of the project that the suite needs.")
    ] = ()
    groups: Annotated[
        tuple[Name, ...], Meta(description="Dependency groups of the project that it needs.")
    ] = ()
    requirements: Annotated[
        tuple[Name, ...], Meta(description="Further requirements, as for pip.")
    ] = ()


class Settings(Section, frozen=True):
    """A bench-audit configuration file."""

    subject: Annotated[
        Name | SubjectSection,
        Meta(
            description="What is audited: a folder or a jar with JMH in it (relative to this file),"
            " git:PATH-OR-URL@REVISION, go:MODULE@VERSION, maven:GROUP:ARTIFACT:VERSION, "
            "pypi:NAME@VERSION, or an object."
        ),
    ] = "."
    harness: Annotated[
        Literal["go", "jmh", "pytest", "asv", "pyperf"] | None,
        Meta(description="The benchmark framework; null: the one that the subject uses."),
    ] = None
    tags: Annotated[tuple[Name, ...], Meta(description="Go build tags.")] = ()
    benchmarks: Annotated[
        str, Meta(description="A regular expression, searched in names and ids of benchmarks.")
    ] = ".*"
    methods: Annotated[
        tuple[Name, ...] | Name,
        Meta(
            description='The methods to slow down: a list, a file with one name a line, or "auto":'
            " the 20 public methods called most."
        ),
    ] = "auto"
    runs: Annotated[Positive, Meta(description="Runs that must agree on a detection.")] = 2
    stability_runs: Annotated[
        Positive, Meta(description="Runs of the whole unchanged suite, for its spread.")
    ] = 5
    slowdown: Annotated[
        Annotated[float, Meta(gt=0, le=1000)] | Literal["auto"],
        Meta(description='0.6: 1.6 times as long. "auto": from the spread; rewards noise.'),
    ] = "auto"
    wait: Annotated[
        Literal["auto", "sleep", "spin", "work"] | None,
        Meta(
            description='How a delay passes its time; "auto": by the duration of the method;'
            " null: sleep with the rule paper, else auto."
        ),
    ] = None
    rule: Annotated[
        Literal["ours", "paper", "gate"], Meta(description="How a detection is decided.")
    ] = "ours"
    min_delta: Annotated[
        Annotated[float, Meta(gt=0, le=1000)] | None,
        Meta(description="With the rule gate: the relative slowdown at which your gate fires."),
    ] = None
    mode: Annotated[
        Literal["matrix", "score"],
        Meta(description='"score": a method is done once a benchmark has detected it.'),
    ] = "matrix"
    estimate: Annotated[
        bool, Meta(description="Only time the methods, and predict the verdicts from that.")
    ] = False
    curve: Annotated[
        Literal["none", "methods", "pairs"] | None,
        Meta(
            description="How small a slowdown is noticed still: in one benchmark of each method, in"
            " all pairs, or not measured; null: methods, where nothing is exact, estimated or the"
            " paper's."
        ),
    ] = None
    controls: Annotated[
        Annotated[int, Meta(ge=0, le=10000)],
        Meta(description="How many times each measured method is slowed by nothing (A/A)."),
    ] = 1
    exact: Annotated[
        bool, Meta(description="Measure unreached pairs too, and stop nothing early.")
    ] = False
    allocations: Annotated[
        bool, Meta(description="Ask also whether one more allocation per call would show.")
    ] = False
    allocation_bytes: Annotated[
        int, Meta(ge=1, le=2**20, description="With allocations: the size of each.")
    ] = 64
    plan: PlanSection = PlanSection()
    host: Annotated[Literal["local"], Meta(description="Where it runs.")] = "local"
    seed: Annotated[
        int, Meta(ge=0, le=2**63 - 1, description="Decides everything that is random.")
    ] = 1
    budget: Annotated[
        Duration | None,
        Meta(description="Ends measuring in time; what is undecided widens the bounds."),
    ] = None
    timeout: Annotated[
        Duration, Meta(description="The least that a process gets before it is ended.")
    ] = "60s"
    store: Annotated[
        Name | None, Meta(description="The file of results; null: in the output folder.")
    ] = None
    gates: GatesSection = GatesSection()
    compare: CompareSection = CompareSection()
    python: PythonSection = PythonSection()
    ignore: Annotated[
        tuple[IgnoreSection, ...],
        Meta(description="Accepted misses: shown, and left out of the score that gates use."),
    ] = ()
    schema: Annotated[str, Meta(description="Where editors find this description.")] | None = (
        msgspec.field(name="$schema", default=None)
    )


SECTIONS: dict[str, type[Section]] = {
    "$": Settings,
    "$.subject": SubjectSection,
    "$.plan": PlanSection,
    "$.gates": GatesSection,
    "$.compare": CompareSection,
    "$.python": PythonSection,
    "$.ignore[...]": IgnoreSection,
}
"""The object that stands at each path."""

CHOICES: dict[str, str] = {
    "$.harness": '"go", "jmh", "pytest", "asv", "pyperf" or null',
    "$.slowdown": 'a number above 0 and at most 1000, or "auto"',
    "$.wait": '"auto", "sleep", "spin" or "work"',
    "$.rule": '"ours", "paper" or "gate"',
    "$.min_delta": "a number above 0 and at most 1000; 0.05 for 5 %",
    "$.compare.min_delta": "a number above 0 and at most 1000; 0.05 for 5 %",
    "$.mode": '"matrix" or "score"',
    "$.python.installer": '"auto", "uv" or "pip"',
    "$.curve": '"none", "methods", "pairs" or null',
    "$.ignore[...].until": 'a date such as "2026-12-31", or null',
    "$.ignore[...].reason": "a reason, in words",
    "$.host": '"local"; other hosts are not supported yet',
}
"""What may stand where only some words may."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema that editors use."""
    schema = msgspec.json.schema(Settings)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bench-audit configuration",
        **schema,
    }
