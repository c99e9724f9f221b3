"""One test with one number of threads, measured with both versions (Pradel et al., Section 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from auditor.concurrency.judge import oracle
from auditor.core.contracts.concurrency import LibraryVersion, RacePlan, RepetitionTimes
from auditor.core.contracts.concurrent_test import Test
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentRun,
    ConcurrentRunSettings,
    ConcurrentTestRunner,
    PilotTimes,
    TestWriter,
)


@dataclass(frozen=True, slots=True)
class RaceMeasurement:
    """Measures tests."""

    plan: RacePlan
    arena: ConcurrentTestRunner
    writer: TestWriter
    _pilots: dict[tuple[Test, int, LibraryVersion], PilotTimes | str] = field(default_factory=dict)

    def measure_test(self, test: Test, threads: int) -> RepetitionTimes:
        """Measure a test with both versions (Algorithm 2, with the numbers of repetitions)."""
        plan = self.plan
        repetition_times = RepetitionTimes(
            test=test.number, threads=threads, calls=0, repetitions=0
        )
        pilots: list[PilotTimes] = []
        for version in LibraryVersion:
            pilot = self.run_pilot(test, threads, version)
            if isinstance(pilot, str):
                return replace(repetition_times, reason=f"{version} version: {pilot}")
            pilots.append(pilot)
        turns = self._choose_repeats(test, threads, pilots)
        slowest = max(
            _estimate_duration(version_pilot, turns / test.repeats) for version_pilot in pilots
        )
        repetitions = int(plan.choose_measurement_seconds(threads) / slowest)
        repetition_times = replace(
            repetition_times, calls=test.count_calls(threads, turns), repetitions=repetitions
        )
        if repetitions < plan.least_repetitions:
            text = (
                f"{repetitions} repetitions fill a measurement, {plan.least_repetitions} are needed"
            )
            return replace(repetition_times, reason=text)
        settings = ConcurrentRunSettings(
            warmup=int(plan.warmup_seconds / slowest),
            repetitions=repetitions,
            seconds=plan.warmup_seconds
            + plan.most_measurements * plan.choose_measurement_seconds(threads),
        )
        times = self._measure_versions(replace(test, repeats=turns), threads, settings)
        if isinstance(times, str):
            return replace(repetition_times, reason=times)
        return replace(
            repetition_times, old=times[LibraryVersion.OLD], new=times[LibraryVersion.NEW]
        )

    def _choose_repeats(self, test: Test, threads: int, pilots: Sequence[PilotTimes]) -> int:
        """Return how often suffixes are done, so that a repetition lasts long enough but not long.

        The length that was found is for the fewest threads; others would leave the window between
        t_min and t_s / r_min. The paper has a length for each number. Of versions that lie further
        apart than the window is wide the faster one gets less than t_min.
        """
        plan = self.plan
        max_seconds = plan.choose_measurement_seconds(threads) / plan.least_repetitions
        fastest = min(pilot.suffixes for pilot in pilots)
        slowest = max(pilot.wall for pilot in pilots)
        factor = 1.0
        if fastest < plan.least_seconds:
            factor = _AMPLE * plan.least_seconds / fastest
        if factor * slowest > max_seconds:
            factor = max_seconds / slowest / _AMPLE
        return max(1, round(test.repeats * factor))

    def _measure_versions(
        self, test: Test, threads: int, settings: ConcurrentRunSettings
    ) -> Mapping[LibraryVersion, tuple[float, ...]] | str:
        """Measure both versions; in turns of random order where each has processes of its own."""
        plan, rng = self.plan, np.random.default_rng((self.plan.seed, test.number, threads))
        times: dict[LibraryVersion, tuple[float, ...]] = dict.fromkeys(LibraryVersion, ())
        if not plan.processes:
            settings = replace(
                settings,
                least=plan.least_measurements,
                most=plan.most_measurements,
                stop=plan.stop_spread,
            )
        while True:
            for index in rng.permutation(len(LibraryVersion)):
                version = list(LibraryVersion)[index]
                race_times = self.arena.measure_race(
                    self._make_run(test, threads, version), settings
                )
                if isinstance(race_times, str):
                    return f"{version} version: {race_times}"
                times[version] += race_times
            old, new = times[LibraryVersion.OLD], times[LibraryVersion.NEW]
            if not plan.processes or not oracle.needs_measurement(old, new, plan):
                return times

    def run_pilot(self, test: Test, threads: int, version: LibraryVersion) -> PilotTimes | str:
        """Return what a repetition takes with a version, or why it has none; it is run once."""
        key = test, threads, version
        if key not in self._pilots:
            race = self._make_run(test, threads, version)
            self._pilots[key] = self.arena.run_pilot(race, self.plan.warmup_seconds)
        return self._pilots[key]

    def _make_run(self, test: Test, threads: int, version: LibraryVersion) -> ConcurrentRun:
        return ConcurrentRun(
            test=self.writer.name_test_class(test),
            threads=threads,
            suffixes=len(test.suffixes),
            turns=test.repeats,
            version=version,
            scope=self.plan.scope,
        )


_AMPLE = 2.0
"""How far from an end of the window a length is chosen that has to be changed."""


def _estimate_duration(pilot: PilotTimes, factor: float) -> float:
    """Return the seconds of a repetition whose suffixes are done so many times as often."""
    return pilot.wall + (factor - 1) * pilot.suffixes
