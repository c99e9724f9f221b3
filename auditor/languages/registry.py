"""The languages that the product knows: to add one, write its record and list it here."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auditor.core.request import SubjectSpec
from auditor.core.subject import Language
from auditor.languages.go import GO
from auditor.languages.java import JAVA
from auditor.languages.model import (
    HarnessSupport,
    LanguageSupport,
    split_at_last_dot,
)
from auditor.languages.python import PYTHON
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
