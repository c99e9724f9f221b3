"""The languages that the product knows: to add one, write its record and list it here."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import SubjectError, UsageError
from auditor.core.request import BuildOptions, ClientSpec, JarSpec, MavenSpec, SubjectSpec
from auditor.core.subject import Language
from auditor.languages.go import GO
from auditor.languages.java import JAVA
from auditor.languages.model import (
    HarnessSupport,
    LanguageSupport,
    Machine,
    PlacedLibrary,
    ReadyClient,
    split_at_last_dot,
)
from auditor.languages.python import PYTHON
from runners.subjects.place import place_subject
from runners.subjects.placed import MARKS, PlacedSubject
from runners.subjects.survey import choose_kind


@dataclass(frozen=True, slots=True)
class LanguageRegistry:
    """The records of languages, found by what the caller knows."""

    languages: tuple[LanguageSupport, ...]

    def __iter__(self) -> Iterator[LanguageSupport]:
        """Yield the records."""
        return iter(self.languages)

    @property
    def harnesses(self) -> dict[str, HarnessSupport]:
        """Return the harnesses of all languages by their names."""
        return {
            name: support for record in self.languages for name, support in record.harnesses.items()
        }

    def of_harness(self, name: str) -> LanguageSupport | None:
        """Return the language of a harness, None for an unknown harness."""
        return next((record for record in self.languages if name in record.harnesses), None)

    def of_suite(self, folder: Path) -> LanguageSupport | None:
        """Return the language whose suite is audited in a folder, None without a project."""
        kind = choose_kind(folder)
        return next((record for record in self.languages if record.kind == kind), None)

    def of_language(self, language: Language) -> LanguageSupport:
        """Return the record of a language."""
        return next(record for record in self.languages if record.language is language)

    def split_benchmark(self, benchmark: str, language: str) -> tuple[str, str]:
        """Return package or class of a benchmark's id, and the name in it."""
        splitters = (
            support.split_benchmark for support in self.languages if support.language == language
        )
        return next(splitters, split_at_last_dot)(benchmark)

    def of_subject(self, subject: SubjectSpec) -> LanguageSupport | None:
        """Return the language of a subject whose type tells it, None for folders and revisions."""
        return next(
            (record for record in self.languages if isinstance(subject, record.subject_types)), None
        )

    def language_of_harness(self, name: str) -> Language | None:
        """Return the name of a harness's language, None for an unknown harness."""
        record = self.of_harness(name)
        return record.language if record else None


LANGUAGES = LanguageRegistry((GO, JAVA, PYTHON))


class LibraryTracing:
    """A placed library, with what its language brings."""

    def __init__(self, subject: SubjectSpec, words: BuildOptions, machine: Machine) -> None:
        """Place the library; raises SubjectError for no project, UsageError without methods."""
        self._machine = machine
        placed_subject = self._place_subject(subject)
        is_maven = isinstance(subject, MavenSpec)
        language = (
            LANGUAGES.of_subject(subject) if is_maven else LANGUAGES.of_suite(placed_subject.tree)
        )
        if language is None or isinstance(subject, JarSpec):
            raise SubjectError(
                f"{placed_subject.name} is not a project: there is no {MARKS} in its folder"
            )
        self._tracing = language.tracing
        self.mutator = language.mutator
        self.library = self._tracing.library(placed_subject, machine, subject, words)
        self.stubs = self._tracing.stubs(self.library.project)
        self.notes = tuple(language.notes(self.library.sources))
        if not self.library.methods:
            raise UsageError(
                f"{placed_subject.name} has no public method to trace; name another library"
            )
        self._placed = PlacedLibrary(self.library, placed_subject)

    def prepare_client(self, spec: ClientSpec) -> ReadyClient:
        """Make a client ready; raises an AuditError where that fails."""
        placed_subject = self._place_subject(spec.subject)
        return self._tracing.client(spec, placed_subject, self._placed, self._machine)

    def _place_subject(self, subject: SubjectSpec) -> PlacedSubject:
        return place_subject(subject, **self._machine.preparation_arguments)
