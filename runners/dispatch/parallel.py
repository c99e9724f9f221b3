"""Several trials at a time on one machine: nothing of them is timed."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from auditor.core.errors import OutOfTime

ItemType = TypeVar("ItemType")
ResultType = TypeVar("ResultType")


def run_in_parallel(
    work: Callable[[ItemType], ResultType],
    things: Iterable[ItemType],
    jobs: int,
    stop: Callable[[], None],
) -> Iterator[ResultType]:
    """Yield what becomes of each thing, as it is done; `stop` ends what still runs if one fails.

    A thing is asked for when there is a thread for it. An interrupt reaches this thread only, so
    the others are ended through what they wait for. When the time is up they end by themselves, and
    what has become of them is had before that is raised.
    """
    late: list[OutOfTime] = []
    pool = ThreadPoolExecutor(jobs)
    try:
        yield from _collect_results(lambda item: pool.submit(work, item), iter(things), jobs, late)
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    if late:
        raise late[0]


def _collect_results(
    submit: Callable[[ItemType], Future[ResultType]],
    waiting: Iterator[ItemType],
    jobs: int,
    late: list[OutOfTime],
) -> Iterator[ResultType]:
    """Yield what is done; what had no time is noted as `late`, and nothing is begun after it."""
    pending_futures: set[Future[ResultType]] = set()
    while True:
        while (
            len(pending_futures) < jobs and not late and (item := next(waiting, None)) is not None
        ):
            pending_futures.add(submit(item))
        if not pending_futures:
            return
        futures, pending_futures = wait(pending_futures, return_when=FIRST_COMPLETED)
        for future in sorted(
            futures, key=lambda completed_future: completed_future.exception() is not None
        ):
            if isinstance(error := future.exception(), OutOfTime):
                late.append(error)
            else:
                yield future.result()
