"""Where this interpreter keeps the frames of a thread in memory; part of the guest.

No version has a table of ours: offsets are found by looking for pointers that are known, and are
tried before they are used. Python 3.9 and 3.10 link frame objects, later ones have frames that are
no objects.
"""

from __future__ import annotations

import os
import sys
from struct import unpack
from typing import Any, NamedTuple

_WORDS = 48
_FRAME_WORDS = 16
_TAGS = 7
_WITHOUT_OBJECTS = 0x030B0000
"""The first version whose frames are no objects."""
_F_FRAME = 24
"""Offset of `f_frame` in a frame object: behind the object's head and `f_back`."""


class Unsupported(Exception):
    """The frames of this interpreter cannot be read; the text says why."""


class Layout(NamedTuple):
    """Offsets in bytes; `indirect` is -1 where the thread points to its frame itself."""

    thread: int
    """Address of the thread's state."""
    current: int
    """Offset in it of the pointer to the current frame, or to what has that pointer."""
    indirect: int
    """Offset of that pointer there."""
    code: int
    """Offset in a frame of the pointer to its code."""
    previous: int
    """Offset in a frame of the pointer to its caller's."""


def frame_address(memory: int, frame: Any) -> int:
    """Return the address of what a frame object stands for."""
    if sys.hexversion < _WITHOUT_OBJECTS:
        return id(frame)
    return int(unpack("P", os.pread(memory, 8, id(frame) + _F_FRAME))[0])


def find_layout(memory: int) -> Layout:
    """Return the layout for the calling thread; raises Unsupported."""
    if sys.implementation.name != "cpython" or sys.platform != "linux":
        raise Unsupported("stacks are sampled of CPython on Linux only")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise Unsupported("stacks of an interpreter without a global lock cannot be sampled")
    try:
        import ctypes
    except ImportError as error:
        raise Unsupported(f"stacks cannot be sampled without ctypes: {error}") from None
    get = ctypes.pythonapi.PyThreadState_Get
    get.restype = ctypes.c_void_p
    try:
        places = _places(memory, get()) & _deeper(memory, get())
        code, previous = _offsets(memory)
    except (OSError, ValueError, OverflowError) as error:
        raise Unsupported(f"the memory of the interpreter cannot be read: {error}") from None
    if not places:
        raise Unsupported("the current frame of the interpreter is not where it is expected")
    current, indirect = min(places, key=lambda place: (place[1], place[0]))
    return Layout(get(), current, indirect, code, previous)


def _deeper(memory: int, thread: int) -> set[tuple[int, int]]:
    return _places(memory, thread)


def _places(memory: int, thread: int) -> set[tuple[int, int]]:
    """Return where in the thread's state this function's own frame may be told.

    No other function runs between the question and the answer, so the loops are plain.
    """
    own_address = frame_address(memory, sys._getframe())
    places = set()
    words = unpack(f"{_WORDS}P", os.pread(memory, 8 * _WORDS, thread))
    for index in range(_WORDS):
        word = words[index]
        if word == own_address:
            places.add((8 * index, -1))
        elif 0x1000 < word < 1 << 47:
            try:
                inner = unpack("4P", os.pread(memory, 32, word))
            except Exception:  # noqa: S112 - a word that is no pointer
                continue
            for word_index in range(4):
                if inner[word_index] == own_address:
                    places.add((8 * index, 8 * word_index))
    return places


def _offsets(memory: int) -> tuple[int, int]:
    """Return the offsets of code and caller; raises Unsupported.

    The frames are of plain calls of ours: between others may be frames that only Python knows.
    """

    def inner() -> tuple[int, int]:
        return _compared(memory, sys._getframe())

    return inner()


def _compared(memory: int, frame: Any) -> tuple[int, int]:
    """Return what holds for a frame and for its caller's."""
    codes, callers = set(range(_FRAME_WORDS)), set(range(_FRAME_WORDS))
    for checked_frame in (sys._getframe(), frame):
        address = frame_address(memory, checked_frame)
        words = unpack(f"{_FRAME_WORDS}P", os.pread(memory, 8 * _FRAME_WORDS, address))
        caller = frame_address(memory, checked_frame.f_back)
        codes &= {
            index for index, word in enumerate(words) if word & ~_TAGS == id(checked_frame.f_code)
        }
        callers &= {index for index, word in enumerate(words) if word == caller}
    if len(codes) != 1 or len(callers) != 1:
        raise Unsupported("the frames of the interpreter are not laid out as expected")
    return 8 * codes.pop(), 8 * callers.pop()


def shim_codes(memory: int, layout: Layout) -> set[int]:
    """Return what frames have for code that stand for no function: where C calls Python."""
    base = sys._getframe()
    code_addresses: set[int] = set()

    def called(_: object) -> int:
        frame, until = frame_address(memory, sys._getframe()), frame_address(memory, base)
        while frame and frame != until and len(code_addresses) < 8:
            words = os.pread(memory, 8 * _FRAME_WORDS, frame)
            code_addresses.add(unpack("P", words[layout.code : layout.code + 8])[0] & ~_TAGS)
            frame = unpack("P", words[layout.previous : layout.previous + 8])[0]
        return 0

    sorted([1], key=called)
    return code_addresses - {id(called.__code__)}
