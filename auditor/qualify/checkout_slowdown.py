"""A method slowed in the sources themselves, for programs that are built and run by somebody else.

What the guests are told while we measure is written into them here. Where no benchmark has told
how many turns of the loop a slowdown is, the clock decides in place: that is right for methods of
microseconds, and too little for shorter ones, as it takes time itself.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.contracts.qualify import CheckoutVersion, GateSubject
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.subject import Method
from auditor.languages.model import LanguageSupport, PatchedFiles, SourcePatch
from auditor.measure.context import StudyContext


def make_delay(subject: GateSubject, factor: float, *, waits: bool) -> Delay:
    """Return what makes a method take `factor` times as long, or waits alike for no time at all.

    A factor of 1 is that of pairs that are alike.
    """
    injected_delay = (
        subject.find_delay(factor) if factor != 1.0 else next(iter(subject.injected), None)
    )
    delay = injected_delay.delay if injected_delay else Delay(InjectionKind.SPIN, factor - 1.0)
    return delay if waits and factor != 1.0 else replace(delay, number=0.0)


@dataclass(frozen=True, slots=True)
class SourcePatcher:
    """Patches a method of a project in its sources."""

    method: Method
    guarded: bool
    """Whether nested calls of the method add no further delay."""
    context: StudyContext
    language: LanguageSupport

    def patch_method(
        self, delay_of_calls: Delay, trace: Path, version: CheckoutVersion
    ) -> PatchedFiles:
        """Return the files to write into a checkout; its code leaves a file named by its version.

        Raises SubjectError where the method cannot be slowed in its source.
        """
        context = self.context
        return self.language.patch(
            SourcePatch(
                project=context.project,
                sources=context.suite.sources,
                mutator=context.mutator,
                method=self.method,
                guarded=self.guarded,
                delay=delay_of_calls,
                trace=str(trace / version),
            )
        )
