"""A process to be started, how it ended, and the machine it ran on."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path


def _goes_on(_seconds: float, _lasted: float) -> float | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Follow:
    """What of a process is looked at while it runs, and what ends it before its work is done.

    `read` is handed what is appended to the file `path` (None: what is written to the standard
    output) as it comes, and returns the iterations in it: the seconds of an operation, and how
    many seconds the iteration lasted. `judge` is asked of each. It returns None while the process
    is to go on, else how many seconds it gets to end by itself: the file `enough` is made then,
    and the process looks for it. Where there is no such file it is ended at once.
    """

    read: Callable[[bytes], Iterable[tuple[float, float]]]
    judge: Callable[[float, float], float | None] = _goes_on
    path: Path | None = None
    enough: Path | None = None

    def take(self, data: bytes) -> float | None:
        """Return what `judge` says of the first iteration that is enough, None without one."""
        graces = (self.judge(*iteration) for iteration in self.read(data))
        return next((grace for grace in graces if grace is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One process. The environment is all it gets; nothing is inherited.

    `files` are written before it starts, `collects` are read after it ended (missing ones are
    absent from the answer). Paths are absolute, or relative to `cwd`. Of either stream, at most
    `output_limit` bytes are kept: the first half and the last half. Where `follow` is given, the
    process may be ended as soon as it has shown enough. `makes` is a program that it makes and that
    runs by itself, so that one which the same call has made on a machine like this one will do.
    `builds` tells that tools run and no code of the subject, so that it may write to the caches
    that others are built with.
    """

    argv: tuple[str, ...]
    cwd: Path
    environment: tuple[tuple[str, str], ...]
    timeout_seconds: float
    files: tuple[tuple[Path, bytes], ...] = field(default=(), repr=False)
    collects: tuple[Path, ...] = ()
    output_limit: int = 8_000_000
    follow: Follow | None = field(default=None, compare=False, repr=False)
    makes: Path | None = None
    builds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HostInterference:
    """What kept a machine from its work while a process ran, as shares of time; None: not known.

    `stolen`: of all processors' time, what another virtual machine had. `waited`: of the process's
    time, when some task of the machine was ready and had no processor. `throttled`: when our
    control group had used up what it may use. `hot`: when the processor that was hindered most was
    slower than it can be, as it was too hot.
    """

    stolen: float | None = None
    waited: float | None = None
    throttled: float | None = None
    hot: float | None = None
    others: float | None = None
    """Share of all processors' time that processes had which are not ours."""

    @classmethod
    def together(cls, parts: Iterable[tuple[float, "HostInterference"]]) -> "HostInterference":
        """Return that of several processes, given how many seconds each took."""
        known = [(lasted, asdict(interference)) for lasted, interference in parts]
        return cls(**{one.name: _mean(one.name, known) for one in fields(cls)})


def _mean(name: str, parts: Iterable[tuple[float, Mapping[str, float | None]]]) -> float | None:
    found = [(lasted, one[name]) for lasted, one in parts]
    known = [(lasted, value) for lasted, value in found if value is not None]
    total = sum(lasted for lasted, _ in known)
    return sum(lasted * value for lasted, value in known) / total if total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How a process ended: `exit_code` is None when our watchdog ended it, negative for a signal.

    `truncated` tells that output was dropped because of `output_limit`. `enough` tells that it was
    told to end since it had shown enough; where it was then made to, the code is 0. `exhausted`
    says what a limit of the host had no more of, where that has ended it or a part of it.
    """

    exit_code: int | None
    stdout: bytes = field(default=b"", repr=False)
    stderr: bytes = field(default=b"", repr=False)
    seconds: float = 0.0
    files: Mapping[Path, bytes] = field(default_factory=dict, repr=False)
    truncated: bool = False
    enough: bool = False
    exhausted: str = ""
    strain: HostInterference = field(default_factory=HostInterference)

    @property
    def timed_out(self) -> bool:
        """Tell whether the watchdog ended it."""
        return self.exit_code is None

    def tail(self, lines: int = 12) -> str:
        """Return the last lines of both streams, for a message."""
        both = self.stdout[-4000:] + b"\n" + self.stderr[-4000:]
        text = both.decode(errors="replace").strip().splitlines()
        return "\n".join(line[:300] for line in text[-lines:])


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What must be equal for two runs to be comparable; "unknown" is a value of its own.

    `name` tells machines apart; `facts` are sorted pairs such as ("cpu", "…"), ("cores", "2"),
    ("governor", "unknown").
    """

    name: str
    facts: tuple[tuple[str, str], ...] = ()


NOWHERE = HostFacts("unknown")
"""The machine, where nobody names it."""
