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
class BuildInputs:
    """What the benchmarks of a group are built of and may read, as a digest of it all.

    `files` are the sources compiled into their program, relative to the project's root (POSIX);
    None where nobody can tell.
    """

    digest: str
    files: frozenset[str] | None = field(default=None, repr=False)

    def may_contain(self, method: "Method") -> bool:
        """Tell whether the method may be part of the program; what is not cannot be called."""
        return self.files is None or method.span is None or method.span.file in self.files


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A subject made ready in a folder of ours; the user's own copy is never used."""

    name: str
    """Module path, folder or distribution."""
    revision: str
    """Commit or version; empty: unknown."""
    language: Language
    """Of the library."""
    harness: str
    """Benchmark framework."""
    root: Path
    """Top of the copy."""
    digest: str
    """Of everything that is built: the tree, resolved dependencies, toolchain versions."""
    parts: tuple[Part, ...]
    """Its folders and archives."""
    environment: tuple[tuple[str, str], ...]
    """The whole environment of its processes."""
    options: tuple[tuple[str, str], ...] = ()
    """(name, value) of how it is built and run."""
    versions: tuple[tuple[str, str], ...] = ()
    """Of the tools that build and run it."""
    content: str = ""
    """Digest of all that any process can be built of or may read; empty: that is `digest`."""
    closures: tuple[tuple[str, BuildInputs], ...] = field(default=(), repr=False)
    """Of the groups of benchmarks that have one of their own."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Which of several suites is taken: a line for people each."""
    requirements: tuple[str, ...] = field(default=(), compare=False)
    """How its environment was made: a line for people each."""

    @property
    def all_inputs(self) -> BuildInputs:
        """Return what all of it is built of and may read."""
        return BuildInputs(digest=self.content or self.digest)

    @property
    def input_digests(self) -> tuple[str, ...]:
        """Return the digests that trials of it may have."""
        return (self.all_inputs.digest, *(closure.digest for _, closure in self.closures))

    def find_group_inputs(self, group: str) -> BuildInputs:
        """Return what a group of benchmarks is built of and may read."""
        return dict(self.closures).get(group, self.all_inputs)

    def list_paths(self, *roles: Role) -> tuple[Path, ...]:
        """Return the parts that have one of `roles`, in their order."""
        return tuple(part.path for part in self.parts if part.role in roles)


class SourceRole(StrEnum):
    """Whether a source belongs to the library or to its benchmarks and tests.

    LEFT_OUT is the library's too, but not part of the build as it is set up. HELPER is code that
    benchmarks of a module of their own share. TESTS are those of a library outside the suite, so
    that benchmarks in them are not measured. PUBLIC is no file of the project: it tells the public
    names of the library, as what runs it shows them.
    """

    LIBRARY = "library"
    HELPER = "helper"
    BENCHMARKS = "benchmarks"
    TESTS = "tests"
    LEFT_OUT = "left-out"
    PUBLIC = "public"


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
    """A function or method of the library."""

    language: Language  # of its source
    id: str
    """What people write: `import/path.Type.Method`, `package.Type.method`, with `(Type,Type)`
    where it is overloaded."""
    owner: str  # package or type that holds it
    name: str  # without its owner
    parameters: tuple[str, ...]  # types of the parameters
    descriptor: str = ""
    """What machines tell it apart by: the JVM's `owner.name(descriptor)`; empty for Go; for
    Python the name of the definition where `id` is another one."""
    public: bool = field(default=True, compare=False)  # whether it is part of the API
    span: Span | None = field(default=None, compare=False)  # place in the source; None: unknown
    refusal: str | None = field(default=None, compare=False)
    """Why it cannot be slowed; None: it can."""
    keeps_original: bool = field(default=False, compare=False)
    """Whether its original body can stay beside the slowed version."""
    trivial: str | None = field(default=None, compare=False)
    """Why it cannot get slower, such as "it returns a field"; None where it can."""
    generic: bool = field(default=False, compare=False)
    """Whether it has type parameters (Go), so no benchmark can be generated for it."""
    aliases: tuple[str, ...] = field(default=(), compare=False)  # other public names of its code
    more_spans: tuple[Span, ...] = field(default=(), compare=False)
    """Places of its further definitions (Python): a branch, an implementation for another type."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return the places of all its definitions; none where its place is unknown."""
        return (() if self.span is None else (self.span,)) + self.more_spans
