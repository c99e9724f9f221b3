"""A subject made ready on a host, where its trials are run."""

from collections.abc import Callable
from dataclasses import dataclass

from auditor.config import Config
from auditor.core.ports import Clock
from auditor.languages.harnesses import HarnessSupport, Machine, Ready, ready_of
from auditor.warmup.stop_rules import Watchers
from runners.hosts.reference_workload import LoopLook
from runners.subjects.placed import Placed
from runners.trial import TrialExecutor


@dataclass(frozen=True, slots=True)
class PreparedSubject:
    """A bench, what it was made of, and the configuration with what was left to the harness."""

    config: Config
    ready: Ready
    support: HarnessSupport
    bench: TrialExecutor


def prepare_subject(
    config: Config,
    placed: Placed,
    machine: Machine,
    clock: Clock,
    loop: Callable[[], LoopLook],
) -> PreparedSubject:
    """Make a subject that is here ready; raises an AuditError where that fails."""
    ready, support = ready_of(config, placed, machine)
    config = config.at_pace(support.pace)
    bench = TrialExecutor(
        project=ready.project,
        harness=ready.harness,
        host=machine.host,
        builds=machine.home.builds(ready.project.digest),
        writes=ready.writes,
        clock=clock,
        watchers=Watchers(config.model),
        loop=loop,
        elsewhere=machine.elsewhere,
    )
    return PreparedSubject(config, ready, support, bench)
