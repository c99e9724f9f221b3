"""Reads CPU profiles in pprof's format: a gzipped protocol buffer.

Source: google/pprof, proto/profile.proto (field numbers), and the protocol buffers encoding. Only
what samples, their stacks and their string labels need is read.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

MOST_BYTES = 64 << 20
"""Size of a profile, unpacked: one of some seconds has less than 1 MB."""
_WORD = 64
"""Bits of the largest number."""


class PprofUnreadable(ValueError):
    """The bytes are no profile."""


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """One function at a place in the code."""

    function: str
    file: str
    line: int
    inlined: bool = False
    """Its code lies in that of the next line."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How often one stack was seen."""

    lines: tuple[ProfileLine, ...]
    """Innermost first; inlined functions have lines of their own."""
    addresses: int
    """Number of return addresses on the stack."""
    count: int
    """Number of samples."""
    labels: tuple[tuple[str, str], ...]
    """String labels."""


@dataclass(slots=True)
class _Tables:
    samples: list[bytes] = field(default_factory=list)
    locations: list[bytes] = field(default_factory=list)
    functions: list[bytes] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)


Leaves = Mapping[int, tuple[ProfileLine, ...]]
"""Lines of the instruction before an address, innermost first."""


def read_samples(data: bytes, leaves: Leaves = MappingProxyType({})) -> list[Sample]:
    """Return the samples of a profile; raises ProfileUnreadable.

    The innermost place of a stack is taken to be that of the instruction before it, where `leaves`
    know it: a processor is interrupted behind the instruction that it waited for.
    """
    try:
        tables = _tables(_unpacked(data))
        functions = dict(_function(function, tables.strings) for function in tables.functions)
        places = [_location(location, functions) for location in tables.locations]
        locations = {name: lines for name, _, lines in places}
        inner = {name: leaves.get(address, lines) for name, address, lines in places}
        return [_sample(sample, inner, locations, tables.strings) for sample in tables.samples]
    except (IndexError, KeyError, zlib.error) as error:
        raise PprofUnreadable(f"the CPU profile is damaged: {error!r}") from error


def _unpacked(data: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    text = inflater.decompress(data, MOST_BYTES)
    if inflater.unconsumed_tail:
        raise PprofUnreadable(f"the CPU profile is larger than {MOST_BYTES >> 20} MiB")
    if not inflater.eof:
        raise PprofUnreadable("the CPU profile is cut off")
    return text


def _tables(data: bytes) -> _Tables:
    tables = _Tables()
    for number, value in _fields(data):
        if not isinstance(value, bytes):
            continue
        match number:
            case 2:
                tables.samples.append(value)
            case 4:
                tables.locations.append(value)
            case 5:
                tables.functions.append(value)
            case 6:
                tables.strings.append(value.decode(errors="replace"))
    return tables


def _function(data: bytes, strings: Sequence[str]) -> tuple[int, tuple[str, str]]:
    fields = dict(_fields(data))
    return _number(fields.get(1)), (
        strings[_number(fields.get(2))],
        strings[_number(fields.get(4))],
    )


Places = Mapping[int, tuple[ProfileLine, ...]]


def _location(
    data: bytes, functions: Mapping[int, tuple[str, str]]
) -> tuple[int, int, tuple[ProfileLine, ...]]:
    name, address, lines = 0, 0, []
    for number, value in _fields(data):
        if number == 1:
            name = _number(value)
        elif number == 3:
            address = _number(value)
        elif number == 4 and isinstance(value, bytes):
            line = dict(_fields(value))
            function, file = functions[_number(line.get(1))]
            lines.append(ProfileLine(function, file, _number(line.get(2))))
    last = len(lines) - 1
    return (
        name,
        address,
        tuple(
            replace(profile_line, inlined=index < last) for index, profile_line in enumerate(lines)
        ),
    )


def _sample(data: bytes, inner: Places, locations: Places, strings: Sequence[str]) -> Sample:
    places: list[int] = []
    values: list[int] = []
    labels = []
    for number, value in _fields(data):
        if number == 1:
            places += _numbers(value)
        elif number == 2:
            values += _numbers(value)
        elif number == 3 and isinstance(value, bytes):
            fields = dict(_fields(value))
            labels.append((strings[_number(fields.get(1))], strings[_number(fields.get(2))]))
    outer = (line for place in places[1:] for line in locations[place])
    lines = (*(inner[places[0]] if places else ()), *outer)
    return Sample(lines, len(places), values[0], tuple(labels))


def _number(value: int | bytes | None) -> int:
    if isinstance(value, bytes):
        raise PprofUnreadable("the CPU profile has bytes where a number belongs")
    return value or 0


def _numbers(value: int | bytes) -> list[int]:
    """Return the numbers of a repeated field, packed or not."""
    if isinstance(value, int):
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        numbers.append(number)
    return numbers


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
                yield key >> 3, value
            case 2:
                size, at = _varint(data, at)
                if at + size > len(data):
                    raise PprofUnreadable("the CPU profile is cut off")
                yield key >> 3, data[at : at + size]
                at += size
            case 1 | 5 as kind:
                at += 8 if kind == 1 else 4
            case _:
                raise PprofUnreadable("the CPU profile has an unknown kind of field")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift >= _WORD:
            raise PprofUnreadable("the CPU profile has a number of more than 64 bits")
