"""The result as one HTML file that opens anywhere and asks nobody for anything."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reports import (
    advice,
    allocations,
    anchors,
    controls,
    evidence,
    figures,
    names,
    plots,
    suite,
    words,
)
from reports.anchors import Link
from reports.document import Caveat, Document, Either, Plan, Setting
from reports.environments import EnvironmentsView, environments
from reports.listed import listed
from reports.matrix import Matrix, matrix
from reports.scores import CurveView, ScoreView, noticed, scores

_LOADER = PackageLoader("reports", "templates")
Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TargetView:
    """What an advice is about, and why."""

    link: Link
    note: str


@dataclass(frozen=True, slots=True)
class StepView:
    """One thing to do."""

    slug: str
    title: str
    why: str
    gain: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsView:
    """What only an ABS audit has."""

    judged: str
    scores: tuple[ScoreView, ...]
    parts: tuple[PartView, ...]
    parts_plot: Markup = field(repr=False)
    kinds: Facts
    rules: Facts
    controls: str
    curve: CurveView | None
    matrix: Matrix
    axis: Markup = field(repr=False)
    scale: Markup = field(repr=False)
    methods: tuple[evidence.MethodView, ...]
    redundancy: suite.RedundancyView
    allocations: allocations.AllocationsView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What closes a page: what to know, where and how it was measured, how to do it again."""

    caveats: tuple[CaveatView, ...]
    circumstances: Facts
    host: Facts
    plan: Facts
    versions: Facts
    command: str
    config: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the template shows, in words."""

    subject: str
    headline: str
    abs: AbsView | None
    steps: tuple[StepView, ...]
    stability: suite.StabilityView
    environments: EnvironmentsView | None
    closing: Closing


def page(document: Either, beside: Sequence[Either] = ()) -> str:
    """Render a document; the same document gives the same bytes.

    `beside` are results of the same suite on other machines.
    """
    return rendered("page.html.j2", page=view(document, beside))


def rendered(template: str, **values: object) -> str:
    """Render a template of ours, with the style and the script of all pages."""
    style, script = _source("page.css"), _source("page.js")
    return (
        _environment()
        .get_template(template)
        .render(
            **values,
            style=Markup(style),  # noqa: S704 - our own file
            style_digest=_digest(style),
            script=Markup(script),  # noqa: S704 - our own file
            script_digest=_digest(script),
        )
    )


def _digest(source: str) -> str:
    """Return what the page's security policy knows a style or a script by."""
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    return Environment(
        loader=_LOADER,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_seen,
    )


def _seen(value: object) -> object:
    """Let nothing from a subject reach the page that a reader would not see."""
    return names.seen(value) if isinstance(value, str) and type(value) is not Markup else value


def _source(name: str) -> str:
    return _LOADER.get_source(_environment(), name)[0]


def view(document: Either, beside: Sequence[Either] = ()) -> Page:
    """Put a document into words."""
    return Page(
        subject=words.subject(document),
        headline=words.headline(document),
        abs=_abs(document) if isinstance(document, Document) else None,
        steps=_steps(document),
        stability=suite.stability(document),
        environments=environments(document, beside),
        closing=closing(document, _caveats(document)),
    )


def closing(document: Setting, caveats: Iterable[CaveatView]) -> Closing:
    """Return what closes the page of a document, whatever it is the answer to."""
    return Closing(
        caveats=tuple(caveats),
        circumstances=circumstances(document),
        host=tuple(document.host_facts.items()),
        plan=plan(document),
        versions=(("bench-audit", document.bench_audit), *document.versions.items()),
        command=document.command,
        config=document.config,
    )


def of_whole(caveats: Iterable[Caveat]) -> Iterator[CaveatView]:
    """Yield caveats that are of the whole document, each as one line."""
    return (CaveatView(one.slug, names.line(one.text), "") for one in caveats)


def circumstances(document: Setting) -> Facts:
    """Return where and when it was measured."""
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


def plan(document: Setting) -> Facts:
    """Return how much was measured."""
    plan = document.plan
    known = (
        ("runs of each pair", plan.runs),
        ("runs of the suite", plan.stability_runs),
        ("forks per run", plan.forks),
        ("warm-up blocks", plan.warmup),
        ("blocks per arm", plan.iterations),
        ("time of a block", _block(plan)),
        ("way to wait", plan.wait),
        ("seed", document.seed),
    )
    return tuple((name, figures.NONE if value is None else str(value)) for name, value in known)


def _abs(document: Document) -> AbsView:
    chosen = listed(document)
    counts = Counter((words.kind(one), words.word(one)) for one in document.methods)
    met = sorted(counts.items(), key=lambda part: words.LEGEND.index(part[0][1]))
    parts = tuple(PartView(kind, word, count) for (kind, word), count in met)
    return AbsView(
        judged=words.judged(document),
        scores=scores(document),
        parts=parts,
        parts_plot=plots.parts([(part.kind, part.count) for part in parts]),
        kinds=tuple((part.kind, part.word.word) for part in parts),
        rules=tuple((rule.name, str(rule.covered)) for rule in document.rules),
        controls=controls.told(document.controls),
        curve=noticed(document),
        matrix=matrix(document, chosen.places),
        axis=plots.forest_axis(),
        scale=plots.scale(),
        methods=evidence.methods(document, chosen),
        redundancy=suite.redundancy(document),
        allocations=allocations.view(document),
    )


def _steps(document: Either) -> tuple[StepView, ...]:
    known = dict(anchors.benchmarks(document))
    if isinstance(document, Document):
        known |= anchors.methods(document)
    return tuple(
        StepView(
            step.slug,
            step.title,
            step.why,
            step.gain,
            tuple(TargetView(anchors.link(known, each.id), each.note) for each in step.targets),
        )
        for step in advice.advice(document)
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
