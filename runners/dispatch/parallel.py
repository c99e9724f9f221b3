"""Several trials at a time on one machine: nothing of them is timed."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from auditor.core.errors import OutOfTime

Given = TypeVar("Given")
Made = TypeVar("Made")


def in_parallel(
    work: Callable[[Given], Made], things: Iterable[Given], jobs: int, stop: Callable[[], None]
) -> Iterator[Made]:
    """Yield what becomes of each thing, as it is done; `stop` ends what still runs if one fails.

    A thing is asked for when there is a thread for it. An interrupt reaches this thread only, so
    the others are ended through what they wait for; they end by themselves when the time is up.
    """
    pool = ThreadPoolExecutor(jobs)
    busy: set[Future[Made]] = set()
    try:
        for one in things:
            busy.add(pool.submit(work, one))
            if len(busy) == jobs:
                done, busy = wait(busy, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)
        while busy:
            done, busy = wait(busy, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in done)
    except OutOfTime:
        raise
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
