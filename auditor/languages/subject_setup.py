"""A subject made ready on a host, where its trials are run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.config import Config
from auditor.core.errors import UsageError
from auditor.core.ports import Clock
from auditor.languages.model import LanguageSupport, Machine, ReadyProject
from auditor.languages.registry import LANGUAGES, LanguageRegistry
from auditor.warmup.stop_rules import WatcherFactory
from runners.hosts.reference_workload import LoopTiming
from runners.subjects.placed import KINDS, MARKS, PlacedSubject
from runners.subjects.survey import find_suites, list_suites
from runners.trial import TrialExecutor


@dataclass(frozen=True, slots=True)
class PreparedSubject:
    """What runs the trials of a subject, and what the subject was made of."""

    config: Config
    """The configuration, with the pace of the harness where it names none."""
    ready: ReadyProject
    language: LanguageSupport
    executor: TrialExecutor


def prepare_subject(
    config: Config,
    placed: PlacedSubject,
    machine: Machine,
    clock: Clock,
    loop: Callable[[], LoopTiming],
) -> PreparedSubject:
    """Make a placed subject ready; raises an AuditError where that fails."""
    ready, language = prepare_project(config, placed, machine)
    config = config.at_pace(language.harnesses[ready.project.harness].pace)
    executor = TrialExecutor(
        project=ready.project,
        launcher=ready.harness,
        host=machine.host,
        builds=machine.home.make_builds_folder(ready.project.digest),
        writes=ready.writes,
        clock=clock,
        watchers=WatcherFactory(config.model),
        loop=loop,
        elsewhere=machine.elsewhere,
        # The rule `paper` compares processes of the suite with such as are slowed, and so alone.
        may_share=not config.request.is_fixed,
    )
    return PreparedSubject(config, ready, language, executor)


def prepare_project(
    config: Config, placed: PlacedSubject, machine: Machine, languages: LanguageRegistry = LANGUAGES
) -> tuple[ReadyProject, LanguageSupport]:
    """Make a project of a placed subject; raises an AuditError where that fails."""
    name = harness_of(config, placed, languages)
    if not name:
        raise UsageError(
            f"{placed.name} is not a project that bench-audit supports: there is no {MARKS} in its "
            "folder; name the folder that has one"
        )
    language = languages.of_harness(name)
    if language is None:
        names = ", ".join(sorted(languages.harnesses))
        raise UsageError(f"unknown harness {name!r}; known: {names}")
    ready = language.harnesses[name].prepare(config.subject, placed, config, machine)
    is_choice = config.harness is None and _packaged_language(config, languages) is None
    if is_choice and (note := other_suites_note(placed.tree, name, language)):
        project = replace(ready.project, notes=(*ready.project.notes, note))
        ready = replace(ready, project=project)
    return ready, language


def harness_of(
    config: Config, placed: PlacedSubject, languages: LanguageRegistry = LANGUAGES
) -> str:
    """Return the harness that the configuration names or the sources use; empty without one."""
    if config.harness:
        return config.harness
    language = _packaged_language(config, languages)
    if language is None:
        language = languages.of_suite(placed.tree)
    return language.choose_harness(placed.tree) if language else ""


def _packaged_language(config: Config, languages: LanguageRegistry) -> LanguageSupport | None:
    """Return the language of a package without build files, None for all other subjects."""
    language = languages.of_subject(config.subject)
    is_package = language and isinstance(config.subject, language.package_types)
    return language if is_package else None


def other_suites_note(tree: Path, harness: str, language: LanguageSupport) -> str:
    """Return a note that names the suites of other languages, empty where there are none."""
    foreign_suites = find_suites(tree, *(kind for kind in KINDS if kind != language.kind))
    if not foreign_suites:
        return ""
    return (
        f"auditing the {harness} suite; other suites: {list_suites(foreign_suites)}; choose with "
        "--harness, or name the folder"
    )
