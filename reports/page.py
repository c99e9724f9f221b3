"""The result as one HTML file that opens anywhere and asks nobody for anything."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reports import (
    advice,
    allocations,
    controls,
    curve,
    evidence,
    figures,
    names,
    plots,
    suite,
    table,
    words,
)
from reports.curve import Curve
from reports.document import Caveat, Document, Either, Plan, Score, typed
from reports.matrix import Matrix, matrix

_LOADER = PackageLoader("reports", "templates")
Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ScoreView:
    """A score with its bar; the excluded are (short, full)."""

    row: table.ScoreRow
    plot: Markup = field(repr=False)
    excluded: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TargetView:
    """What an advice is about: shortened, in full, and why."""

    name: str
    id: str
    note: str


@dataclass(frozen=True, slots=True)
class StepView:
    """One thing to do."""

    slug: str
    title: str
    why: str
    targets: tuple[TargetView, ...]


@dataclass(frozen=True, slots=True)
class CaveatView:
    """A caveat, and how many methods, pairs or benchmarks have it (empty: the whole audit)."""

    slug: str
    text: str
    where: str


@dataclass(frozen=True, slots=True)
class PartView:
    """How many methods came out in one way."""

    kind: str
    word: words.Word
    count: int


@dataclass(frozen=True, slots=True)
class PointView:
    """In how many methods a slowdown is noticed."""

    size: str
    covered: str
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True)
class CurveView:
    """How small a slowdown is noticed still, and in how many pairs that was tried."""

    says: str
    points: tuple[PointView, ...]
    tried: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsView:
    """What only an ABS audit has."""

    judged: str
    scores: tuple[ScoreView, ...]
    parts: tuple[PartView, ...]
    parts_plot: Markup = field(repr=False)
    rules: Facts
    controls: str
    curve: CurveView | None
    matrix: Matrix
    axis: Markup = field(repr=False)
    methods: tuple[evidence.MethodView, ...]
    redundancy: suite.RedundancyView
    allocations: allocations.AllocationsView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the template shows, in words."""

    subject: str
    headline: str
    circumstances: Facts
    abs: AbsView | None
    steps: tuple[StepView, ...]
    stability: suite.StabilityView
    caveats: tuple[CaveatView, ...]
    host: Facts
    plan: Facts
    versions: Facts
    command: str
    config: str


def page(document: Mapping[str, object] | Either) -> str:
    """Render a document; the same document gives the same bytes."""
    environment = _environment()
    script = _source("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        page=view(typed(document)),
        style=Markup(_source("page.css")),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        script_digest=digest,
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=_LOADER,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _source(name: str) -> str:
    return _LOADER.get_source(_environment(), name)[0]


def view(document: Either) -> Page:
    """Put a document into words."""
    return Page(
        subject=words.subject(document),
        headline=words.headline(document),
        circumstances=_circumstances(document),
        abs=_abs(document) if isinstance(document, Document) else None,
        steps=tuple(_step(each) for each in advice.advice(document)),
        stability=suite.stability(document),
        caveats=_caveats(document),
        host=tuple(document.host_facts.items()),
        plan=_plan(document.plan, document.seed),
        versions=(("bench-audit", document.bench_audit), *document.versions.items()),
        command=document.command,
        config=document.config,
    )


def _circumstances(document: Either) -> Facts:
    known = (
        ("Language", document.language),
        ("Harness", document.harness),
        ("Host", document.host),
        ("Started", document.started),
        ("Ended", document.ended),
    )
    return tuple((name, value) for name, value in known if value)


def _block(plan: Plan) -> str | None:
    length, longest = plan.iteration_seconds, plan.longest_seconds
    if length is None or longest is None or longest <= length:
        return figures.seconds(length)
    return f"{figures.seconds(length)}, up to {figures.seconds(longest)} where code allocates"


def _plan(plan: Plan, seed: int | None) -> Facts:
    known = (
        ("runs of each pair", plan.runs),
        ("runs of the suite", plan.stability_runs),
        ("forks per run", plan.forks),
        ("warm-up blocks", plan.warmup),
        ("blocks per arm", plan.iterations),
        ("time of a block", _block(plan)),
        ("way to wait", plan.wait),
        ("seed", seed),
    )
    return tuple((name, figures.NONE if value is None else str(value)) for name, value in known)


def _abs(document: Document) -> AbsView:
    places = evidence.anchors(document)
    counts = Counter((words.kind(one), words.word(one)) for one in document.methods)
    met = sorted(counts.items(), key=lambda part: words.LEGEND.index(part[0][1]))
    parts = tuple(PartView(kind, word, count) for (kind, word), count in met)
    return AbsView(
        judged=words.judged(document),
        scores=_scores(document),
        parts=parts,
        parts_plot=plots.parts([(part.kind, part.count) for part in parts]),
        rules=tuple((rule.name, str(rule.covered)) for rule in document.rules),
        controls=controls.told(document.controls),
        curve=_curve(document.curve) if document.curve else None,
        matrix=matrix(document, places),
        axis=plots.forest_axis(),
        methods=evidence.methods(document, places),
        redundancy=suite.redundancy(document),
        allocations=allocations.view(document),
    )


def _curve(found: Curve) -> CurveView:
    return CurveView(
        says=curve.suite(found),
        points=tuple(
            PointView(
                figures.times(1 + point.slowdown),
                f"{point.covered} of {point.counted}",
                plots.score(*2 * (100 * point.covered / point.counted,))
                if point.counted
                else plots.NOTHING,
            )
            for point in found.points
        ),
        tried=figures.count(len(found.pairs), "pair"),
    )


def _scores(document: Document) -> tuple[ScoreView, ...]:
    rows = table.score_rows(document)
    known = [score for _, score in table.scores(document)]
    short = names.shorten(one.id for one in document.benchmarks)
    return tuple(
        ScoreView(
            row,
            _score_bar(score),
            tuple((short.get(one, one), one) for one in score.excluded_benchmarks),
        )
        for row, score in zip(rows, known, strict=True)
    )


def _score_bar(score: Score) -> Markup:
    if score.percent is None:
        return plots.NOTHING
    low, high = score.bounds or (score.percent, score.percent)
    return plots.score(
        score.percent if low is None else low, score.percent if high is None else high
    )


def _step(step: advice.Advice) -> StepView:
    short = names.shorten(target.id for target in step.targets)
    return StepView(
        step.slug,
        step.title,
        step.why,
        tuple(TargetView(short[each.id], each.id, each.note) for each in step.targets),
    )


def _caveats(document: Either) -> tuple[CaveatView, ...]:
    whole = dict.fromkeys((*document.caveats, *document.stability.caveats))
    views = [CaveatView(caveat.slug, caveat.text, "") for caveat in whole]
    groups: dict[tuple[str, str], list[str]] = {}
    for caveat, owner in _local(document):
        groups.setdefault((caveat.slug, owner), []).append(caveat.text)
    for (slug, owner), texts in groups.items():
        example = texts[0] if len(set(texts)) == 1 else f"{texts[0]}, for example"
        views.append(CaveatView(slug, example, figures.count(len(texts), owner)))
    return tuple(views)


def _local(document: Either) -> Iterable[tuple[Caveat, str]]:
    if isinstance(document, Document):
        yield from evidence.gathered(document)
    for one in document.benchmarks:
        yield from ((caveat, "benchmark") for caveat in one.caveats)
