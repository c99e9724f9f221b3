"""A method slowed in the sources themselves, for programs that are built and run by somebody else.

What the guests are told while we measure is written into them here. Where no benchmark has told
how many turns of the loop a slowdown is, the clock decides in place: that is right for methods of
microseconds, and too little for shorter ones, as it takes time itself.
"""

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from auditor.core.contracts.qualify import Subject, Version
from auditor.core.errors import SubjectError
from auditor.core.mutant import Delay, InjectionKind, Kind, Overlay, Refused, Variant
from auditor.core.subject import Language, Method, Role
from auditor.measure.context import StudyContext
from mutators.go.mutator import FOLDER
from mutators.java.slowing import slow_method as java_slowed
from mutators.python.guest_call_edits import GUEST

PatchedFiles = Mapping[str, bytes]
"""Files by their paths in the project."""

_GO = """package {folder}

import "os"

func init() {{
{clock}	set("{wait}", {number!r})
	if file, err := os.Create({trace}); err == nil {{
		file.Close()
	}}
}}
"""
_PYTHON = """

{clock}set_arm("{wait}", {number!r})
try:
    open({trace!r}, "wb").close()
except OSError:
    pass
"""


def delay(of: Subject, factor: float, *, waits: bool) -> Delay:
    """Return what makes a method take `factor` times as long, or waits alike for no time at all.

    A factor of 1 is that of pairs that are alike.
    """
    injected = of.at(factor) if factor != 1.0 else next(iter(of.injected), None)
    found = injected.delay if injected else Delay(InjectionKind.SPIN, factor - 1.0)
    return found if waits and factor != 1.0 else replace(found, number=0.0)


@dataclass(frozen=True, slots=True)
class SourcePatcher:
    """A method that is to be slowed, guarded against nested calls or not, and its project."""

    method: Method
    guarded: bool
    parts: StudyContext

    def laid(self, wanted: Delay, trace: Path, version: Version) -> PatchedFiles:
        """Return what is written into a checkout; its code leaves a file named by its version.

        Raises SubjectError where the method cannot be slowed in its source.
        """
        parts, where = self.parts, str(trace / version)
        if parts.project.language is Language.JAVA:
            made = java_slowed(
                parts.suite.sources, self.method, guarded=self.guarded, delay=wanted, trace=where
            )
            return {posixpath.join(self._source_root(), path): text for path, text in made.items()}
        words = {"wait": str(wanted.wait), "trace": where}
        if parts.project.language is Language.GO:
            return _go(self._overlay(), wanted, words)
        return _python(self._overlay(), wanted, words)

    def _source_root(self) -> str:
        """Return the folder, as seen from the project's, below which the Java file is.

        Java's files are known by their paths in one of these, as in archives.
        """
        project, file = self.parts.project, self.method.span.file if self.method.span else ""
        root = next(path for path in project.paths(Role.SOURCES) if (path / file).is_file())
        return os.path.relpath(root, project.root)

    def _overlay(self) -> Overlay:
        variant = Variant(Kind.DELAYED, (self.method,), guarded=self.guarded)
        found = self.parts.mutator.overlay(self.parts.suite.sources, variant)
        if isinstance(found, Refused):
            raise SubjectError(f"{self.method.id} cannot be slowed: {found.reason}")
        return found


def _go(overlay: Overlay, wanted: Delay, words: Mapping[str, str]) -> PatchedFiles:
    found = {file.path: file.text for file in overlay.files}
    guest = next(
        posixpath.dirname(path) for path in found if posixpath.dirname(path).endswith(FOLDER)
    )
    trace = '"' + words["trace"].replace("\\", "\\\\").replace('"', '\\"') + '"'
    text = _GO.format(
        folder=FOLDER,
        wait=words["wait"],
        number=float(wanted.number),
        trace=trace,
        clock="" if wanted.wait is InjectionKind.WORK else "\tmeasureClock()\n",
    )
    return {**found, f"{guest}/fixed.go": text.encode()}


def _python(overlay: Overlay, wanted: Delay, words: Mapping[str, str]) -> PatchedFiles:
    """Put the guest into the package, so that it is installed with it, under a name of its own."""
    guest = files("runners.pybench").joinpath("guest", f"{GUEST}.py").read_bytes()
    number = int(wanted.number) if wanted.wait is InjectionKind.WORK else float(wanted.number)
    clock = "" if wanted.wait is InjectionKind.WORK else "measure_clock()\n"
    text = _PYTHON.format(wait=words["wait"], number=number, trace=words["trace"], clock=clock)
    units = {
        path: unit
        for _, unit, path in (
            line.split("\t") for line in overlay.instructions if line.startswith("module\t")
        )
    }
    found = {}
    for file in overlay.files:
        folder, package = posixpath.dirname(file.path), units[file.path].split(".")
        if posixpath.basename(file.path) != "__init__.py":
            package = package[:-1]
        name = ".".join((*package, GUEST))
        changed = file.text.replace(f"import {GUEST} as".encode(), f"import {name} as".encode(), 1)
        found[file.path] = changed
        found[posixpath.join(folder, f"{GUEST}.py")] = guest + text.encode()
    return found
