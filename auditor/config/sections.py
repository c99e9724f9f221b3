"""The objects of a configuration file, as types."""

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from auditor.config.quantities import DURATION, SIZE

Duration = Annotated[str, Meta(extra_json_schema={"pattern": DURATION})]
"""The pattern is for editors; `quantities.seconds` says more kindly what is wrong."""
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
    jdk: (
        Annotated[
            str,
            Meta(
                pattern=r"^(\d+|/.+)$",
                description="Of a JMH suite: the JDK that builds and runs it, by its folder or, "
                'where it is installed in a usual place, by its number ("21"); null: that of '
                "JAVA_HOME, else of PATH.",
            ),
        ]
        | None
    ) = None
    gradle: (
        Annotated[
            str,
            Meta(
                pattern=r"^(/.+|\w[\w.-]*)$",
                description="With path or git: a Gradle in place of the project's wrapper, by its "
                "path or its name on PATH.",
            ),
        ]
        | None
    ) = None


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
            " for Python 10, for JMH 30 ms, or the author's where it has to be kept."
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
        Annotated[float, Meta(ge=0, le=100, description='The least total score, such as "80%".')]
        | None
    ) = None


class CompareSection(Section, frozen=True):
    """How two revisions are compared."""

    min_delta: Annotated[
        float, Meta(gt=0, le=1000, description="Smaller changes do not count.")
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
    pytest_options: Annotated[
        tuple[Name, ...],
        Meta(description='Options of pytest, such as "--runslow".'),
    ] = ()


class ClientSection(SubjectSection, frozen=True):
    """A project that uses the library."""

    python: Annotated[
        PythonSection,
        Meta(description="Its environment; with nothing in it, what its tests usually need."),
    ] = PythonSection()
    tests: Annotated[
        tuple[Annotated[Name, Meta(pattern=r"^[^-]")], ...],
        Meta(description="Which of its tests run, as its test runner names them; none: all."),
    ] = ()


CPUS = r"^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"


class DockerSection(Section, frozen=True):
    """What containers are like, where the host is docker."""

    image: Annotated[
        Name | None,
        Meta(description="The image, fetched if it is not here; null: one made for the language."),
    ] = None
    dockerfile: Annotated[
        Name | None,
        Meta(
            description='Instead: a Dockerfile, relative to this file; "subject:PATH": one of the '
            "subject's own."
        ),
    ] = None
    cpus: Annotated[
        Annotated[str, Meta(pattern=CPUS)] | None,
        Meta(description='Processors that containers run on, such as "2-3", and we do not.'),
    ] = None
    memory: Annotated[
        Annotated[str, Meta(extra_json_schema={"pattern": SIZE})] | None,
        Meta(description='The most memory, such as "4g"; null: three quarters of the machine\'s.'),
    ] = None
    processes: Annotated[
        Annotated[int, Meta(ge=16, le=100_000)],
        Meta(description="Processes and threads of a container at most."),
    ] = 4096
    network: Annotated[
        Name,
        Meta(description="The network while a subject is fetched and built; then there is none."),
    ] = "bridge"
    environment: Annotated[
        tuple[Annotated[Name, Meta(pattern=VARIABLE)], ...],
        Meta(description="Variables of yours that containers get, besides those of the image."),
    ] = ()


class LocalSection(Section, frozen=True):
    """The machine we are on, where the host is local."""

    cpus: Annotated[
        Annotated[str, Meta(pattern=CPUS)] | None,
        Meta(description='Processors that benchmarks run on, such as "2-3", and we do not.'),
    ] = None
    memory: Annotated[
        Annotated[str, Meta(extra_json_schema={"pattern": SIZE})] | None,
        Meta(description='The most memory of a job with all its processes, such as "4g" (Linux).'),
    ] = None
    processes: Annotated[
        Annotated[int, Meta(ge=16, le=100_000)] | None,
        Meta(description="Processes and threads of a job at most (Linux)."),
    ] = None
    environment: Annotated[
        tuple[Annotated[Name, Meta(pattern=VARIABLE)], ...],
        Meta(description="Variables of yours that processes get, besides those that tools need."),
    ] = ()


class SshSection(Section, frozen=True):
    """The other machine, where the host is one that is reached over ssh."""

    folder: Annotated[
        Annotated[str, Meta(pattern=r"^/[A-Za-z0-9._/+-]*$")] | None,
        Meta(description="Where our files are, on both machines; null: below /var/tmp."),
    ] = None
    path: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^/[^:]*$")], ...],
        Meta(description="Folders of programs there that a session over ssh does not find."),
    ] = ()
    cpus: Annotated[
        Annotated[str, Meta(pattern=CPUS)] | None,
        Meta(description='Processors there that processes run on, such as "2-3"; null: all.'),
    ] = None
    environment: Annotated[
        tuple[Annotated[Name, Meta(pattern=VARIABLE)], ...],
        Meta(description="Variables of yours that processes there get, besides those of a login."),
    ] = ()
    patience: Annotated[
        Duration, Meta(description="For how long a lost connection is tried to be made again.")
    ] = "10m"


class DaskSection(Section, frozen=True):
    """The cluster, where trials are dispatched by Dask."""

    scheduler: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z]+://\S+$")] | None,
        Meta(description='The address of its scheduler, such as "tcp://10.0.0.1:8786".'),
    ] = None
    rent: Annotated[
        Name | None,
        Meta(description="Instead: a file that says how one is started, and ended, for an audit."),
    ] = None
    patience: Annotated[
        Duration, Meta(description="For how long a cluster without any worker is waited for.")
    ] = "10m"
    crowded: Annotated[
        bool, Meta(description="Several workers may be on a machine: to try it, not to measure.")
    ] = False


class TraceSection(Section, frozen=True):
    """How the clients of a library are traced."""

    timeout: Annotated[Duration, Meta(description="The most that the tests of a client take.")] = (
        "15m"
    )
    jobs: (
        Annotated[
            Annotated[int, Meta(ge=1, le=1000)],
            Meta(description="Clients at a time; null: as many as there are processors."),
        ]
        | None
    ) = None
    rank: Annotated[
        Literal["sum", "share", "clients"], Meta(description="What methods are ordered by.")
    ] = "sum"
    top: Annotated[Positive, Meta(description="How many methods are the often used ones.")] = 20
