"""The same suite on several machines: how stable it is on each, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median, stdev

from markupsafe import Markup

from auditor.abs.document import AbsOrStability
from auditor.abs.page import anchors
from auditor.abs.page.anchors import PageLink
from auditor.core.stability import BenchmarkVerdict
from reports import number_format, violins

_FACTS = ("cpu", "cores", "memory", "kernel", "governor", "turbo")
_ALSO = {"virtual": "virtual", "container": "in a container"}
_STRAIN = {
    "stolen": "stolen", "waited": "waited", "throttled": "throttled", "hot": "too hot",
    "foreign": "used by others",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A machine, and the stability of the suite on it."""

    name: str  # its number on the page, and its host
    machine: str  # processor, cores and system
    code: str  # revision of the subject and versions of its tools
    benchmarks: str  # number of benchmarks with a spread, of all
    buckets: tuple[str, ...]  # number of benchmarks in each range of spread
    middle: str  # median spread
    worst: str  # largest spread
    seconds: str  # duration of a suite run
    strain: str  # what kept the machine busy meanwhile, as parts of the time; empty: unknown


@dataclass(frozen=True, slots=True)
class EnvironmentProperty:
    """One thing that is said of each machine."""

    label: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BenchmarkOnHosts:
    """A benchmark: on each machine its spread and its mean."""

    link: PageLink
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SpreadScatter:
    """Each benchmark's spread on the first machine and on another one."""

    says: str
    plot: Markup


@dataclass(frozen=True, slots=True)
class EnvironmentsView:
    """All machines, the first of which the rest of the page is about."""

    buckets: tuple[str, ...]
    rows: tuple[EnvironmentRow, ...]
    benchmarks: tuple[BenchmarkOnHosts, ...]
    violins: Markup
    scatters: tuple[SpreadScatter, ...]

    @property
    def properties(self) -> tuple[EnvironmentProperty, ...]:
        """Return a table whose columns are the machines."""
        rows = self.rows
        counts = zip(*(row.buckets for row in rows), strict=True)
        return (
            EnvironmentProperty("what it is", tuple(row.machine for row in rows)),
            EnvironmentProperty(self._code_label, tuple(row.code for row in rows)),
            EnvironmentProperty("the suite takes", tuple(row.seconds for row in rows)),
            EnvironmentProperty("benchmarks with a spread", tuple(row.benchmarks for row in rows)),
            *(
                EnvironmentProperty(f"in {bucket}", bucket_counts)
                for bucket, bucket_counts in zip(self.buckets, counts, strict=True)
            ),
            EnvironmentProperty("median spread", tuple(row.middle for row in rows)),
            EnvironmentProperty("largest spread", tuple(row.worst for row in rows)),
            EnvironmentProperty(
                "of the time", tuple(row.strain or number_format.NO_VALUE for row in rows)
            ),
        )

    @property
    def _code_label(self) -> str:
        """Name the row of revisions and tools: what another one does is not the machine's doing."""
        is_same_code = len({row.code for row in self.rows}) == 1
        return "what it runs" if is_same_code else "what it runs (not the same: it may be that)"


def compare_environments(
    document: AbsOrStability, on_other_hosts: Sequence[AbsOrStability]
) -> EnvironmentsView | None:
    """Return the machines side by side; None where there is only one."""
    if not on_other_hosts:
        return None
    documents = (document, *on_other_hosts)
    names = [
        _name_host(number, each_document) for number, each_document in enumerate(documents, start=1)
    ]
    links = dict(anchors.benchmark_links(document))
    benchmarks = [
        {benchmark.id: benchmark for benchmark in host_data.benchmarks} for host_data in documents
    ]
    spreads = [_list_spreads(host_data) for host_data in benchmarks]
    return EnvironmentsView(
        buckets=tuple(bucket.range.value for bucket in document.stability.buckets),
        rows=tuple(
            _build_row(name, host_data) for name, host_data in zip(names, documents, strict=True)
        ),
        benchmarks=tuple(
            BenchmarkOnHosts(
                links[benchmark.id],
                tuple(_format_cell(benchmark.id, host_data) for host_data in benchmarks),
            )
            for benchmark in document.benchmarks
        ),
        violins=violins.draw_violins(
            [
                (name, list(host_data.values()))
                for name, host_data in zip(names, spreads, strict=True)
            ]
        ),
        scatters=tuple(
            _build_scatter(names[0], name, spreads[0], host_spreads)
            for name, host_spreads in zip(names[1:], spreads[1:], strict=True)
        ),
    )


def _name_host(number: int, document: AbsOrStability) -> str:
    image = document.host_facts.get("image")
    return f"{number}: {document.host}{', containers' if image else ''}"


def _build_row(name: str, document: AbsOrStability) -> EnvironmentRow:
    spreads = [
        benchmark.max_spread
        for benchmark in document.benchmarks
        if benchmark.max_spread is not None
    ]
    facts = document.host_facts
    also = [word for key, word in _ALSO.items() if facts.get(key, "no").partition(" ")[0] != "no"]
    fact_texts = [f"{key} {facts[key]}" for key in _FACTS if facts.get(key, "unknown") != "unknown"]
    return EnvironmentRow(
        name=name,
        machine=", ".join((*fact_texts, *also)),
        code=_format_code(document),
        benchmarks=f"{len(spreads)} of {len(document.benchmarks)}",
        buckets=tuple(str(bucket.count) for bucket in document.stability.buckets),
        middle=number_format.format_share(median(spreads) if spreads else None),
        worst=number_format.format_share(max(spreads, default=None)),
        seconds=_format_duration(document.stability.suite_seconds),
        strain=", ".join(
            f"{word} {number_format.format_share(value)}"
            for key, word in _STRAIN.items()
            if (value := asdict(document.strain)[key]) is not None
        ),
    )


def _format_code(document: AbsOrStability) -> str:
    tools = (f"{name} {version}" for name, version in sorted(document.versions.items()))
    return ", ".join((document.revision, *tools))


def _format_duration(seconds: Sequence[float]) -> str:
    """Write what a run of the suite takes, and its coefficient of variation."""
    if not seconds:
        return number_format.NO_VALUE
    mean = fmean(seconds)
    variation = (
        f" ± {number_format.format_share(stdev(seconds) / mean)}"
        if len(seconds) > 1 and mean
        else ""
    )
    return number_format.format_seconds(mean) + variation


def _list_spreads(benchmarks: Mapping[str, BenchmarkVerdict]) -> dict[str, float]:
    return {
        key: verdict.max_spread
        for key, verdict in benchmarks.items()
        if verdict.max_spread is not None
    }


def _build_scatter(
    first: str, second: str, first_spreads: Mapping[str, float], second_spreads: Mapping[str, float]
) -> SpreadScatter:
    spread_pairs = [
        (value, second_spreads[key])
        for key, value in first_spreads.items()
        if key in second_spreads
    ]
    larger = sum(second_spread > first_spread for first_spread, second_spread in spread_pairs)
    says = (
        f"{larger} of {len(spread_pairs)} benchmarks have a larger spread on {second} than on "
        f"{first}."
    )
    return SpreadScatter(says, violins.draw_spread_pairs(first, second, spread_pairs))


def _format_cell(name: str, benchmarks: Mapping[str, BenchmarkVerdict]) -> tuple[str, str]:
    if name not in benchmarks:
        return number_format.NO_VALUE, number_format.NO_VALUE
    benchmark = benchmarks[name]
    mean = number_format.format_operation_time(benchmark.mean_seconds, benchmark.unit)
    return number_format.format_share(benchmark.max_spread), mean
