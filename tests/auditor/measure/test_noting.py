"""What is noted of the processes that belong to a result."""

from dataclasses import replace

from auditor.core.jobs import HostFacts, HostInterference
from auditor.core.outcome import Skipped
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import Schedule
from auditor.core.suite import Benchmark
from auditor.measure.interference import InterferenceLog


class Deaf:
    def trial_ended(self, run, *, reused):
        pass


def ran(machine, name, repetition=1, purpose=Purpose.SUITE):
    trial = Trial(
        subject="s",
        purpose=purpose,
        benchmark=Benchmark(group="g", name=name) if name else None,
        schedule=Schedule(arms=(), blocks=(), seconds=0.1),
        repetition=repetition,
        seed=1,
        timeout_seconds=1,
    )
    return Run(trial=trial, host=HostFacts(machine), outcome=Skipped(""), started="", seconds=1.0)


def test_the_machine_of_a_benchmark_is_the_last_one_that_has_measured_it():
    noting = InterferenceLog(Deaf())
    runs = [ran("one", "a"), ran("other", "b"), ran("other", "a", 2), ran("one", "")]
    for index, run in enumerate(runs):
        noting.trial_ended(run, reused=index < 2)

    assert [noting.machine_of(f"g.{name}") for name in "abc"] == ["other", "other", None]
    assert [process.benchmark for process in noting.noted_processes] == ["g.a", "g.b", "g.a", ""]


def test_that_a_process_waited_for_another_one_of_ours_is_not_noted_of_the_machine():
    noting = InterferenceLog(Deaf())
    strain = HostInterference(waited=0.4, foreign=0.5)
    for rough in (False, True):
        pilot = replace(ran("here", "a", purpose=Purpose.PILOT), strain=strain)
        noting.trial_ended(replace(pilot, trial=replace(pilot.trial, rough=rough)), reused=False)

    assert [process.strain.waited for process in noting.noted_processes] == [0.4, None]


def test_what_a_process_was_for_is_noted():
    noting = InterferenceLog(Deaf())

    noting.trial_ended(ran("here", "a", purpose=Purpose.PAIRS), reused=False)

    assert [process.purpose for process in noting.noted_processes] == [Purpose.PAIRS]
