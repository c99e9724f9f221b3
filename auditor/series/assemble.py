"""Makes the parts that measure the series of a suite, and hands them to the study."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from auditor.config import Config, Places
from auditor.core.ports import Observer
from auditor.core.provenance import Context
from auditor.core.request import SeriesRequest
from auditor.core.series.stored import StoredResults
from auditor.measure.planning.preview import Preview
from auditor.series.study import collect_series, preview_series
from auditor.session import SubjectWork, open_session


class SuiteSeries(SubjectWork):
    """A subject made ready, whose benchmarks are measured from the start of their processes on."""

    def plan_series(self, request: SeriesRequest) -> Preview:
        """Say what `collect_series` would measure."""
        return preview_series(request, self._parts)

    def measure_series(self, command: str, request: SeriesRequest) -> StoredResults:
        """Measure the series; `command` is what the store remembers them by."""
        self._number = self._session.begin_audit(command, self._config, self._parts.project)
        results = collect_series(request, self._parts)
        return replace(results, caveats=(*results.caveats, *self._reuse.describe_reuse()))

    def make_context(self, words: str, request: SeriesRequest) -> Context:
        """Return those of a result of series; `words` are the command with its own options."""
        context = self._session.make_context(self._config, self._parts.project, words)
        return replace(context, plan=request.plan, runs=1, stability_runs=1)

    def store_result(self, text: str) -> None:
        """Keep the text of a result in the store."""
        self._session.end_audit(self._number, self._session.clock.now(), text)


@contextmanager
def open_series(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[SuiteSeries]:
    """Make the subject ready and open its store."""
    with open_session(config, places, environment, observer) as session:
        config, parts = session.prepare_study(config)
        yield SuiteSeries(config, parts, session)
