"""What the classes of a version do, as the guest's `ClassCode` reads it from their byte code."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import msgspec

from auditor.core.contracts.bytecode import (
    BytecodeCall,
    ClassCode,
    Classes,
    FieldCode,
    FieldUse,
    MethodCode,
)
from auditor.core.errors import SourceUnreadable
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from runners.jmh.guests import JmhGuest

_PROGRAM = "benchaudit.weaver.ClassCode"
_SECONDS = 600
_Key = tuple[str, str]


class _Field(msgspec.Struct, frozen=True):
    name: str
    type: str
    flags: frozenset[str]
    values: frozenset[str]


class _Method(msgspec.Struct, frozen=True):
    """A method of a class.

    A bridge has the key of the method that it calls where only the returned type differs.
    """

    key: str  # name and parameter types
    flags: frozenset[str]  # access flags, such as "synchronized"
    bridge: bool  # whether the compiler made it to call another method
    digest: str  # of its code
    calls: tuple[tuple[str, str, bool], ...]
    """(owner, key, whether the call is virtual) of the methods that it calls."""
    generated: tuple[_Key, ...]  # lambdas and bridges that it uses, in order, with repeats
    reads: tuple[FieldUse, ...]  # fields that it reads
    writes: tuple[FieldUse, ...]  # fields that it writes


class _ClassRecord(msgspec.Struct, frozen=True):
    """A class, or something that could not be read."""

    kind: str  # "class" or "unreadable"
    owner: str = ""  # name of the class
    superclass: str | None = None  # its name; None: it has none
    interfaces: tuple[str, ...] = ()  # names of the interfaces that it implements
    flags: frozenset[str] = frozenset()  # access flags
    fields: tuple[_Field, ...] = ()  # that it declares
    methods: tuple[_Method, ...] = ()  # that it declares
    path: str = ""  # what could not be read
    reason: str = ""  # why not


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionCode:
    """The classes of a version, and what could not be read: its path and the reason."""

    classes: Classes
    unreadable: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReader:
    """Reads classes with a Java of 11 or newer; it runs none of their code."""

    host: Host
    guests: JmhGuest
    java: str
    environment: tuple[tuple[str, str], ...]

    def read_version(self, parts: Sequence[Path], folder: Path) -> VersionCode:
        """Return what is in jars and class folders; of two equal names the first counts.

        `folder` is one of ours. Raises SourceUnreadable where the program fails.
        """
        answer = folder / "code.jsonl"
        path = ":".join(map(str, self.guests.lister_class_path))
        ended = self.host.run_process(
            Invocation(
                argv=(self.java, "-cp", path, _PROGRAM, str(answer), *map(str, parts)),
                cwd=folder,
                environment=self.environment,
                timeout_seconds=_SECONDS,
                collects=(answer,),
            )
        )
        if ended.exit_code != 0 or answer not in ended.files:
            raise SourceUnreadable(f"the classes cannot be read; java said:\n{ended.format_tail()}")
        return read_code(ended.files[answer])


def read_code(data: bytes) -> VersionCode:
    """Read what the program writes; raises SourceUnreadable for anything else."""
    decoder = msgspec.json.Decoder(_ClassRecord)
    try:
        lines = [decoder.decode(line) for line in data.splitlines()]
    except msgspec.MsgspecError as error:
        raise SourceUnreadable(f"the list of classes cannot be read: {error}") from error
    classes: dict[str, _ClassRecord] = {}
    for line in lines:
        if line.kind == "class":
            classes.setdefault(line.owner, line)
    methods = {
        (line.owner, method.key): method
        for line in classes.values()
        for method in sorted(line.methods, key=lambda item: not item.bridge)
    }
    inside = {signature for method in methods.values() for signature in method.generated}
    method_codes = {
        method_key: _build_method(
            _collect_parts(method, methods, frozenset((method_key,))), classes.keys()
        )
        for method_key, method in methods.items()
        if method_key not in inside
    }
    return VersionCode(
        classes={name: _build_class(line, method_codes) for name, line in classes.items()},
        unreadable=tuple((item.path, item.reason) for item in lines if item.kind == "unreadable"),
    )


def _build_class(line: _ClassRecord, method_codes: Mapping[_Key, MethodCode]) -> ClassCode:
    keys = ((line.owner, method.key) for method in line.methods)
    return ClassCode(
        name=line.owner,
        superclass=line.superclass,
        interfaces=line.interfaces,
        flags=line.flags,
        methods={
            method_key[1]: method_codes[method_key]
            for method_key in keys
            if method_key in method_codes
        },
        fields={field.name: _build_field(field) for field in line.fields},
    )


def _build_field(field: _Field) -> FieldCode:
    return FieldCode(type=field.type, flags=field.flags, values=field.values)


def _collect_parts(
    method: _Method, methods: Mapping[_Key, _Method], visited: frozenset[_Key]
) -> Iterator[_Method]:
    """Yield a method and, in the order of their use, the lambdas and bridges that belong to it."""
    yield method
    for signature in method.generated:
        if signature in methods and signature not in visited:
            yield from _collect_parts(methods[signature], methods, visited | {signature})


def _build_method(parts: Iterable[_Method], class_names: Set[str]) -> MethodCode:
    """Make one of a method and what belongs to it; `class_names` are those that count."""
    methods = tuple(parts)
    calls = (BytecodeCall(*call) for method in methods for call in method.calls)
    return MethodCode(
        digest=hashlib.sha256("\n".join(method.digest for method in methods).encode()).hexdigest(),
        flags=methods[0].flags,
        calls=tuple(dict.fromkeys(call for call in calls if call.owner in class_names)),
        reads=_filter_uses((read for method in methods for read in method.reads), class_names),
        writes=_filter_uses((write for method in methods for write in method.writes), class_names),
    )


def _filter_uses(uses: Iterable[FieldUse], class_names: Set[str]) -> tuple[FieldUse, ...]:
    return tuple(dict.fromkeys(use for use in uses if use[0] in class_names))
