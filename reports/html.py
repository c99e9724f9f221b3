"""The frame of all HTML pages: templates, style, script, security policy and closing section.

Each page is one file without external resources.

A page lists the special terms that it uses, with their meanings, in its last section. Each use is a
link to that list, which the page's script also shows beside the term.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from reports import names, number_format
from reports.results import AuditSetting, MeasurementPlan


@dataclass(frozen=True, slots=True)
class Term:
    """A concept of the vocabulary."""

    name: str
    meaning: str  # for somebody who has read nothing else; no full stop at the end
    forms: tuple[str, ...] = ()  # other forms of the name, such as plurals

    @property
    def anchor(self) -> str:
        """Return the place in a page where the meaning stands."""
        return "term-" + re.sub(r"[^a-z]+", "-", self.name.lower()).strip("-")


TERMS = (
    Term(
        "A/A control",
        "a pair with a delay of zero; a detection there is a false positive",
        ("A/A", "control"),
    ),
    Term("absolute score", "the score without benchmarks whose spread exceeds 50 %"),
    Term(
        "accepted miss",
        "a method that needs no benchmark, with a reason; gates ignore it",
        ("accepted misses",),
    ),
    Term("achieved", "the slowdown that the method really had, measured in the slowed build"),
    Term("allocation", "memory that a call requests from the runtime", ("allocations",)),
    Term("arm", "what a block was measured with: unchanged code, or a delay", ("arms",)),
    Term("base", "the older of two compared revisions"),
    Term(
        "baseline result",
        "an earlier result; the gate fails if a method detected there is now missed",
    ),
    Term(
        "benchmark",
        "one benchmark function with one choice of parameters, or one leaf of sub-benchmarks",
        ("benchmarks",),
    ),
    Term("block", "a timed stretch of operations; JMH calls it an iteration", ("blocks",)),
    Term("borderline", "the effect may lie at the threshold; the verdict is the likelier one"),
    Term("budget", "a limit of time for the whole command"),
    Term("caveat", "a restriction of a number or a verdict", ("caveats",)),
    Term(
        "client",
        "a project that uses the subject; its tests show which methods are used",
        ("clients",),
    ),
    Term("CPU samples", "stacks taken at regular times, which show a method's share"),
    Term("dead code", "the compiler removed the call, so a slowdown cannot show"),
    Term("delay", "the time injected into a method", ("injected delay", "delays")),
    Term(
        "density curve",
        "how many methods a number of benchmarks detects, the most useful benchmark first",
    ),
    Term(
        "detected",
        "a benchmark detects a method if its time shows the slowdown",
        ("detects", "detect"),
    ),
    Term("detection curve", "the number of methods detected at each size of slowdown"),
    Term("effect", "how much longer an operation takes with the slowed method, relative"),
    Term("evidence", "what a verdict rests on: CPU samples of the method, or an injected delay"),
    Term("external gate", "your own performance gate, audited by qualify"),
    Term("fork", "one process within a run", ("forks",)),
    Term("gate", "a pass or fail condition that sets the exit code", ("gates",)),
    Term("head", "the newer of two compared revisions"),
    Term("inconclusive", "the measurements do not decide", ("cannot tell",)),
    Term("interval", "a confidence interval: the true value lies in it with the stated confidence"),
    Term("method", "a function or method of the subject that is slowed", ("methods",)),
    Term(
        "minimal cover", "benchmarks that keep the score, none of which can be left out", ("cover",)
    ),
    Term("missed", "a benchmark calls it, but does not detect it"),
    Term(
        "detects from",
        "the smallest slowdown of the method that a benchmark detects",
        ("visible from", "sees from"),
    ),
    Term(
        "operation",
        "one call of the benchmark body: JMH's operation, one of Go's b.N",
        ("operations",),
    ),
    Term("p", "how likely an effect of this size is if both arms are equally fast"),
    Term("pair", "one method with one benchmark", ("pairs",)),
    Term("regression", "a benchmark got slower, and fresh runs confirm it", ("regressions",)),
    Term("relative score", "the score without the 5 % of benchmarks whose spread is largest"),
    Term("round", "a compared triple of processes: base, base again, head", ("rounds",)),
    Term("score", "the percentage of methods that some benchmark detects"),
    Term("seed", "the start of all random choices; the same seed repeats them"),
    Term("set-up only", "called before or after the timed loop only, so it does not count"),
    Term("share", "the part of an operation's time that a method takes"),
    Term(
        "slowdown",
        "a relative increase of a method's time; 60 % means 1.6 times as long",
        ("slowdowns",),
    ),
    Term("speed-up", "the time of the old version divided by that of the new one"),
    Term(
        "spread",
        "(largest \N{MINUS SIGN} smallest run mean) / overall mean, of unchanged code",
        ("spreads",),
    ),
    Term(
        "steady state",
        "the part of a series after which the level no longer changes",
        ("steady", "warm"),
    ),
    Term("subject", "the audited code: a folder, a git revision, a published module or artifact"),
    Term(
        "suite run",
        "every benchmark once, each in a fresh process",
        ("run of the suite", "suite runs"),
    ),
    Term("threshold", "the effect that a detection must exceed"),
    Term("total score", "the score with all benchmarks"),
    Term("unmeasured", "no process ran, for example because the budget ended"),
    Term("unreached", "no benchmark calls the method in its measured loop"),
    Term("warm-up", "the blocks before the measured ones"),
)
"""One list for all pages, in the order in which they show it."""

_BY_FORM = {form.lower(): term for term in TERMS for form in (term.name, *term.forms)}
_UNMARKED_FORMS = {
    "p",
    "method",
    "methods",
    "benchmark",
    "benchmarks",
    "base",
    "head",
    "warm",
    "steady",
}
"""Too short, or too common, to be marked in a sentence."""
_FORM_PATTERN = re.compile(
    r"(?<![\w./-])("
    + "|".join(
        re.escape(form) for form in sorted(set(_BY_FORM) - _UNMARKED_FORMS, key=len, reverse=True)
    )
    + r")(?![\w/-]|\.\w)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class PageTerms:
    """The terms that a page has used so far."""

    _used: set[str] = field(default_factory=set)

    def link(self, form: str, text: str = "") -> Markup:
        """Return a link to a term by one of its forms; `text` is written in place of the form."""
        term = _BY_FORM[form.lower()]
        self._used.add(term.name)
        return Markup('<a class="term" href="#{0}" aria-describedby="{0}">{1}</a>').format(
            term.anchor, text or form
        )

    def mark(self, text: str) -> Markup:
        """Return a sentence in which the first use of each term is a link."""
        markup, linked_names, end = Markup(""), set[str](), 0
        sentence = names.escape_invisible(text)
        for match in _FORM_PATTERN.finditer(sentence):
            name = _BY_FORM[match[0].lower()].name
            if name not in linked_names:
                linked_names.add(name)
                markup += escape(sentence[end : match.start()]) + self.link(match[0])
                end = match.end()
        return markup + escape(sentence[end:])

    @property
    def used_terms(self) -> tuple[Term, ...]:
        """Return the terms that were used, in their order."""
        return tuple(term for term in TERMS if term.name in self._used)


_LOADER = PackageLoader("reports", "templates")
Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CaveatView:
    """A caveat in the closing section."""

    slug: str
    text: str
    scope: str  # number of methods, pairs or benchmarks that have it; empty: the whole result


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingSection:
    """The last section of a page."""

    caveats: tuple[CaveatView, ...]  # of the result
    circumstances: Facts  # language, harness, host and times of the measurement
    host: Facts  # facts about the machine
    plan: Facts  # how much was measured
    versions: Facts  # of the tools
    command: str  # that repeats it all
    config: str  # the configuration; empty: there was none
    machine: str  # why the machine was busy; empty: it was not


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """The verdict of a command's gates."""

    kind: str  # verdict, as a style
    glyph: str
    title: str  # verdict in words
    exit_code: str  # exit code of the command, and why it is not that of the verdict
    lines: tuple[str, ...]  # what each gate says


_VERDICT_STYLES = {
    Exit.OK: ("detected", "✓", "Gate passed"),
    Exit.GATE_FAILED: ("crashed", "✗", "Gate failed"),
    Exit.NO_VERDICT: ("inconclusive", "?", "No verdict"),
}


def make_gate_view(verdict: Exit, exit_code: Exit, lines: Sequence[str]) -> GateView | None:
    """Return what the gates of a command said; None where none said anything.

    `exit_code` differs from that of the verdict if the user has said what "undecided" is worth.
    """
    if not lines:
        return None
    kind, glyph, title = _VERDICT_STYLES[verdict]
    replacement_note = (
        "" if exit_code is verdict else f" in the place of {verdict:d}, by --inconclusive"
    )
    return GateView(
        kind=kind,
        glyph=glyph,
        title=title,
        exit_code=f"exit code {exit_code:d}{replacement_note}",
        lines=tuple(map(names.escape_line, lines)),
    )


def render_template(template: str, *, gate: GateView | None = None, **values: object) -> str:
    """Return a template of ours as text, with the style and the script that all pages share."""
    style, script = _read_template("page.css"), _read_template("page.js")
    return (
        _make_environment()
        .get_template(template)
        .render(
            **values,
            gate=gate,
            terms=PageTerms(),
            style=Markup(style),  # noqa: S704 - our own file
            style_digest=_hash_source(style),
            script=Markup(script),  # noqa: S704 - our own file
            script_digest=_hash_source(script),
        )
    )


def _hash_source(source: str) -> str:
    """Return the digest by which the page's security policy allows a style or a script."""
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


@cache
def _make_environment() -> Environment:
    return Environment(
        loader=_LOADER,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_escape_value,
    )


def _escape_value(value: object) -> object:
    """Return a value whose text has escapes in place of invisible characters."""
    return (
        names.escape_invisible(value)
        if isinstance(value, str) and type(value) is not Markup
        else value
    )


def _read_template(name: str) -> str:
    return _LOADER.get_source(_make_environment(), name)[0]


def build_closing(document: AuditSetting, caveats: Iterable[CaveatView]) -> ClosingSection:
    """Return the closing section of a document of any command."""
    return ClosingSection(
        caveats=tuple(caveats),
        circumstances=_list_circumstances(document),
        host=tuple(document.host_facts.items()),
        plan=_list_plan_facts(document),
        versions=(("bench-audit", document.bench_audit), *document.versions.items()),
        command=document.command,
        config=document.config,
        machine=busy.describe_machine(document.strain).capitalize(),
    )


def make_caveat_views(caveats: Iterable[Caveat]) -> Iterator[CaveatView]:
    """Yield caveats of the whole document, each as one line."""
    return (CaveatView(caveat.slug, names.escape_line(caveat.text), "") for caveat in caveats)


def _list_circumstances(document: AuditSetting) -> Facts:
    """Return the language, harness, host and times of a measurement, if known."""
    facts = (
        ("Language", document.language),
        ("Harness", document.harness),
        ("Host", document.host),
        ("Started", document.started),
        ("Ended", document.ended),
    )
    return tuple((name, value) for name, value in facts if value)


def _list_plan_facts(document: AuditSetting) -> Facts:
    """Return the plan of a measurement: numbers of runs, forks and blocks."""
    plan = document.plan
    facts = (
        ("runs of each pair", plan.runs),
        ("runs of the suite", plan.stability_runs),
        ("forks per run", plan.forks),
        ("warm-up blocks", plan.warmup),
        ("blocks per arm", plan.iterations),
        ("time of a block", _format_block_time(plan)),
        ("way to wait", plan.wait),
        ("seed", document.seed),
    )
    return tuple(
        (name, number_format.NO_VALUE if value is None else str(value)) for name, value in facts
    )


def _format_block_time(plan: MeasurementPlan) -> str | None:
    length, longest = plan.iteration_seconds, plan.longest_seconds
    if length is None or longest is None or longest <= length:
        return number_format.format_seconds(length)
    longest_text = number_format.format_seconds(longest)
    return f"{number_format.format_seconds(length)}, up to {longest_text} where code allocates"
