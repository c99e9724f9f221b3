"""A file that says which machines are rented for an audit."""

import math
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from auditor.config import quantities, reading
from auditor.config.explaining import explain
from auditor.config.sections import VARIABLE, Duration, Name, Section
from auditor.core.errors import UsageError
from auditor.core.hosts import RentedSpec

_ID, _MACHINES = "{id}", "{machines}"
_OURS = ("dask.distributed.", "distributed.")
"""Classes of Dask itself rent nothing: they use machines that are there."""


class _Rented(Section, frozen=True, kw_only=True):
    """The content of a file that describes a rented cluster."""

    cluster: Annotated[str, Meta(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")]
    """Dotted name of the class of the cluster."""
    options: dict[str, Any] = msgspec.field(default_factory=dict)  # arguments of that class
    workers: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Number of machines; null: the options say it."""
    listed_by: tuple[Name, ...] = ()  # command that prints our machines
    removed_by: tuple[Name, ...] = ()  # command that ends them
    environment: tuple[Annotated[Name, Meta(pattern=VARIABLE)], ...] = ()
    """Variables that the commands and the class get."""
    hourly: Annotated[float, Meta(gt=0)] | None = None
    """Price of a machine for an hour; null: unknown."""
    most_time: Duration | None = None  # time after which the cluster is over; null: no limit
    most_money: Annotated[float, Meta(gt=0)] | None = None
    """Cost after which the cluster is over; null: no limit."""


def described(path: Path) -> RentedSpec:
    """Read a file; raises UsageError that names it."""
    found = reading.document(path, path.name)
    try:
        return _spec(msgspec.convert(found, _Rented))
    except msgspec.ValidationError as error:
        raise UsageError(f"{path.name}: {explain(str(error), found, {'$': _Rented})}") from error
    except ValueError as error:
        raise UsageError(f"{path.name}: {error}") from error


def _spec(written: _Rented) -> RentedSpec:
    """Return what is asked for; raises ValueError."""
    if not written.cluster.startswith(_OURS) and not (written.listed_by and written.removed_by):
        raise ValueError(
            "set listed_by and removed_by: without them the machines of a killed audit stay rented"
        )
    if written.listed_by and not any(_ID in text for text in written.listed_by):
        raise ValueError(f"listed_by must contain {_ID}, or it lists machines of others")
    if written.removed_by and _MACHINES not in written.removed_by:
        raise ValueError(
            f"removed_by must contain {_MACHINES}, which stands for the listed machines"
        )
    most = math.inf
    if written.most_time is not None:
        try:
            most = quantities.seconds(written.most_time)
        except ValueError as error:
            raise ValueError(f"{error} at most_time") from error
    if written.most_money is not None:
        if written.hourly is None or written.workers is None:
            raise ValueError("most_money needs `hourly` (price) and `workers` (number)")
        # The scheduler's machine costs as much.
        most = min(most, written.most_money / written.hourly / (written.workers + 1) * 3600)
    return RentedSpec(
        cluster=written.cluster,
        options=written.options,
        workers=written.workers,
        listed_by=written.listed_by,
        removed_by=written.removed_by,
        environment=written.environment,
        hourly=written.hourly,
        most_seconds=most,
    )
