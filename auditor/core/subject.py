"""The audited project, and the methods of it that can be slowed."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Language(StrEnum):
    """A language that some mutator reads."""

    GO = "go"
    JAVA = "java"
    PYTHON = "python"


class Role(StrEnum):
    """What a folder or archive of a project is for."""

    LIBRARY = "library"
    BENCHMARKS = "benchmarks"
    DEPENDENCY = "dependency"
    SOURCES = "sources"


@dataclass(frozen=True, slots=True)
class Part:
    """A folder or archive (jar) of a project, by what it is for."""

    role: Role
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A subject made ready in a folder of ours; the user's own copy is never used.

    `digest` covers everything that is built: the tree, resolved dependencies, toolchain versions.
    `environment` is the whole environment that its processes get, `versions` are those of the
    tools that build and run it.
    """

    name: str
    revision: str
    language: Language
    harness: str
    root: Path
    digest: str
    parts: tuple[Part, ...]
    environment: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    def paths(self, *roles: Role) -> tuple[Path, ...]:
        """Return the parts that have one of `roles`, in their order."""
        return tuple(part.path for part in self.parts if part.role in roles)


class SourceRole(StrEnum):
    """Whether a source belongs to the library or to its benchmarks and tests.

    LEFT_OUT is the library's too, but not part of the build as it is set up.
    """

    LIBRARY = "library"
    BENCHMARKS = "benchmarks"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file that a mutator reads.

    `path` is relative to the project's root (POSIX); `unit` is the Go import path or the archive
    that the file belongs to. `text` is the file as it is: source text or class description.
    """

    path: str
    unit: str
    role: SourceRole
    text: bytes


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a source file, one-based, both ends included."""

    file: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A function or method of the library.

    `id` is what people write (`import/path.Type.Method`, `package.Type.method`, with `(Type,Type)`
    where it is overloaded). `descriptor` is what machines need to tell it apart (the JVM's
    `owner.name(descriptor)`; empty for Go). `refusal` says why it cannot be slowed.
    """

    language: Language
    id: str
    owner: str
    name: str
    parameters: tuple[str, ...]
    descriptor: str = ""
    public: bool = field(default=True, compare=False)
    span: Span | None = field(default=None, compare=False)
    refusal: str | None = field(default=None, compare=False)
