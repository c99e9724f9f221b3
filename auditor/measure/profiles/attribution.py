"""How far a sampled share can lie from the true one, whatever the number of samples.

The true share of a method is the time of its calls by themselves over the time of the operation. A
delay that is injected into the method shows this share. In compiled code (`attribution_error`) two
effects make a sampled share differ:

* The processor overlaps instructions of a method with those before and after, and with the next
  operation. A sample falls on the instruction that the processor waits for, so time that overlaps
  is sampled in one of the methods only. What is hidden this way is a time, not a share.
* The compiler's debug information is coarse: an instruction near the edge of an inlined method may
  be told as its neighbour's.
* Some loops of inlined methods have no debug information at all. Their samples are told as of a
  method that calls them: `ambiguous_samples` counts these.

In Python (`boundary_error`) a share is the part of an operation's processor time in which the
function has a frame: its body, with all that the body calls. Passing arguments, making the frame
and removing it count for the caller. The injected delay is proportional to the same body, so v *
share predicts its effect.

Two effects remain. The processor overlaps the begin and the end of a call with the caller's
instructions, so some nanoseconds of each call belong to neither side. Samples that stop the
process leave its caches colder, which slows all functions, though not all alike.
`benchmarks/results/python_shares.md` has the measurements.
"""

import re
from dataclasses import dataclass

from auditor.core.outcome import Profiled
from auditor.core.subject import Language

SECONDS_PER_CALL_UNATTRIBUTED = 45e-9
"""Seconds of each outermost call that may be on either side of its boundary.

Measured: 0 to 21 ns, and 17 to 41 ns where an operation is little more than a call of 50 to 80 ns.
"""
SHARE_FLOOR = 0.02
"""Absolute error of a share of long calls: at most .02 in addition to two standard errors."""

JVM_ERROR = 0.1
"""Error of a share in the JVM for operations of any length, as an absolute share.

Measured with async-profiler 4.0 on JDK 17: 60 benchmarks with operations of 300 ns and more, shares
of .2 to .9. Arithmetic, array walks, `Math.sqrt`, `String.equals`, `System.arraycopy`; inlined and
not. The largest difference was .07, of which .04 is the sampling error of 500 samples. Methods that
allocate: .08 in an operation of 304 ns, with a heap that was touched before.
"""
JVM_EXCESS = 0.05
"""How far a share in the JVM can lie above the true one, for operations of any length."""
JVM_EXCESS_SECONDS = 2e-9
"""Time of an operation that samples may tell of a method although its neighbours take it.

Measured: at most 1.8 ns where each step needs the result of the one before.
"""
JVM_HIDDEN_SECONDS = 4e-8
"""Time of a method in an operation that no sample may show, since other code overlaps with it.

Measured: at most 30 ns, in operations of 4 to 620 ns that do not need each other's results. Data
that is not in the caches may hide more.
"""
GO_ERROR = 0.015
"""Error of a share in Go for operations of any length, as an absolute share."""
GO_INLINED_SECONDS = (0.3e-9, 0.2e-9)
"""Time of an operation, and of each call, that samples may tell of the wrong side where the method
is inlined.

Measured on `tests/subjects/go-short`, where the instruction before the interrupted one is counted:
at most .7 ns, give or take .2, in operations of 7 ns with one call; none with 16 calls in 11 ns.
"""
CALL_SECONDS = (0.2e-9, 1.2e-9)
"""Least and most time that a call, a prologue and a return take and that samples tell of the
caller, of a method that is not inlined.

Measured on `go-short` and `java-short`: .4 to 1.2 ns a call in operations of 5 to 150 ns.
"""
JVM_OUT_OF_LINE_ERROR = (0.02, 0.03)
"""How far a share in the JVM can lie above and below the true one, besides what calls take, where
the method is kept out of line.

Measured on `java-short`: .03 above of a square root in an operation of 40 ns, .02 of others.
"""
GO_SHORTEST_SECONDS = 1.2e-9
"""Operation of so few cycles that samples name one of its instructions at random.

Measured on `go-short`, where 1.0 is right: .07 and .62 in two audits of an operation of .55 ns, .98
to 1.00 in twenty audits of one of 1.4 ns.
"""
_UNKNOWN = 1.0
_JVM_FRAME = re.compile(r"[^\s()]+\.[^\s().]+\([^\s()]*\)\S+")
"""A method as `owner.name(descriptor)`; native functions have no point before the parenthesis."""


@dataclass(frozen=True, slots=True)
class AttributionError:
    """Bounds of the systematic error of a sampled share, both not negative."""

    excess: float
    """How far the sampled share can lie above the true one."""
    shortfall: float
    """How far the sampled share can lie below the true one."""


def attribution_error(
    language: Language, seconds_per_operation: float, calls: float | None, *, inlined: bool = False
) -> AttributionError:
    """Return the bounds for a method in an operation; bounds of 1 leave a pair undecided.

    `seconds_per_operation` is the processor time of one operation, not positive where unknown;
    `calls` are outermost calls of the method in it, None where unknown. `inlined`: all samples of
    the method are in code that lies in its callers'.
    """
    if not seconds_per_operation > 0 or not calls:
        return AttributionError(_UNKNOWN, _UNKNOWN)
    between = seconds_per_operation / calls
    match language:
        case Language.JAVA:
            return _jvm_error(seconds_per_operation)
        case Language.GO:
            if seconds_per_operation < GO_SHORTEST_SECONDS:
                return AttributionError(_UNKNOWN, _UNKNOWN)
            if not inlined:
                return _called_error(GO_ERROR, GO_ERROR, between)
            call_error = (
                GO_INLINED_SECONDS[0] / seconds_per_operation + GO_INLINED_SECONDS[1] / between
            )
            error = min(_UNKNOWN, GO_ERROR + call_error)
            return AttributionError(error, error)
        case Language.PYTHON:
            error = boundary_error(between)
            return AttributionError(error, error)


def out_of_line_error(seconds_per_operation: float, calls: float | None) -> AttributionError:
    """Return the bounds for a method that a JVM keeps out of line: its code is all its own."""
    if not seconds_per_operation > 0 or not calls:
        return AttributionError(_UNKNOWN, _UNKNOWN)
    return _called_error(*JVM_OUT_OF_LINE_ERROR, seconds_per_operation / calls)


def _called_error(excess: float, shortfall: float, between: float) -> AttributionError:
    least, most = CALL_SECONDS
    return AttributionError(
        max(0.0, excess - least / between), min(_UNKNOWN, shortfall + most / between)
    )


def _jvm_error(seconds_per_operation: float) -> AttributionError:
    return AttributionError(
        excess=min(_UNKNOWN, JVM_EXCESS + JVM_EXCESS_SECONDS / seconds_per_operation),
        shortfall=min(_UNKNOWN, JVM_ERROR + JVM_HIDDEN_SECONDS / seconds_per_operation),
    )


def ambiguous_samples(profiled: Profiled, function: str) -> int:
    """Return how many samples of a JVM may be of a method although they name only its callers.

    `function` is the method's descriptor. Measured: a loop over 512 elements of `Ring.greatest`
    held all of an operation of 1.5 µs, and .78 of the samples named the benchmark that calls it.
    Callers are those of the method's own samples; without any, all frames that call something.
    A method that was kept out of line (a variant PROFILED with it) has no ambiguous samples.
    JMH's stub is none of the callers: what it has too many samples for is not attributed at all.
    """
    names = [frame.function for frame in profiled.frames]
    callers, calling = set[int](), set[int]()
    for stack in profiled.stacks:
        inside = [
            frame_index
            for frame_index in stack.frames[:-1]
            if _JVM_FRAME.fullmatch(names[frame_index])
        ]
        calling |= {*inside[1:], *inside[-1:]}
        places = [
            place for place, frame_index in enumerate(inside) if names[frame_index] == function
        ]
        if places:
            callers |= {*inside[places[0] + 1 :]}
    if function not in names:
        callers = calling
    return sum(
        stack.count
        for stack in profiled.stacks
        if _find_innermost(stack.frames[:-1], names) in callers
        and all(names[frame_index] != function for frame_index in stack.frames)
    )


def _find_innermost(frames: tuple[int, ...], names: list[str]) -> int:
    """Return the innermost frame of the JVM, -1 where there is none."""
    return next(
        (frame_index for frame_index in frames if _JVM_FRAME.fullmatch(names[frame_index])), -1
    )


def boundary_error(seconds_between_calls: float) -> float:
    """Return the systematic error of a share by how often its function is called.

    `seconds_between_calls` is the time of an operation divided by its outermost calls of the
    function. The error is an absolute share in [0, 1], and holds for a share of 0 as well.
    """
    if seconds_between_calls <= 0:
        return 1.0
    return min(1.0, SHARE_FLOOR + SECONDS_PER_CALL_UNATTRIBUTED / seconds_between_calls)
