"""The frame of all HTML pages: templates, style, script, security policy and closing section.

Each page is one file without external resources.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from reports import names, number_format
from reports.glossary import PageTerms
from reports.results import AuditSetting, MeasurementPlan

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
        circumstances=list_circumstances(document),
        host=tuple(document.host_facts.items()),
        plan=list_plan_facts(document),
        versions=(("bench-audit", document.bench_audit), *document.versions.items()),
        command=document.command,
        config=document.config,
        machine=busy.describe_machine(document.strain).capitalize(),
    )


def make_caveat_views(caveats: Iterable[Caveat]) -> Iterator[CaveatView]:
    """Yield caveats of the whole document, each as one line."""
    return (CaveatView(caveat.slug, names.escape_line(caveat.text), "") for caveat in caveats)


def list_circumstances(document: AuditSetting) -> Facts:
    """Return the language, harness, host and times of a measurement, if known."""
    facts = (
        ("Language", document.language),
        ("Harness", document.harness),
        ("Host", document.host),
        ("Started", document.started),
        ("Ended", document.ended),
    )
    return tuple((name, value) for name, value in facts if value)


def list_plan_facts(document: AuditSetting) -> Facts:
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
