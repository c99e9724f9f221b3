"""The one place where values are checked before anything is computed from them."""

from collections.abc import Iterable, Sized

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def check_finite(values: Iterable[float], least: int = 1) -> Array:
    """Return the values as a read-only array; raises ValueError if too few or not all finite."""
    # What has a length is taken as it is: ten million values need no tuple.
    array = np.array(values if isinstance(values, Sized) else tuple(values), dtype=np.float64)
    if array.ndim != 1 or array.size < least:
        raise ValueError(f"{array.size} values where at least {least} are needed")
    if not np.isfinite(array).all():
        raise ValueError("a value is not finite")
    array.setflags(write=False)
    return array


def check_positive(values: Iterable[float], least: int = 1) -> Array:
    """Return the values as `check_finite` does; raises ValueError unless all are above zero."""
    array = check_finite(values, least)
    if (array <= 0).any():
        raise ValueError("a value is not positive")
    return array
