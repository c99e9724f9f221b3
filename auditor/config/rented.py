"""A file that says which machines are rented for an audit."""

import math
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from auditor.config import quantities, reading
from auditor.config.explaining import explain_error
from auditor.config.sections import VARIABLE, Duration, Name, Section
from auditor.core.errors import UsageError
from auditor.core.hosts import RentedSpec

_ID, _MACHINES = "{id}", "{machines}"
_DASK_CLASSES = ("dask.distributed.", "distributed.")
"""Classes of Dask itself rent nothing: they use machines that are there."""


class _RentalSection(Section, frozen=True, kw_only=True):
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


def read_rental_file(path: Path) -> RentedSpec:
    """Read a file; raises UsageError that names it."""
    document = reading.read_document(path, path.name)
    try:
        return _build_spec(msgspec.convert(document, _RentalSection))
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{path.name}: {explain_error(str(error), document, {'$': _RentalSection})}"
        ) from error
    except ValueError as error:
        raise UsageError(f"{path.name}: {error}") from error


def _build_spec(section: _RentalSection) -> RentedSpec:
    """Return what is asked for; raises ValueError."""
    if not section.cluster.startswith(_DASK_CLASSES) and not (
        section.listed_by and section.removed_by
    ):
        raise ValueError(
            "set listed_by and removed_by: without them the machines of a killed audit stay rented"
        )
    if section.listed_by and not any(_ID in text for text in section.listed_by):
        raise ValueError(f"listed_by must contain {_ID}, or it lists machines of others")
    if section.removed_by and _MACHINES not in section.removed_by:
        raise ValueError(
            f"removed_by must contain {_MACHINES}, which stands for the listed machines"
        )
    most = math.inf
    if section.most_time is not None:
        try:
            most = quantities.parse_duration(section.most_time)
        except ValueError as error:
            raise ValueError(f"{error} at most_time") from error
    if section.most_money is not None:
        if section.hourly is None or section.workers is None:
            raise ValueError("most_money needs `hourly` (price) and `workers` (number)")
        # The scheduler's machine costs as much.
        most = min(most, section.most_money / section.hourly / (section.workers + 1) * 3600)
    return RentedSpec(
        cluster=section.cluster,
        options=section.options,
        workers=section.workers,
        listed_by=section.listed_by,
        removed_by=section.removed_by,
        environment=section.environment,
        hourly=section.hourly,
        most_seconds=most,
    )
