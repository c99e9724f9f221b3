"""What `steady` and `similarity` would measure of a suite."""

from auditor.core.plan import Purpose
from auditor.core.request import SeriesRequest
from auditor.studies.parts import Parts
from auditor.studies.preview import Preview, expected_of_phases, planned_phase
from auditor.studies.rehearsal import rehearse
from auditor.studies.series import processes, schedule
from auditor.studies.suite import chosen


def preview_series(asked: SeriesRequest, parts: Parts) -> Preview:
    """Return what `steady` and `similarity` would measure of a suite."""
    seen = rehearse(parts, lambda still: processes(asked, still))
    pilot = seen.phase("pilot", Purpose.PILOT)
    if pilot.known == pilot.trials:
        phases = pilot, seen.phase("processes", Purpose.STEADY)
        return Preview(phases, (), expected_of_phases(parts, phases))
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    lasting = [schedule(one, asked, None, None) for one in benchmarks]
    phases = pilot, planned_phase("processes (about)", asked.plan.forks, lasting)
    return Preview(phases, (), expected_of_phases(parts, phases))
