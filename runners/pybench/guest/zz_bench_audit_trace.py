"""Counts who calls the functions of a library in the tests of another project; part of the guest.

From Python 3.12 on the interpreter tells of each function that begins (`sys.monitoring`), once for
each one that is not traced. Below, the functions of the library call `called` themselves.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import math
import os
import sys
from multiprocessing import util
from typing import Any

from zz_bench_audit_hook import Finder, tell

_RUNNER = ("_pytest", "pytest")
"""What runs the tests is no client: if it uses the library, those calls are not counted."""
_SAMPLES = 3
_TRIED = 20
"""Calls whose arguments are looked at, at most, to find so many with simple ones."""
_LONGEST = 60
_DEEPEST = 2
_MONITORED = sys.version_info >= (3, 12)
_OUTSIDE, _INSIDE, _NEITHER = range(3)


class Method:
    """A traced function.

    What counts is `itertools.count`: two threads cannot lose a call of theirs in it.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.begin()

    def begin(self) -> None:
        """Count from nothing."""
        self.outside, self.inside = itertools.count(), itertools.count()
        self.told = (0, 0)
        self.tried = 0
        self.samples: list[list[str | None]] = []
        self.sent: set[str] = set()

    def counted(self) -> tuple[int, int]:
        """Return the calls from outside and from inside so far."""
        return _number(self.outside), _number(self.inside)


def _number(count: Any) -> int:
    """Return what a count would give next, without taking it."""
    return int(repr(count)[len("count(") : -1])


class Library:
    """The files of a library, and the functions of it that are traced."""

    def __init__(self) -> None:
        self.units: set[str] = set()
        self.files: set[str] = set()
        self.places: dict[tuple[str, int], Method] = {}
        self.methods: dict[str, Method] = {}
        self.kinds: dict[str, int] = {}

    def kind(self, frame: Any) -> int:
        """Tell where a call comes from: the frame is that of the caller, or None."""
        if frame is None:
            return _OUTSIDE
        file = frame.f_code.co_filename
        kind = self.kinds.get(file)
        if kind is None:
            kind = self._kind(file, frame.f_globals.get("__name__"))
            if not file.startswith("<"):  # text without a file is of many modules
                self.kinds[file] = kind
        return kind

    def _kind(self, file: str, module: Any) -> int:
        if file in self.files or module in self.units:
            return _INSIDE
        return _NEITHER if str(module).partition(".")[0] in _RUNNER else _OUTSIDE


_library = Library()


def _count_call(method: Method, frame: Any) -> None:
    kind = _library.kind(frame.f_back)
    if kind == _INSIDE:
        next(method.inside)
    elif kind == _OUTSIDE:
        next(method.outside)
        if method.tried < _TRIED:
            _sample(method, frame)


def called(name: str) -> None:
    """Count a call; the caller is the function that is traced."""
    _count_call(_library.methods[name], sys._getframe(1))


def _sample(method: Method, frame: Any) -> None:
    """Keep the arguments of some calls, those that are simple rather than others."""
    method.tried += 1
    # Another thread may change them just now: the tests must not notice that we look.
    with contextlib.suppress(Exception):
        _keep(method, frame)


def _keep(method: Method, frame: Any) -> None:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    local_values = frame.f_locals
    literals = [_literal(local_values.get(name, _sample)) for name in names]
    if literals not in method.samples:
        ordered = sorted([*method.samples, literals], key=lambda sample: sample.count(None))
        method.samples = ordered[:_SAMPLES]


def _literal(value: Any) -> str | None:
    """Return a simple value as source text, None for what is none, or too long."""
    if not _is_simple(value, _DEEPEST):
        return None
    text = repr(value)
    return text if len(text) <= _LONGEST else None


def _is_simple(value: Any, deep: int) -> bool:
    kind = type(value)
    if kind in (list, tuple, dict, set):
        inner = itertools.chain(value, value.values() if kind is dict else ())
        fits = bool(deep) and len(value) <= _LONGEST
        return fits and all(_is_simple(element, deep - 1) for element in inner)
    if kind in (str, bytes):
        return len(value) <= _LONGEST
    if kind is int:
        return bool(value.bit_length() < _LONGEST)
    return math.isfinite(value) if kind is float else kind in (bool, type(None))


def write() -> None:
    """Write down the calls since the last time; those of several processes add up."""
    for method in list(_library.methods.values()):
        now = method.counted()
        outside, inside = now[0] - method.told[0], now[1] - method.told[1]
        if outside or inside:
            method.told = now
            tell("calls", method.name, str(outside), str(inside), "0")
            new = {json.dumps(sample) for sample in method.samples} - method.sent
            method.sent |= new
            for text in sorted(new):
                tell("arguments", method.name, text)


def install(instructions: str) -> None:
    """Trace what a file of instructions names.

    `library NAME FILE`, `method FILE LINE ID`, and for old interpreters `module` as the hook has,
    or `untraced NAME WHY`.
    """
    modules = {}
    with open(instructions, encoding="utf-8") as file:
        for line in file:
            kind, *fields = line.rstrip("\n").split("\t")
            if kind == "library":
                _library.units.add(fields[0])
                _library.files.update((fields[1], os.path.realpath(fields[1])))
            elif kind == "method":
                method = _library.methods.setdefault(fields[2], Method(fields[2]))
                for path in (fields[0], os.path.realpath(fields[0])):
                    _library.places[path, int(fields[1])] = method
            elif kind == "module":
                modules[fields[0]] = (fields[1], fields[2])
            elif kind == "untraced" and not _MONITORED:
                tell("missing", f"the functions of {fields[0]}, as {fields[1]}")
    if _MONITORED:
        _monitor()
    else:
        sys.meta_path.insert(0, Finder(modules))
    atexit.register(write)
    os.register_at_fork(after_in_child=_begin_anew)
    util.register_after_fork(_library, _write_at_its_end)


def _begin_anew() -> None:
    """Leave to the process that was forked what it has counted."""
    for method in _library.methods.values():
        method.begin()


def _write_at_its_end(_: Library) -> None:
    """Have a process of `multiprocessing` write, too: it ends without what `atexit` knows."""
    util.Finalize(None, write, exitpriority=0)


def _monitor() -> None:
    monitoring = sys.monitoring  # novermin (older interpreters do not come here)
    methods: dict[int, Method] = {}
    codes = []
    disable = monitoring.DISABLE

    def started(code: Any, _: int) -> Any:
        method = methods.get(id(code))
        if method is None:
            method = _library.places.get((code.co_filename, code.co_firstlineno))
            if method is None:
                return disable
            codes.append(code)  # so that no other one gets its number
            methods[id(code)] = method
        _count_call(method, sys._getframe(1))
        return None

    for tool in (4, 3, monitoring.PROFILER_ID):
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, "bench-audit")
            event = monitoring.events.PY_START
            monitoring.register_callback(tool, event, started)
            monitoring.set_events(tool, event)
            return
    tell("refused", "three other tools watch the interpreter, and there is no room for a fourth")
