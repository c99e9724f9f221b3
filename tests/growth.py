"""How the time that something takes grows with the size of what it is given."""

import gc
from collections.abc import Callable
from time import process_time


def growth(work: Callable[[int], object], small: int, large: int) -> float:
    """Return the processor time of `work(large)` as a multiple of that of `work(small)`.

    The least of three ratios, each of two measurements right after one another: a shared machine
    may be three times as slow a second later. No garbage is collected meanwhile: in a process with
    the objects of thousands of tests a collection takes longer than what is measured.
    """
    gc.collect()
    gc.disable()
    try:
        return min(_measure_seconds(work, large) / _measure_seconds(work, small) for _ in range(3))
    finally:
        gc.enable()


def _measure_seconds(work: Callable[[int], object], size: int) -> float:
    start_seconds = process_time()
    work(size)
    return process_time() - start_seconds
