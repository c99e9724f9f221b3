"""The last iterations of a run, as the models of the study of learned stopping take them.

Source: its public code (ASE 2024).
"""

import numpy as np
import numpy.typing as npt

from auditor.warmup.detector import Values

WINDOW = 100
"""Iterations that are judged together, the last ones."""
_UNIT = 1e6

Windows = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float32]
Starts = npt.NDArray[np.int64]


def standardise_windows(values: Values, starts: Starts) -> Windows:
    """Return the windows that begin at `starts`, (windows, 100), each with mean 0 and deviation 1.

    A window without any scatter is all zeros.
    """
    windows = np.lib.stride_tricks.sliding_window_view(values * _UNIT, WINDOW)[starts]
    centred = windows - windows.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = centred / windows.std(axis=1, keepdims=True)
    return np.where(np.isfinite(scaled), scaled, 0.0).astype(np.float32)
