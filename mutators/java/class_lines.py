"""The lines of the list of classes that the guest writes."""

import msgspec

PUBLIC, PRIVATE, PROTECTED, STATIC, FINAL = 0x0001, 0x0002, 0x0004, 0x0008, 0x0010
NATIVE, INTERFACE, ABSTRACT, SYNTHETIC, ENUM = 0x0100, 0x0200, 0x0400, 0x1000, 0x4000


class ListingLine(msgspec.Struct, frozen=True):
    """One line of the list: a method, a module, a class, or something that could not be read.

    A line "class" is of one without methods, or one that only some JVMs have (META-INF/versions).
    """

    kind: str  # "method", "module" or "class"; other: what could not be read
    part: str = ""  # folder or jar that it is in
    owner: str = ""  # internal name of the class
    owner_access: int = 0  # access flags of the class
    above: tuple[str, ...] = ()  # internal names of what the class extends and implements
    source: str | None = None  # name of the class's source file; None: unknown
    name: str = ""  # of the method
    descriptor: str = ""  # of the method
    signature: str | None = None  # generic signature of the method; None: it has none
    access: int = 0  # access flags of the method
    nests: tuple[tuple[str, str | None, str | None, int], ...] = ()
    """The type and those around it, inside out: name, the outer one's name, its simple name,
    its access flags; the names are None for a type inside a method."""
    exports: tuple[str, ...] = ()  # packages that the module exports
