"""What changed modules call.

Part of the guest: it runs in the audited interpreter, Python 3.9 to 3.14, needs nothing but the
standard library, and talks through the files described in runners/records.py.
"""

from __future__ import annotations

import math
import os
import site
import sys
import threading
import time
from itertools import repeat
from types import FunctionType
from typing import Any

_clock = time.perf_counter
_thread = threading.get_ident
_now = threading.local()
_active: set[int] = set()
"""Threads in which the slowed function is running."""

enter = enter_guarded = int  # a call that is as cheap as can be, and gives 0
"""What the changed function calls as it begins, and `leave` as it ends: set for each arm."""


class State:
    """What the slowed function does, and what was seen of it; there is one."""

    def __init__(self) -> None:
        self.turns = 0
        self.factor = 0.0
        self.calls = 0
        self.spent = 0.0
        self.ran = False
        self.cost = 0.0

    def clear(self) -> None:
        """Forget the calls of the block before."""
        self.calls, self.spent = 0, 0.0


state = State()


def _work(_: float) -> None:
    state.ran = True
    for _ in repeat(None, state.turns):
        pass


def _spin(start: float) -> None:
    if not start:
        return  # it began under an arm that keeps no time, or in set-up
    state.ran = True
    end = _clock()
    until = end + max(0.0, end - start - state.cost) * state.factor
    while _clock() < until:
        pass


def _sleep(start: float) -> None:
    if not start:
        return
    state.ran = True
    time.sleep(max(0.0, _clock() - start - state.cost) * state.factor)


def _timed(start: float) -> None:
    if not start:
        return
    state.spent += _clock() - start
    state.calls += 1
    state.ran = True


_WAYS = {
    "none": (int, _work),
    "work": (int, _work),
    "spin": (_clock, _spin),
    "sleep": (_clock, _sleep),
    "clock": (_clock, _timed),
}
leave = _work


def set_arm(wait: str, number: float) -> None:
    """Make the next calls wait as an arm asks; raises ValueError for a way that Python lacks."""
    global enter, leave, enter_guarded, leave_guarded
    if wait not in _WAYS:
        raise ValueError(f"a Python function cannot {wait}")
    state.turns = int(number) if wait == "work" else 0
    state.factor = number if wait in ("spin", "sleep") else 0.0
    enter, leave = _WAYS[wait]
    enter_guarded, leave_guarded = _guarded(enter, leave)


def _guarded(begin, end):  # type: ignore[no-untyped-def]
    """Return the same two for a function that may be called inside itself: that does not count."""

    def guarded_enter() -> object:
        thread = _thread()
        if thread in _active:
            return None
        _active.add(thread)
        return begin()

    def guarded_leave(token: object) -> None:
        if token is not None:
            end(token)
            _active.discard(_thread())

    return guarded_enter, guarded_leave


def _ignore(_: object) -> None:
    pass


enter_guarded, leave_guarded = _guarded(enter, leave)
_PAUSED = dict(
    zip(
        ("enter", "leave", "enter_guarded", "leave_guarded"),
        (int, _ignore, *_guarded(int, _ignore)),
    )
)
"""What changed modules call in set-up; which calls are inner ones is kept track of there, too."""


def measure_clock() -> None:
    """Find what an empty timed function shows per call: disturbances only add, so the least."""
    least = math.inf
    before = state.ran
    set_arm("clock", 0)
    for _ in range(25):
        state.clear()
        for _ in repeat(None, 200):
            token = enter()
            try:
                pass
            finally:
                leave(token)
        least = min(least, state.spent / 200)
    set_arm("none", 0)
    state.clear()
    state.ran, state.cost = before, least


class CallIsolation:
    """Makes calls that are running now none of the benchmark's: its framework may use the library.

    Without this, what pytest calls around a benchmark would make all of its calls inner ones.
    """

    def __enter__(self) -> None:
        self.active = set(_active)
        self.depths = _now.__dict__.pop("active", {})
        _active.clear()
        state.ran = False

    def __exit__(self, *_: object) -> None:
        _active.clear()
        _active.update(self.active)
        _now.active = self.depths


class Pause:
    """Makes calls those of set-up: they neither wait nor count as the benchmark's."""

    def __enter__(self) -> None:
        module_globals = globals()
        self.kept = {name: module_globals[name] for name in _PAUSED}
        module_globals.update(_PAUSED)
        counter.paused = True

    def __exit__(self, *_: object) -> None:
        globals().update(self.kept)
        counter.paused = False


_DENSE_CALLS = 64
"""The callers of so many first calls of a function are looked up, then fewer: a walk takes time."""
_LONGEST_GAP = 1024
"""Of all other calls the callers of one in so many, on average."""
_DOCTEST = "<doctest "
"""Begins the file name of examples, which run in a copy of their module's names."""


class Callers:
    """Calls that the library itself makes, and those of other code, by a sample."""

    def __init__(self) -> None:
        self.library: frozenset[str] = frozenset()
        self.sampling = True
        packages = site.getsitepackages() if hasattr(site, "getsitepackages") else []
        folders = (os.path.dirname(os.__file__), *packages)
        self.platform = ("<frozen", *(os.path.join(folder, "") for folder in folders))
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.calls: dict[str, list[int]] = {}
        self.last_sample: dict[str, int] = {}
        self.next_sample: dict[str, int] = {}

    def sample(self, name: str, call: int, frame: Any) -> None:
        """Take the call of a number for those since the last one of the sample.

        `frame` is that of the function that is called.
        """
        by_library = self._is_by_library(frame)
        if by_library is not None:
            counts = self.calls.setdefault(name, [0, 0])
            counts[0 if by_library else 1] += max(0, call - self.last_sample.get(name, 0))
        self.last_sample[name] = call
        gap = min(_LONGEST_GAP, call // _DENSE_CALLS + 1)
        # Gaps vary, so that they do not keep step with the calls of a loop.
        scattered = (call * 0x9E3779B1 & 0xFFFFFFFF) >> 7
        self.next_sample[name] = call + 1 + scattered % (2 * gap - 1)

    def _is_by_library(self, called: Any) -> bool | None:
        """Tell whether the library made the call; None: a thread or a task began with it.

        The standard library and other packages may pass a call on, and so may a decorator.
        """
        frame = called.f_back
        while frame is not None and _wraps(frame, called.f_code):
            called, frame = frame, frame.f_back
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(_DOCTEST):
                return False
            if frame.f_globals.get("__name__") in self.library:
                return True
            if not file.startswith(self.platform):
                return False
            frame = frame.f_back
        return None


def _wraps(frame: Any, code: Any) -> bool:
    """Tell whether a frame is that of a decorator's function around a function with this code."""
    names = frame.f_code.co_freevars
    values = frame.f_locals if names else {}
    functions = [values[name] for name in names if type(values.get(name)) is FunctionType]
    return any(code in (function.__code__, _unwrapped_code(function)) for function in functions)


def _unwrapped_code(function: Any) -> Any:
    wrapped = function.__dict__.get("__wrapped__")
    return wrapped.__code__ if type(wrapped) is FunctionType else None


callers = Callers()


class Counter:
    """Outermost calls by name, and whether calls were nested in one of the same thread.

    Those of the functions that are `clocked` are timed: of all at once, each would hold the
    readings of those that it calls. `spent` are their seconds.
    """

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.outside: dict[str, int] = {}
        self.nested: set[str] = set()
        self.paused = False
        self.clocked: frozenset[str] = frozenset()
        self.spent: dict[str, float] = {}
        self.open: dict[str, int] = {}

    def clock(self, names: list[str]) -> None:
        """Time outermost calls of these functions from now on."""
        self.clocked = frozenset(names)
        self.spent = dict.fromkeys(self.clocked, 0.0)
        self.open = dict.fromkeys(self.clocked, 0)

    def timed(self) -> dict[str, float]:
        """Return the seconds of those of which all calls have ended, and time no more."""
        self.clocked = frozenset()
        return {name: spent for name, spent in self.spent.items() if not self.open[name]}

    def take_counts(self) -> tuple[dict[str, int], set[str]]:
        """Return what was counted since the last time."""
        counts = self.calls, self.nested
        self.calls, self.nested = {}, set()
        callers.forget()
        return counts


counter = Counter()


def begin(name: str) -> str:
    """Count a call, unless one of the same function is running in this thread."""
    active = _now.__dict__.setdefault("active", {})
    depth = active.get(name, 0)
    active[name] = depth + 1
    if not depth:
        counts = counter.outside if counter.paused else counter.calls
        counts[name] = call = counts.get(name, 0) + 1
        if callers.sampling and not counter.paused and call >= callers.next_sample.get(name, 0):
            callers.sample(name, call, sys._getframe(1))
        if name in counter.clocked and not counter.paused:
            counter.open[name] += 1
            _now.__dict__.setdefault("since", {})[name] = _clock()
    elif not counter.paused:
        counter.nested.add(name)
    return name


def end(name: str) -> None:
    """End a call."""
    _now.active[name] -= 1
    if name in counter.clocked and not _now.active[name]:
        began = _now.__dict__.get("since", {}).pop(name, None)
        if began is not None:
            counter.spent[name] += _clock() - began
            counter.open[name] -= 1
