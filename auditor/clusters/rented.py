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
from runners.rented.ledger import ID, RentalLedger, RentalNote

_CLOSE_SECONDS = 60.0
_UNDO_SECONDS = 5.0
"""One that could not be started has closed itself, and may not know how to do it twice."""
_SECRET = re.compile(r"secret|token|passw|credential|(?:^|_)key(?:$|_)", re.IGNORECASE)
_AGAIN_SECONDS = 60.0
"""How often machines are asked for that were lost."""


class RentedCluster:
    """A scheduler and workers that are ours for a while."""

    def __init__(
        self, cluster: Any, loop: Any, spec: RentedSpec, clock: Clock, start_time: float
    ) -> None:
        """Take a cluster of Dask, the loop it runs in, and when its first machine was asked for."""
        self._cluster = cluster
        self._loop = loop
        self._asked = spec
        self._clock = clock
        self._begun = start_time
        self._scaled = clock.monotonic()

    @property
    def scheduler_address(self) -> str:
        """Return that of the scheduler."""
        return str(self._cluster.scheduler_address)

    @property
    def security(self) -> Any:
        """Return what a client needs to be let in, None for nothing."""
        return getattr(self._cluster, "security", None)

    def replace_lost_machines(self) -> None:
        """Have lost machines replaced; raises MachineError where the ceiling is reached."""
        now = self._clock.monotonic()
        if self.remaining_seconds < 0:
            raise self.make_ceiling_error()
        if self._asked.workers and now - self._scaled > _AGAIN_SECONDS:
            self._scaled = now
            self._loop.add_callback(self._cluster.scale, self._asked.workers)

    @property
    def remaining_seconds(self) -> float:
        """Return for how many seconds they may still be used."""
        return self._begun + self._asked.most_seconds - self._clock.monotonic()

    def make_ceiling_error(self) -> MachineError:
        """Return what is raised where the ceiling is reached."""
        return _make_ceiling_error(self.describe_cost())

    def describe_cost(self) -> str:
        """Return what was rented for how long, and what that costs."""
        return _format_cost(self._asked, self._clock.monotonic() - self._begun)


@contextmanager
def rent_cluster(
    spec: RentedSpec, ledger: RentalLedger, clock: Clock, report_caveat: Callable[[Caveat], None]
) -> Iterator[RentedCluster]:
    """Give machines that are gone afterwards; those of killed auditors are removed before.

    Raises MachineError, and ToolMissing where the class is not installed.
    """
    kind = _import_cluster_class(spec.cluster)
    ledger.remove_leftovers(lambda note, machines: _report_leftovers(note, machines, report_caveat))
    start_time = clock.monotonic()
    with (
        ledger.open_rental(spec) as number,
        _run_cluster(kind, spec, number, report_caveat) as running,
    ):
        cluster = RentedCluster(*running, spec, clock, start_time)
        try:
            yield cluster
        finally:
            report_caveat(Caveat("rented", f"rented: {cluster.describe_cost()}"))


@contextmanager
def _run_cluster(
    kind: Callable[..., Any], spec: RentedSpec, number: str, report_caveat: Callable[[Caveat], None]
) -> Iterator[tuple[Any, Any]]:
    """Give a cluster, and the loop that it runs in."""
    from distributed.utils import LoopRunner  # noqa: PLC0415 an extra, and slow to import

    loop_cluster = _LoopCluster(kind, spec, number)
    runner = LoopRunner(asynchronous=False)
    runner.start()
    try:
        with redirect_stdout(StringIO()):  # where results are, and these classes print
            most = spec.most_seconds if isfinite(spec.most_seconds) else None
            try:
                dask_cluster = runner.run_sync(loop_cluster.start, callback_timeout=most)
            except TimeoutError as error:
                raise _make_ceiling_error(_format_cost(spec, spec.most_seconds)) from error
        yield dask_cluster, runner.loop
    finally:
        try:
            patience = _CLOSE_SECONDS if loop_cluster.there else _UNDO_SECONDS
            runner.run_sync(loop_cluster.close, callback_timeout=patience)
        except Exception as error:  # what it leaves is listed, and removed, after this
            if not spec.listed_by:
                report_caveat(
                    Caveat(
                        "rented-open",
                        f"{spec.cluster} did not close: {error!r}; end its Dask processes",
                    )
                )
        runner.stop()


class _LoopCluster:
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
            self._made = self._kind(
                asynchronous=True, **_fill_options(self._asked.options, self._number)
            )
            self._made.quiet = True  # it would print later, too
            if hasattr(self._made, "uuid"):
                self._made.uuid = self._number  # of which dask-cloudprovider makes all names
            await self._made
            self.there = True
            if self._asked.workers is not None:
                self._made.scale(self._asked.workers)
        except Exception as error:  # whatever a cloud's library raises
            first = _find_first_error(error)
            text = _mask_secrets((str(first).splitlines() or [""])[0], self._asked.options)
            raise MachineError(
                f"{self._asked.cluster} cannot be started: {type(first).__name__}: {text}"
            ) from None  # the log would have its text
        return self._made

    async def close(self) -> None:
        """End it, also one that is only half there."""
        if self._made is not None:
            await self._made.close()


def _make_ceiling_error(spent: str) -> MachineError:
    return MachineError(
        f"the ceiling of what is rented is reached ({spent}); what was measured is kept: repeat "
        "the command with a higher one"
    )


def _format_cost(spec: RentedSpec, seconds: float) -> str:
    text = f"{spec.cluster} for {seconds / 60:.0f} min"
    if spec.workers is None or spec.hourly is None:
        return text
    machines = spec.workers + 1
    cost = seconds / 3600 * spec.hourly * machines
    return f"{text}, {machines} machines: about {cost:.2f} at {spec.hourly:g} an hour each"


def _find_first_error(error: BaseException) -> BaseException:
    """Return what went wrong at first: to undo what there was may have failed for that reason."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


def _mask_secrets(text: str, options: Any) -> str:
    """Leave out what may be a secret: a library may quote what it was called with."""
    for secret in sorted(_find_secrets(options), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _find_secrets(value: Any, *, named: bool = False) -> Iterator[str]:
    """Yield the texts below keys whose names tell that they are none of anybody's business."""
    if isinstance(value, str):
        if named and value:
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _find_secrets(item, named=named or bool(_SECRET.search(str(key))))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _find_secrets(item, named=named)


def _import_cluster_class(class_path: str) -> Callable[..., Any]:
    module, _, name = class_path.rpartition(".")
    try:
        cluster_class: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ToolMissing(
            f"{class_path} cannot be imported ({error}); install what has it, beside "
            '"bench-audit[cluster]"'
        ) from error
    return cluster_class


def _fill_options(value: Any, number: str) -> Any:
    """Put the name of an audit's machines wherever options ask for it."""
    if isinstance(value, str):
        return value.replace(ID, number)
    if isinstance(value, Mapping):
        return {key: _fill_options(item, number) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_fill_options(item, number) for item in value]
    return value


def _report_leftovers(
    note: RentalNote, machines: tuple[str, ...], report_caveat: Callable[[Caveat], None]
) -> None:
    text = (
        f"an earlier audit was killed and left machines of {note.cluster} rented "
        f"({note.started}); {len(machines)} were found and removed"
    )
    report_caveat(Caveat("rented-left", text))
