"""The configuration file as types; reports/schema/config.schema.json is made of them."""

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from auditor.config import shares
from auditor.config.sections import (
    ClientSection,
    CompareSection,
    DaskSection,
    DockerSection,
    Duration,
    GatesSection,
    IgnoreSection,
    LocalSection,
    Name,
    PlanSection,
    Positive,
    PythonSection,
    Section,
    SshSection,
    SubjectSection,
    TraceSection,
)
from auditor.core.request import SIGNIFICANCE


class WarmupSection(Section, frozen=True):
    """What tells that a process of the suite is warm, and when enough is measured."""

    method: Annotated[
        Literal["fixed", "cov", "rciw", "kld", "kbkssd", "fcn", "oscnn", "rocket", "learned"],
        Meta(description='"fixed": what the plan says; else a rule that looks at the process.'),
    ] = "fixed"
    model: Annotated[
        Name | None,
        Meta(description="The file of a model of the method; null: the one that comes with it."),
    ] = None
    iterations: Annotated[
        Positive, Meta(description="Blocks of a process at most, its warm-up among them.")
    ] = 1000
    iteration_time: Annotated[
        Duration | None,
        Meta(description="How long a block lasts; null: 100ms, or 30ms for Go watched by learned."),
    ] = None
    limit: Annotated[Duration, Meta(description="A process ends after so long, warm or not.")] = (
        "2m"
    )
    min_measured_blocks: Annotated[
        Positive | None,
        Meta(
            description="Blocks that are measured at least, once it is warm; null: 20, and as many "
            "as last two seconds."
        ),
    ] = None
    width: Annotated[
        Annotated[float, Meta(gt=0, le=10)] | None,
        Meta(
            description="Measure on until the 95 % interval of the mean is no wider than this part "
            "of it, 0.02 for 2 %; null: that does not matter."
        ),
    ] = None


class SteadySection(Section, frozen=True):
    """How long benchmarks are watched to see when they are warm."""

    iterations: Annotated[Positive, Meta(description="Blocks of a process, no warm-up before.")] = (
        3000
    )
    iteration_time: Annotated[Duration, Meta(description="How long a block lasts.")] = "10ms"
    forks: Annotated[
        Positive | None,
        Meta(description="Processes of each benchmark; null: 1 for steady, 5 for similarity."),
    ] = None


Harness = Literal["go", "jmh", "pytest", "asv", "pyperf"]
HARNESSES: tuple[str, ...] = get_args(Harness)
"""The harnesses that `auditor.languages` has; msgspec needs them as a literal."""
HARNESS_NAMES: dict[str, Harness] = {
    **dict.fromkeys(("gotest", "go-test", "go test", "gobench", "golang"), "go"),
    **dict.fromkeys(("java", "jvm", "kotlin", "scala"), "jmh"),
    **dict.fromkeys(("pytest-benchmark", "pytest-codspeed", "codspeed"), "pytest"),
    **dict.fromkeys(("airspeed-velocity", "airspeed velocity"), "asv"),
}
"""Other names that users have for a harness."""
LEAST_SIGNIFICANCE, MOST_SIGNIFICANCE = 1e-6, 0.1
MOST_EFFECT = 1000
"""What a test may be: a research tool's is held to the same (ancestors)."""


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
        Harness | None,
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
        Positive | None,
        Meta(
            description="Runs of the whole unchanged suite, for its spread. null: 5; `abs` makes"
            " fewer, at least two, if five would take longer than a minute."
        ),
    ] = None
    slowdown: Annotated[
        Annotated[float, Meta(gt=0, le=1000)] | Literal["auto"] | None,
        Meta(
            description='0.6: 1.6 times as long. "auto": from the spread; rewards noise. null: 0.5,'
            ' with the rule paper "auto".'
        ),
    ] = None
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
        Annotated[float, Meta(gt=0, le=MOST_EFFECT)] | None,
        Meta(
            description="With the rule gate: the relative slowdown at which your gate fires; with "
            "paper: the effect that counts, in the place of half of the slowdown."
        ),
    ] = None
    significance: Annotated[
        float,
        Meta(
            ge=LEAST_SIGNIFICANCE,
            le=MOST_SIGNIFICANCE,
            description="How often the test of a method may err.",
        ),
    ] = SIGNIFICANCE
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
            description="Smallest detected slowdown: in one benchmark of each method, in"
            " all pairs, or not measured; null: methods, where nothing is exact, estimated or the"
            " paper's."
        ),
    ] = None
    controls: Annotated[
        Annotated[int, Meta(ge=0, le=10000)],
        Meta(description="A/A controls of each measured method."),
    ] = 1
    shares: Annotated[
        bool,
        Meta(
            description="Sample the unchanged benchmarks; the share of a method decides where a"
            " probe would distort the operation, or a delay would tell nothing more."
        ),
    ] = True
    exact: Annotated[
        bool, Meta(description="Measure unreached pairs too, and stop nothing early.")
    ] = False
    interleave: Annotated[
        bool,
        Meta(
            description="With the rule paper: measure the plain suite anew, interleaved with what"
            " is slowed, so that a machine that drifts harms no comparison. The others always do."
        ),
    ] = False
    allocations: Annotated[
        bool, Meta(description="Ask also whether one more allocation per call would show.")
    ] = False
    allocation_bytes: Annotated[
        int, Meta(ge=1, le=2**20, description="With allocations: the size of each.")
    ] = 64
    plan: PlanSection = PlanSection()  # blocks, processes and their lengths
    warmup: WarmupSection = WarmupSection()  # what tells that a process is warm
    steady: SteadySection = SteadySection()  # settings of `steady`
    host: Annotated[
        str,
        Meta(
            pattern=r"^(local|docker(:[^\s-]\S*)?|ssh:[^\s-]\S*)$",
            description='"docker" or "docker:IMAGE": in containers, offline while measuring; '
            '"ssh:TARGET": on another machine.',
        ),
    ] = "local"
    local: LocalSection = LocalSection()  # this machine, where the host is local
    docker: DockerSection = DockerSection()  # containers, where the host is docker
    ssh: SshSection = SshSection()  # another machine, where the host is ssh
    dispatch: Annotated[
        Literal["serial", "dask"],
        Meta(description='"dask": on the machines of a cluster, one trial at a time on each.'),
    ] = "serial"
    dask: DaskSection = DaskSection()  # the cluster, where the dispatch is dask
    seed: Annotated[
        int, Meta(ge=0, le=2**63 - 1, description="Decides everything that is random.")
    ] = 1
    budget: Annotated[
        Duration | None,
        Meta(description="Limits the whole command; what is undecided widens the bounds."),
    ] = None
    timeout: Annotated[
        Duration,
        Meta(
            description="The least that a process gets before it is ended; unit tests of Python "
            "get half."
        ),
    ] = "60s"
    store: Annotated[
        Name | None, Meta(description="The file of measurements; null: one for each subject.")
    ] = None
    gates: GatesSection = GatesSection()  # conditions on the result
    compare: CompareSection = CompareSection()  # settings of `compare`
    python: PythonSection = PythonSection()  # interpreter and packages of a Python subject
    clients: Annotated[
        tuple[Name | ClientSection, ...],
        Meta(description="Projects that use the library: their tests tell which methods are used."),
    ] = ()
    trace: TraceSection = TraceSection()  # settings of `trace`
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
    "$.warmup": WarmupSection,
    "$.steady": SteadySection,
    "$.gates": GatesSection,
    "$.compare": CompareSection,
    "$.python": PythonSection,
    "$.local": LocalSection,
    "$.docker": DockerSection,
    "$.ssh": SshSection,
    "$.dask": DaskSection,
    "$.clients[...]": ClientSection,
    "$.clients[...].python": PythonSection,
    "$.trace": TraceSection,
    "$.ignore[...]": IgnoreSection,
}
"""The object that stands at each path."""

_NAMES = ", ".join(f'"{name}"' for name in HARNESSES)
_CHANGE = 'a change such as "50%", 0.5 or "1.5x", above 0 and at most 100000%'
CHOICES: dict[str, str] = {
    "$.harness": f"{_NAMES} or null",
    "$.slowdown": f'{_CHANGE}, or "auto"',
    "$.gates.min_score": 'a percentage from 0 to 100, such as "80%"',
    "$.wait": '"auto", "sleep", "spin" or "work"',
    "$.rule": '"ours", "paper" or "gate"',
    "$.min_delta": _CHANGE,
    "$.significance": "a number from 0.000001 to 0.1; 0.01 for 1 %",
    "$.compare.min_delta": _CHANGE,
    "$.mode": '"matrix" or "score"',
    "$.warmup.method": (
        '"fixed", "cov", "rciw", "kld", "kbkssd", "fcn", "oscnn", "rocket" or "learned"'
    ),
    "$.warmup.width": "a number above 0 and at most 10, or null",
    "$.python.installer": '"auto", "uv" or "pip"',
    "$.clients[...].python.installer": '"auto", "uv" or "pip"',
    "$.clients[...].tests[...]": "a test, a file or a pattern, and no option",
    "$.trace.rank": '"sum", "share" or "clients"',
    "$.curve": '"none", "methods", "pairs" or null',
    "$.ignore[...].until": 'a date such as "2026-12-31", or null',
    "$.ignore[...].reason": "a reason, in words",
    "$.host": '"local", "docker", "docker:IMAGE" or "ssh:" with what ssh is called with',
    "$.dispatch": '"serial" or "dask"',
    "$.dask.scheduler": 'an address such as "tcp://10.0.0.1:8786", or null',
    "$.ssh.folder": "an absolute path of letters, digits and . _ + -, or null",
    "$.ssh.path[...]": "an absolute path",
    "$.ssh.cpus": 'numbers of processors, such as "2-3" or "0,2", or null',
    "$.ssh.environment[...]": "the name of a variable",
    "$.local.environment[...]": "the name of a variable",
    "$.local.cpus": 'numbers of processors, such as "2-3" or "0,2", or null',
    "$.docker.cpus": 'numbers of processors, such as "2-3" or "0,2", or null',
    "$.docker.environment[...]": "the name of a variable",
}
"""What may stand where only some words may."""


DURATIONS = (
    *("$.budget", "$.timeout", "$.plan.iteration_time", "$.warmup.iteration_time"),
    *("$.warmup.limit", "$.steady.iteration_time", "$.trace.timeout", "$.ssh.patience"),
    "$.dask.patience",
)
"""Keys that take a duration."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema that editors use."""
    schema = msgspec.json.schema(Settings)
    for *outer, key in shares.READERS:
        section = SECTIONS[".".join(("$", *outer))] if outer else Settings
        number = schema["$defs"][section.__name__]["properties"][key]
        annotations = {
            name: number.pop(name) for name in ("description", "default") if name in number
        }
        kinds = number.pop("anyOf", [dict(number)])
        number.clear()
        number |= annotations | {"anyOf": [*kinds, {"type": "string", "pattern": shares.PATTERN}]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bench-audit configuration",
        **schema,
    }
