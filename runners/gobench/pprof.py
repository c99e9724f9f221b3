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
class StackSample:
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
class _ProfileTables:
    samples: list[bytes] = field(default_factory=list)
    locations: list[bytes] = field(default_factory=list)
    functions: list[bytes] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)


Leaves = Mapping[int, tuple[ProfileLine, ...]]
"""Lines of the instruction before an address, innermost first."""


def read_samples(data: bytes, leaves: Leaves = MappingProxyType({})) -> list[StackSample]:
    """Return the samples of a profile; raises ProfileUnreadable.

    The innermost place of a stack is taken to be that of the instruction before it, where `leaves`
    know it: a processor is interrupted behind the instruction that it waited for.
    """
    try:
        tables = _split_tables(_unpack_profile(data))
        functions = dict(_parse_function(function, tables.strings) for function in tables.functions)
        places = [_parse_location(location, functions) for location in tables.locations]
        locations = {name: lines for name, _, lines in places}
        inner = {name: leaves.get(address, lines) for name, address, lines in places}
        return [
            _parse_sample(sample, inner, locations, tables.strings) for sample in tables.samples
        ]
    except (IndexError, KeyError, zlib.error) as error:
        raise PprofUnreadable(f"the CPU profile is damaged: {error!r}") from error


def _unpack_profile(data: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    text = inflater.decompress(data, MOST_BYTES)
    if inflater.unconsumed_tail:
        raise PprofUnreadable(f"the CPU profile is larger than {MOST_BYTES >> 20} MiB")
    if not inflater.eof:
        raise PprofUnreadable("the CPU profile is cut off")
    return text


def _split_tables(data: bytes) -> _ProfileTables:
    tables = _ProfileTables()
    for number, value in _read_fields(data):
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


def _parse_function(data: bytes, strings: Sequence[str]) -> tuple[int, tuple[str, str]]:
    fields = dict(_read_fields(data))
    return _read_number(fields.get(1)), (
        strings[_read_number(fields.get(2))],
        strings[_read_number(fields.get(4))],
    )


Places = Mapping[int, tuple[ProfileLine, ...]]


def _parse_location(
    data: bytes, functions: Mapping[int, tuple[str, str]]
) -> tuple[int, int, tuple[ProfileLine, ...]]:
    name, address, lines = 0, 0, []
    for number, value in _read_fields(data):
        if number == 1:
            name = _read_number(value)
        elif number == 3:
            address = _read_number(value)
        elif number == 4 and isinstance(value, bytes):
            line = dict(_read_fields(value))
            function, file = functions[_read_number(line.get(1))]
            lines.append(ProfileLine(function, file, _read_number(line.get(2))))
    last = len(lines) - 1
    return (
        name,
        address,
        tuple(
            replace(profile_line, inlined=index < last) for index, profile_line in enumerate(lines)
        ),
    )


def _parse_sample(
    data: bytes, inner: Places, locations: Places, strings: Sequence[str]
) -> StackSample:
    places: list[int] = []
    values: list[int] = []
    labels = []
    for number, value in _read_fields(data):
        if number == 1:
            places += _read_numbers(value)
        elif number == 2:
            values += _read_numbers(value)
        elif number == 3 and isinstance(value, bytes):
            fields = dict(_read_fields(value))
            labels.append(
                (strings[_read_number(fields.get(1))], strings[_read_number(fields.get(2))])
            )
    outer = (line for place in places[1:] for line in locations[place])
    lines = (*(inner[places[0]] if places else ()), *outer)
    return StackSample(lines, len(places), values[0], tuple(labels))


def _read_number(value: int | bytes | None) -> int:
    if isinstance(value, bytes):
        raise PprofUnreadable("the CPU profile has bytes where a number belongs")
    return value or 0


def _read_numbers(value: int | bytes) -> list[int]:
    """Return the numbers of a repeated field, packed or not."""
    if isinstance(value, int):
        return [value]
    numbers, position = [], 0
    while position < len(value):
        number, position = _read_varint(value, position)
        numbers.append(number)
    return numbers


def _read_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of each field of a message."""
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        match key & 7:
            case 0:
                value, position = _read_varint(data, position)
                yield key >> 3, value
            case 2:
                size, position = _read_varint(data, position)
                if position + size > len(data):
                    raise PprofUnreadable("the CPU profile is cut off")
                yield key >> 3, data[position : position + size]
                position += size
            case 1 | 5 as kind:
                position += 8 if kind == 1 else 4
            case _:
                raise PprofUnreadable("the CPU profile has an unknown kind of field")


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift >= _WORD:
            raise PprofUnreadable("the CPU profile has a number of more than 64 bits")
