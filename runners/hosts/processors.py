"""The processors that a benchmark gets, and those that are left to us."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from auditor.core.errors import MachineError, UsageError


def parse_processors(text: str) -> frozenset[int]:
    """Return the processors of "0,2-3"."""
    processors: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        processors |= set(range(int(first), int(last or first) + 1))
    return frozenset(processors)


@contextmanager
def reserve_processors(job_processors: str, key: str) -> Iterator[None]:
    """Keep this program off the processors of others, where there are more than those.

    Raises UsageError, naming the `key` that they are from, for processors that there are not, and
    MachineError where processors cannot be chosen.
    """
    if not hasattr(os, "sched_setaffinity"):
        raise MachineError(f"{key} works only on Linux; remove it")
    all_, requested_processors = os.sched_getaffinity(0), parse_processors(job_processors)
    if missing_cpus := requested_processors - all_:
        available_text = ", ".join(map(str, sorted(all_)))
        raise UsageError(
            f"processor {min(missing_cpus)} at {key} does not exist; this machine has "
            f"{available_text}"
        )
    with stay_off_processors(job_processors):
        yield


@contextmanager
def stay_off_processors(job_processors: str) -> Iterator[None]:
    """Keep this program off the processors of others, as far as they are ours and can be chosen.

    A daemon may have others than we, and may be in a machine of its own.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_ = os.sched_getaffinity(0)
    os.sched_setaffinity(0, all_ - parse_processors(job_processors) or all_)
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_)
