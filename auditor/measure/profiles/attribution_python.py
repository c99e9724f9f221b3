"""How far a sampled share of a Python function may be off, beside sampling error.

A share is the part of an operation's processor time in which the function has a frame: its body,
with all that the body calls. Passing arguments, making the frame and removing it count for the
caller. The injected delay is proportional to the same body, so v * share predicts its effect.

Two effects remain. The processor overlaps the begin and the end of a call with the caller's
instructions, so some nanoseconds of each call belong to neither side. Samples that stop the process
leave its caches colder, which slows all functions, though not all alike.
`benchmarks/results/python_shares.md` has the measurements.
"""

SECONDS_PER_CALL_UNATTRIBUTED = 45e-9
"""Seconds of each outermost call that may be on either side of its boundary.

Measured: 0 to 21 ns, and 17 to 41 ns where an operation is little more than a call of 50 to 80 ns.
"""
SHARE_FLOOR = 0.02
"""Absolute error of a share of long calls: at most .02 in addition to two standard errors."""


def boundary_error(seconds_between_calls: float) -> float:
    """Return the systematic error of a share by how often its function is called.

    `seconds_between_calls` is the time of an operation divided by its outermost calls of the
    function. The error is an absolute share in [0, 1], and holds for a share of 0 as well.
    """
    if seconds_between_calls <= 0:
        return 1.0
    return min(1.0, SHARE_FLOOR + SECONDS_PER_CALL_UNATTRIBUTED / seconds_between_calls)
