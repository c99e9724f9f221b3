"""A library whose clients are traced."""

from auditor.core.errors import SubjectError, UsageError
from auditor.core.request import BuildOptions, ClientSpec, JarSpec, MavenSpec, SubjectSpec
from auditor.languages.model import (
    Machine,
    PlacedLibrary,
    ReadyClient,
)
from auditor.languages.registry import LANGUAGES
from runners.subjects.place import place_subject
from runners.subjects.placed import MARKS, PlacedSubject


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
