"""How much longer a larger input takes, whatever the machine is busy with."""

import gc
from collections.abc import Callable
from time import process_time


def growth(work: Callable[[int], object], small: int, large: int) -> float:
    """Return the processor time of `work(large)` as a multiple of that of `work(small)`.

    The least of three tries each. No garbage is collected meanwhile: in a process with the objects
    of thousands of tests a collection takes longer than what is measured.
    """
    gc.collect()
    gc.disable()
    try:
        return min(_seconds(work, large)) / min(_seconds(work, small))
    finally:
        gc.enable()


def _seconds(work: Callable[[int], object], size: int) -> list[float]:
    seconds = []
    for _ in range(3):
        begun = process_time()
        work(size)
        seconds.append(process_time() - begun)
    return seconds
