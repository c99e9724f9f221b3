"""Parameter types from what class files hold: descriptors and generic signatures."""

from auditor.core.errors import SourceUnreadable
from mutators.java.types import JavaType

_PRIMITIVES_BY_SIGN = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}
PRIMITIVES = frozenset(_PRIMITIVES_BY_SIGN.values())
_WILDCARDS = {"+": "extends", "-": "super"}


def parameter_types(text: str) -> tuple[JavaType, ...]:
    """Return the types between the parentheses of a descriptor or a signature.

    Raises SourceUnreadable where it is neither.
    """
    try:
        reader = _DescriptorReader(text, _find_opening_parenthesis(text) + 1)
        types = []
        while text[reader.offset] != ")":
            types.append(reader.read_type())
    except (IndexError, KeyError, ValueError) as error:
        raise SourceUnreadable(f"not a method's signature: {text!r}") from error
    return tuple(types)


def _find_opening_parenthesis(text: str) -> int:
    """Return where the parameters begin: type variables with bounds may come before."""
    depth = 0
    for index, sign in enumerate(text):
        depth += (sign == "<") - (sign == ">")
        if sign == "(" and depth == 0:
            return index
    raise ValueError(text)


class _DescriptorReader:
    def __init__(self, text: str, offset: int) -> None:
        self._text = text
        self.offset = offset

    def read_type(self) -> JavaType:
        dimensions = 0
        while self._text[self.offset] == "[":
            dimensions += 1
            self.offset += 1
        sign = self._text[self.offset]
        self.offset += 1
        if sign == "L":
            return self._read_class_type(dimensions)
        if sign == "T":
            end = self._text.index(";", self.offset)
            name, self.offset = self._text[self.offset : end], end + 1
            return JavaType(name, dimensions=dimensions)
        return JavaType(_PRIMITIVES_BY_SIGN[sign], dimensions=dimensions)

    def _read_class_type(self, dimensions: int) -> JavaType:
        name = ""
        arguments: tuple[JavaType, ...] = ()
        start = self.offset
        while True:
            sign = self._text[self.offset]
            if sign in "<;":
                name += self._text[start : self.offset]
            self.offset += 1
            if sign == ";":
                break
            if sign == "<":
                arguments = self._read_type_arguments()
                start = self.offset
                if self._text[self.offset] == ".":
                    # A type nested in a generic one: only its own arguments are kept.
                    arguments = ()
        dotted = name.replace("/", ".").replace("$", ".")
        return JavaType(dotted, arguments, dimensions)

    def _read_type_arguments(self) -> tuple[JavaType, ...]:
        arguments = []
        while self._text[self.offset] != ">":
            sign = self._text[self.offset]
            if sign == "*":
                self.offset += 1
                arguments.append(JavaType("", bound="?"))
            elif sign in _WILDCARDS:
                self.offset += 1
                bare = self.read_type()
                bound = _WILDCARDS[sign]
                arguments.append(JavaType(bare.name, bare.arguments, bare.dimensions, bound))
            else:
                arguments.append(self.read_type())
        self.offset += 1
        return tuple(arguments)
