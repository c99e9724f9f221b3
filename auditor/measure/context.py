"""What a study is handed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from auditor.core.caveats import BUDGET, SO_FAR, Caveat
from auditor.core.mutant import PLAIN, Overlay, Variant
from auditor.core.plan import Layouts, Purpose, Trial
from auditor.core.ports import Clock, Dispatcher, Mutator, Observer, Store
from auditor.core.request import SuiteRequest
from auditor.core.schedule import Schedule
from auditor.core.subject import BuildInputs, Method, Project, SourceFile
from auditor.core.suite import Benchmark, Suite
from auditor.core.units import format_duration
from auditor.measure.trial_times import AuditFigures, TrialTimes

UNDECIDED = (BUDGET, SO_FAR)
"""What is said where something was not decided for lack of time."""


@dataclass(frozen=True, slots=True)
class BuiltVariant:
    """A variant, and the overlay that makes it."""

    variant: Variant = PLAIN
    overlay: Overlay = field(default=Overlay())


def _nobody_knows(_method: Method) -> bool:
    """Tell nothing of a method."""
    return False


def _stays_as_it_is(_seconds: float) -> bool:
    """Tell that nobody knows of a machine whether it becomes quiet."""
    return False


class Deadline:
    """The end of a study; `prevented` tells whether it has kept anything from being run.

    A deadline of 0 seconds is a rehearsal: everything is looked up in the store, nothing is run.
    """

    def __init__(
        self,
        clock: Clock,
        seconds: float,
        *,
        reserve: float = 0.0,
        times: TrialTimes | None = None,
        budget: float | None = None,
    ) -> None:
        """Take how long the study may last from now on.

        `reserve` are the last seconds of that time: nothing is run in them, so that the result can
        be judged and written. `times` tells how long trials take. `budget` is what the user has
        given, as messages name it; None: the time of the study.
        """
        self.seconds = seconds
        self.budget = seconds if budget is None else budget
        self.times = TrialTimes() if times is None else times
        self._clock = clock
        self._end = clock.monotonic() + seconds
        self._reserve = reserve
        self.prevented = False

    @property
    def seconds_left(self) -> float:
        """Return how many seconds are left to run something, below zero when it is over."""
        return self._end - self._reserve - self._clock.monotonic()

    @property
    def is_rehearsal(self) -> bool:
        """Tell whether nothing is run at all."""
        return not self.seconds

    @property
    def is_over(self) -> bool:
        """Tell whether the time was used up; that of a rehearsal never is."""
        return bool(self.seconds) and (self.prevented or self.seconds_left <= 0)

    @property
    def is_past(self) -> bool:
        """Tell whether the reserve is used up as well."""
        return bool(self.seconds) and self._clock.monotonic() > self._end

    def has_time_for(self, seconds: float) -> bool:
        """Tell whether something that takes so long still fits.

        After the first that does not, nothing does: what is run should not depend on how short it
        happens to be.
        """
        if not self.prevented and seconds > self.seconds_left:
            self.prevented = True
        return not self.prevented

    def reserve_seconds(self, seconds: float) -> None:
        """Keep at least so many of the last seconds for judging and writing the result."""
        self._reserve = max(self._reserve, seconds)

    def make_stage_deadline(self, seconds: float) -> "Deadline":
        """Return the deadline of a stage of the study, which is no later than this one."""
        if self.is_rehearsal:
            return self
        lasting = max(0.0, min(seconds, self.seconds_left))
        stage = Deadline(self._clock, lasting or -1.0, times=self.times, budget=self.budget)
        stage.prevented = self.prevented
        return stage


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyContext:
    """A subject with its suite, what is asked of it, and the workers."""

    project: Project
    """The subject."""
    suite: Suite
    """Its benchmarks."""
    request: SuiteRequest
    """Which benchmarks are run how often."""
    fixed_operations: bool
    """Whether the harness can fix the operations of a block."""
    layouts: Layouts
    """Whether the harness draws the order of functions."""
    mutator: Mutator
    """Makes overlays."""
    dispatcher: Dispatcher
    """Runs trials."""
    store: Store
    """Keeps runs."""
    observer: Observer
    """Hears of phases and runs."""
    clock: Clock
    """Tells time."""
    deadline: Deadline | None
    """When the study ends; None: it runs to its end."""
    is_always_called: Callable[[Method], bool] = _nobody_knows
    """Whether the compiler surely makes calls of a method, never inlines it: only such a method
    is the same beside its slowed version."""
    tested: tuple[str, ...] = ("",)
    """Parts of the unit tests that can run by themselves; "" alone: only all can."""
    one_processor: bool = False
    """Whether a process needs one processor only, unless its benchmark has threads or collects
    garbage."""
    unprofiled: str = ""
    """Why benchmarks cannot be profiled; empty where they can."""
    hidden: tuple[str, ...] = ()
    """What is known of public names that are no methods, in words."""
    becomes_quiet: Callable[[float], bool] = _stays_as_it_is
    """Wait at most so many seconds for a quiet machine; return whether it is one then."""
    are_pilots_rough: bool = False
    """Whether pilots run beside each other, as time is short."""
    figures: AuditFigures
    """How long audits of the harness take."""

    @property
    def has_budget(self) -> bool:
        """Tell whether the time is limited, and this is no rehearsal."""
        return self.deadline is not None and not self.deadline.is_rehearsal

    def limit_stage(self, part: float) -> "StudyContext":
        """Return this with a deadline after this part of the time that a budget leaves."""
        if self.deadline is None:
            return self
        stage = self.deadline.make_stage_deadline(part * self.deadline.seconds_left)
        return replace(self, deadline=stage)

    @property
    def budget_caveats(self) -> tuple[Caveat, ...]:
        """Return what is to be said where the deadline has kept something from being run."""
        if self.deadline is None or not self.deadline.prevented:
            return ()
        if not self.deadline.seconds:
            text = (
                "only stored measurements are shown; pairs without one are undecided; run the "
                "audit again to go on"
            )
            return (Caveat(SO_FAR, text),)
        text = (
            f"the budget of {format_duration(self.deadline.budget)} is used up; pairs not "
            "measured are undecided; repeat the command to go on"
        )
        return (Caveat(BUDGET, text),)

    def make_trial(
        self,
        purpose: Purpose,
        benchmark: Benchmark | None,
        schedule: Schedule,
        built: BuiltVariant = BuiltVariant(),
        tests: str = "",
    ) -> Trial:
        """Return the trial of the first process of the first run."""
        planned_seconds = len(schedule.blocks) * schedule.seconds
        # A warm-up that is as long as a watched one may take all of that one's time, where blocks
        # outlast their own; that of a calibration is twice as long.
        watched = 2 * self.request.watched.watch.seconds if self.request.watched else 0.0
        group = tests if benchmark is None else benchmark.group
        closure = find_variant_inputs(self.project, group, built.variant)
        return Trial(
            subject=closure.digest,
            purpose=purpose,
            variant=built.variant,
            overlay=built.overlay,
            built_overlay=linked_overlay_digest(closure, built.overlay, self.suite.sources),
            benchmark=benchmark,
            schedule=schedule,
            repetition=1,
            seed=self.request.seed,
            tests=tests,
            timeout_seconds=self.request.timeout_seconds + 10 * planned_seconds + watched,
        )


def find_variant_inputs(project: Project, group: str, variant: Variant) -> BuildInputs:
    """Return what the process of a group's benchmark or tests is built of; "": of any.

    All of the project decides where none of the methods that change is in the program: nothing of
    them is run then, but their build may fail.
    """
    group_inputs = project.find_group_inputs(group)
    absent = bool(variant.methods) and not any(map(group_inputs.may_contain, variant.methods))
    return project.all_inputs if absent else group_inputs


def linked_overlay_digest(
    program: BuildInputs, overlay: Overlay, sources: Sequence[SourceFile]
) -> str:
    """Return the digest of that part of an overlay that is in a program; empty: all may be."""
    if program.files is None or not overlay.files:
        return ""
    return overlay.digest_without({source.path for source in sources} - program.files)
