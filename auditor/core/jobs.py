"""A process to be started, how it ended, and the machine it ran on."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from math import fsum
from pathlib import Path


def _goes_on(_seconds: float, _lasted: float) -> float | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputMonitor:
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

    def judge_data(self, data: bytes) -> float | None:
        """Return what `judge` says of the first iteration that is enough, None without one."""
        graces = (self.judge(*iteration) for iteration in self.read(data))
        return next((grace for grace in graces if grace is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One process to run.

    Paths are absolute, or relative to `cwd`.
    """

    argv: tuple[str, ...]  # program and arguments
    cwd: Path  # its working directory
    environment: tuple[tuple[str, str], ...]  # all that it gets; nothing is inherited
    timeout_seconds: float  # until the watchdog ends it
    files: tuple[tuple[Path, bytes], ...] = field(default=(), repr=False)
    """Written before it starts."""
    collects: tuple[Path, ...] = ()  # read after it ended; missing ones are absent from the answer
    output_limit: int = 8_000_000  # bytes kept of either stream: the first half and the last half
    follow: OutputMonitor | None = field(default=None, compare=False, repr=False)
    """Ends the process as soon as it has shown enough; None: it runs to its end."""
    makes: Path | None = None
    """Program that it builds, which may be taken from a machine that ran the same call; None:
    none."""
    keeps_partial_results: bool = False
    """Whether what it has left is of use where it was ended before its work was done."""
    builds: bool = False
    """Whether only tools run and no code of the subject, so that it may write to shared caches."""


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
    foreign: float | None = None
    """Share of all processors' time that processes had which are not ours."""

    @classmethod
    def combine_processes(
        cls, parts: Iterable[tuple[float, "HostInterference"]]
    ) -> "HostInterference":
        """Return that of several processes, given how many seconds each took."""
        process_shares = [(seconds, asdict(interference)) for seconds, interference in parts]
        return cls(
            **{
                share_field.name: _average_share(share_field.name, process_shares)
                for share_field in fields(cls)
            }
        )


def _average_share(
    name: str, parts: Iterable[tuple[float, Mapping[str, float | None]]]
) -> float | None:
    weighted_values = [(seconds, shares[name]) for seconds, shares in parts]
    measured_values = [(seconds, value) for seconds, value in weighted_values if value is not None]
    # Sums that no order changes, so that a repeated audit says the same.
    total = fsum(seconds for seconds, _ in measured_values)
    return fsum(seconds * value for seconds, value in measured_values) / total if total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedProcess:
    """How a process ended."""

    exit_code: int | None
    """Negative: a signal; 0: it was ended because of `enough`; None: the watchdog ended it."""
    stdout: bytes = field(default=b"", repr=False)  # at most `output_limit` bytes
    stderr: bytes = field(default=b"", repr=False)  # at most `output_limit` bytes
    seconds: float = 0.0  # from start to end
    files: Mapping[Path, bytes] = field(default_factory=dict, repr=False)
    """Content of those that were collected."""
    truncated: bool = False  # whether output was dropped because of `output_limit`
    enough: bool = False  # whether it was told to end as it had shown enough
    exhausted: str = ""  # limit of the host that ended it or a part of it; empty: none
    strain: HostInterference = field(default_factory=HostInterference)
    """What kept the machine busy meanwhile."""

    @property
    def timed_out(self) -> bool:
        """Tell whether the watchdog ended it."""
        return self.exit_code is None

    def find_file(self, name: str) -> bytes:
        """Return the content of a collected file of this name, empty where there is none."""
        return next((content for path, content in self.files.items() if path.name == name), b"")

    def format_tail(self, lines: int = 12) -> str:
        """Return the last lines of both streams, for a message."""
        output = self.stdout[-4000:] + b"\n" + self.stderr[-4000:]
        text = output.decode(errors="replace").strip().splitlines()
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
