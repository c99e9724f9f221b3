"""A slowdown, and what is laid over an unchanged subject to have one."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from auditor.core.subject import Method


class InjectionKind(StrEnum):
    """How an injected delay passes its time (slowdown-injection.md).

    CLOCK does not wait: it measures the method's own time for the calibration. ALLOCATE does not
    either: it allocates.
    """

    SLEEP = "sleep"
    SPIN = "spin"
    WORK = "work"
    CLOCK = "clock"
    ALLOCATE = "allocate"


@dataclass(frozen=True, slots=True)
class Delay:
    """The number that a slowed method reads at run time; 0 is the probe.

    `number` is the relative slowdown v for SLEEP and SPIN, the turns of the loop for WORK, the
    bytes for ALLOCATE, and without meaning for CLOCK.
    """

    wait: InjectionKind
    number: float

    @property
    def counts_calls(self) -> bool:
        """Tell whether the guest counts the outermost calls as well."""
        return self.wait in (InjectionKind.CLOCK, InjectionKind.ALLOCATE)


class VariantKind(StrEnum):
    """What a variant of the subject is built for."""

    PLAIN = "plain"
    COUNTING = "counting"
    DELAYED = "delayed"
    TRACED = "traced"
    PROFILED = "profiled"


@dataclass(frozen=True, slots=True)
class Variant:
    """The subject as it is, with counters in methods, with a delay in one method, or traced.

    Traced are calls of methods, those from outside the library told from those inside it.
    PROFILED changes no method: only the benchmarks' timers tell the sampler when they run. A JVM
    keeps its methods out of line, so that their samples have frames of their own.

    `guarded` asks for a delay that a nested call of the same method does not repeat even where
    that costs a look-up per call (the reach map decides). `has_plain_blocks` keeps the unchanged
    method beside the delayed one, so that a process may have blocks of the arm PLAIN, too.
    """

    kind: VariantKind
    methods: tuple[Method, ...] = ()
    guarded: bool = False
    has_plain_blocks: bool = False


PLAIN = Variant(VariantKind.PLAIN)


@dataclass(frozen=True, slots=True)
class OverlayFile:
    """A file that a build or a guest sees in place of, or in addition to, the subject's.

    `canonical` is the text without what hangs on the other files of the overlay, such as the
    numbers of counters; None where nothing does.
    """

    path: str
    text: bytes = field(repr=False)
    canonical: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Overlay:
    """What makes a variant of the unchanged subject; no files and no instructions: the subject.

    `files` are relative to the project's root; `instructions` go to the guest in the process.
    """

    files: tuple[OverlayFile, ...] = ()
    instructions: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Return a digest of the content, hexadecimal."""
        return _digest_overlay(self)

    def digest_without(self, left_out: Collection[str]) -> str:
        """Return a digest of what a program sees that has none of the files `left_out`.

        Files that the subject does not have are in any program. Instructions tell what to build,
        and are no part of it. Unlike `digest`, it is the same whatever else is laid over.
        """
        sha = hashlib.sha256()
        for file in self.files:
            if file.path not in left_out:
                text = file.text if file.canonical is None else file.canonical
                sha.update(f"{file.path}\0{len(text)}\0".encode())
                sha.update(text)
        return sha.hexdigest()[:24]


@lru_cache(maxsize=256)
def _digest_overlay(overlay: Overlay) -> str:
    """Return the digest of an overlay, which each id of its trials has in it."""
    sha = hashlib.sha256()
    for file in overlay.files:
        sha.update(f"{file.path}\0{len(file.text)}\0".encode())
        sha.update(file.text)
    for line in overlay.instructions:
        sha.update(line.encode() + b"\0")
    return sha.hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class OverlayRefusal:
    """Why a variant of a method cannot be made."""

    reason: str
