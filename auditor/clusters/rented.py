"""Machines that are rented for one audit, by any class that Dask's projects have for it."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from io import StringIO
from math import isfinite
from typing import Any

from auditor.core.caveats import Caveat
from auditor.core.errors import MachineError, ToolMissing
from auditor.core.hosts import RentedSpec
from auditor.core.ports import Clock
from runners.rented.ledger import ID, Ledger, Note

_CLOSE_SECONDS = 60.0
_UNDO_SECONDS = 5.0
"""One that could not be started has closed itself, and may not know how to do it twice."""
_SECRET = re.compile(r"secret|token|passw|credential|(?:^|_)key(?:$|_)", re.IGNORECASE)
_AGAIN_SECONDS = 60.0
"""How often machines are asked for that were lost."""


class RentedCluster:
    """A scheduler and workers that are ours for a while."""

    def __init__(self, made: Any, loop: Any, spec: RentedSpec, clock: Clock, begun: float) -> None:
        """Take a cluster of Dask, the loop it runs in, and when its first machine was asked for."""
        self._made = made
        self._loop = loop
        self._asked = spec
        self._clock = clock
        self._begun = begun
        self._scaled = clock.monotonic()

    @property
    def address(self) -> str:
        """Return that of the scheduler."""
        return str(self._made.scheduler_address)

    @property
    def security(self) -> Any:
        """Return what a client needs to be let in, None for nothing."""
        return getattr(self._made, "security", None)

    def require(self) -> None:
        """Have lost machines replaced; raises MachineError where the ceiling is reached."""
        now = self._clock.monotonic()
        if self.left < 0:
            raise self.over()
        if self._asked.workers and now - self._scaled > _AGAIN_SECONDS:
            self._scaled = now
            self._loop.add_callback(self._made.scale, self._asked.workers)

    @property
    def left(self) -> float:
        """Return for how many seconds they may still be used."""
        return self._begun + self._asked.most_seconds - self._clock.monotonic()

    def over(self) -> MachineError:
        """Return what is raised where the ceiling is reached."""
        return _over(self.spent())

    def spent(self) -> str:
        """Return what was rented for how long, and what that costs."""
        return _spent(self._asked, self._clock.monotonic() - self._begun)


@contextmanager
def rented(
    spec: RentedSpec, ledger: Ledger, clock: Clock, told: Callable[[Caveat], None]
) -> Iterator[RentedCluster]:
    """Give machines that are gone afterwards; those of killed auditors are removed before.

    Raises MachineError, and ToolMissing where the class is not installed.
    """
    kind = _kind(spec.cluster)
    ledger.clean(lambda note, machines: _said(note, machines, told))
    begun = clock.monotonic()
    with ledger.renting(spec) as number, _running(kind, spec, number, told) as running:
        cluster = RentedCluster(*running, spec, clock, begun)
        try:
            yield cluster
        finally:
            told(Caveat("rented", f"rented: {cluster.spent()}"))


@contextmanager
def _running(
    kind: Callable[..., Any], spec: RentedSpec, number: str, told: Callable[[Caveat], None]
) -> Iterator[tuple[Any, Any]]:
    """Give a cluster, and the loop that it runs in."""
    from distributed.utils import LoopRunner  # noqa: PLC0415 an extra, and slow to import

    made = _Made(kind, spec, number)
    runner = LoopRunner(asynchronous=False)
    runner.start()
    try:
        with redirect_stdout(StringIO()):  # where results are, and these classes print
            most = spec.most_seconds if isfinite(spec.most_seconds) else None
            try:
                found = runner.run_sync(made.start, callback_timeout=most)
            except TimeoutError as error:
                raise _over(_spent(spec, spec.most_seconds)) from error
        yield found, runner.loop
    finally:
        try:
            patience = _CLOSE_SECONDS if made.there else _UNDO_SECONDS
            runner.run_sync(made.close, callback_timeout=patience)
        except Exception as error:  # what it leaves is listed, and removed, after this
            if not spec.listed_by:
                told(Caveat("rented-open", f"{spec.cluster} did not close: {error!r}"))
        runner.stop()


class _Made:
    """A cluster in the loop that it lives in."""

    def __init__(self, kind: Callable[..., Any], spec: RentedSpec, number: str) -> None:
        self._kind = kind
        self._asked = spec
        self._number = number
        self._made: Any = None
        self.there = False

    async def start(self) -> Any:
        """Return it when its scheduler answers; raises MachineError."""
        try:
            self._made = self._kind(asynchronous=True, **_filled(self._asked.options, self._number))
            self._made.quiet = True  # it would print later, too
            if hasattr(self._made, "uuid"):
                self._made.uuid = self._number  # of which dask-cloudprovider makes all names
            await self._made
            self.there = True
            if self._asked.workers is not None:
                self._made.scale(self._asked.workers)
        except Exception as error:  # whatever a cloud's library raises
            first = _first(error)
            text = _masked((str(first).splitlines() or [""])[0], self._asked.options)
            raise MachineError(
                f"{self._asked.cluster} cannot be started: {type(first).__name__}: {text}"
            ) from None  # the log would have its text
        return self._made

    async def close(self) -> None:
        """End it, also one that is only half there."""
        if self._made is not None:
            await self._made.close()


def _over(spent: str) -> MachineError:
    return MachineError(
        f"the ceiling of what is rented is reached ({spent}); what was measured is kept: repeat "
        "the command with a higher one"
    )


def _spent(spec: RentedSpec, seconds: float) -> str:
    text = f"{spec.cluster} for {seconds / 60:.0f} min"
    if spec.workers is None or spec.hourly is None:
        return text
    machines = spec.workers + 1
    cost = seconds / 3600 * spec.hourly * machines
    return f"{text}, {machines} machines: about {cost:.2f} at {spec.hourly:g} an hour each"


def _first(error: BaseException) -> BaseException:
    """Return what went wrong at first: to undo what there was may have failed for that reason."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


def _masked(text: str, options: Any) -> str:
    """Leave out what may be a secret: a library may quote what it was called with."""
    for secret in sorted(_secrets(options), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _secrets(value: Any, *, named: bool = False) -> Iterator[str]:
    """Yield the texts below keys whose names tell that they are none of anybody's business."""
    if isinstance(value, str):
        if named and value:
            yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _secrets(one, named=named or bool(_SECRET.search(str(key))))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _secrets(one, named=named)


def _kind(written: str) -> Callable[..., Any]:
    module, _, name = written.rpartition(".")
    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ToolMissing(
            f"{written} cannot be imported ({error}); install what has it, beside "
            '"bench-audit[cluster]"'
        ) from error
    return found


def _filled(value: Any, number: str) -> Any:
    """Put the name of an audit's machines wherever options ask for it."""
    if isinstance(value, str):
        return value.replace(ID, number)
    if isinstance(value, Mapping):
        return {key: _filled(one, number) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(one, number) for one in value]
    return value


def _said(note: Note, machines: tuple[str, ...], told: Callable[[Caveat], None]) -> None:
    text = (
        f"an audit that was killed had rented machines of {note.cluster} ({note.started}); "
        f"{len(machines)} were still there, and have been removed"
    )
    told(Caveat("rented-left", text))
