"""What the classes of a version do, as far as two versions can be compared by it.

Names and types are Java's binary names (`java.util.Map$Entry`), arrays with `[]` behind; methods
are told apart by `name(Type,Type)`, as in `Member.key`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BytecodeCall:
    """A method as it is called; of a virtual one, the class of the object decides what runs."""

    owner: str
    key: str
    virtual: bool = False


FieldUse = tuple[str, str]
"""A field that is read or written: the class by which the code names it, its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCode:
    """A field; `flags` are Java's words, such as "volatile".

    `values` are digests of what makes the values that constructors and initialisers give it.
    """

    type: str
    flags: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCode:
    """A method or constructor: a digest of its code, and which classes of the version it uses.

    What its lambdas do, and the bridges by which classes reach into each other, is part of it.
    """

    digest: str
    flags: frozenset[str] = frozenset()
    calls: tuple[BytecodeCall, ...] = ()
    reads: tuple[FieldUse, ...] = ()
    writes: tuple[FieldUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCode:
    """A class or interface."""

    name: str  # binary name, with dots
    superclass: str | None = None  # its name; None: it has none
    interfaces: tuple[str, ...] = ()  # names of the interfaces that it implements
    flags: frozenset[str] = frozenset()  # access flags, such as "public"
    methods: Mapping[str, MethodCode]  # by their keys
    fields: Mapping[str, FieldCode]  # by their names


Classes = Mapping[str, ClassCode]
"""The classes of a version by their names."""
