"""The sections of a configuration that say how processes are watched."""

from typing import Annotated, Literal

from msgspec import Meta

from auditor.config.sections import Duration, Name, Positive, Section


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
    measured: Annotated[
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
