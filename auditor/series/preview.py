"""What `steady` and `similarity` would measure of a suite."""

from auditor.core.plan import Purpose
from auditor.core.request import SeriesRequest
from auditor.measure.context import StudyContext
from auditor.measure.planning.preview import Preview, expected_of_phases, planned_phase
from auditor.measure.planning.rehearsal import rehearse
from auditor.measure.suite_runs import chosen
from auditor.series.study import processes, schedule


def preview_series(asked: SeriesRequest, parts: StudyContext) -> Preview:
    """Return what `steady` and `similarity` would measure of a suite."""
    seen = rehearse(parts, lambda still: processes(asked, still))
    pilot = seen.phase("pilot", Purpose.PILOT)
    if pilot.known == pilot.trials:
        phases = pilot, seen.phase("processes", Purpose.STEADY)
        return Preview(phases, (), expected_of_phases(parts, phases))
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    lasting = [schedule(benchmark, asked, None, None) for benchmark in benchmarks]
    phases = pilot, planned_phase("processes (about)", asked.plan.forks, lasting)
    return Preview(phases, (), expected_of_phases(parts, phases))
