"""Java type expressions as values, so that they are compared as types and not as text."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import javalang

_ANNOTATION = re.compile(r"@[\w.]+(\([^()]*\))?\s*")
_MODIFIER = re.compile(r"\bfinal\s+")
_VARIABLE = re.compile(r"\.\.\.\s*\w*\s*$")


@dataclass(frozen=True, slots=True)
class JavaType:
    """A type. `name` has dots only, nested types too; `bound` is set for wildcards only.

    `bound` is `?`, `extends` or `super`; for a plain `?` the name is empty.
    """

    name: str
    arguments: tuple["JavaType", ...] = ()
    dimensions: int = 0
    bound: str = ""

    def __str__(self) -> str:
        """Return the type as it is written in Java."""
        if self.bound == "?":
            return "?"
        prefix = f"? {self.bound} " if self.bound else ""
        arguments = f"<{','.join(map(str, self.arguments))}>" if self.arguments else ""
        return f"{prefix}{self.name}{arguments}{'[]' * self.dimensions}"

    @property
    def raw_name(self) -> str:
        """Return the qualified name without type arguments."""
        return self.name + "[]" * self.dimensions

    @property
    def simple_name(self) -> str:
        """Return the last part of the name, without type arguments."""
        return self.name.rpartition(".")[2] + "[]" * self.dimensions

    def accepts_type(self, query: "JavaType") -> bool:
        """Tell whether `query` means this type: unqualified and raw names are allowed."""
        if (query.bound, query.dimensions) != (self.bound, self.dimensions):
            return False
        if self.name != query.name and not self.name.endswith(f".{query.name}"):
            return False
        if not query.arguments:
            return True
        return len(query.arguments) == len(self.arguments) and all(
            type_.accepts_type(query_argument)
            for type_, query_argument in zip(self.arguments, query.arguments, strict=True)
        )


class NotAType(ValueError):
    """The text is no Java type expression."""


@lru_cache(maxsize=4096)
def parse_type(text: str) -> JavaType:
    """Read a type expression; a parameter's name after it is allowed, `...` is an array.

    Raises NotAType.
    """
    plain = _MODIFIER.sub("", _ANNOTATION.sub("", text)).strip()
    flat, spread = _VARIABLE.subn("", plain)
    try:
        tokens = list(javalang.tokenizer.tokenize(flat.replace("$", ".")))
        parser = javalang.parser.Parser(tokens)
        type_ = _convert_type(parser.parse_type())
        rest = [token.value for token in list(parser.tokens) if token.value]
    except (
        javalang.parser.JavaSyntaxError,
        javalang.tokenizer.LexerError,
        StopIteration,
        IndexError,
        TypeError,
        AttributeError,
    ) as error:
        raise NotAType(f"not a Java type: {text!r}") from error
    # What is left may be the parameter's name.
    if len(rest) > 1 or (rest and not rest[0].isidentifier()):
        raise NotAType(f"not a Java type: {text!r}")
    return replace(type_, dimensions=type_.dimensions + spread)


def _convert_type(node: Any) -> JavaType:
    names, last = [node.name], node
    while getattr(last, "sub_type", None) is not None:
        last = last.sub_type
        names.append(last.name)
    arguments = tuple(
        _convert_argument(argument) for argument in getattr(last, "arguments", None) or ()
    )
    return JavaType(".".join(names), arguments, len(node.dimensions or ()))


def _convert_argument(node: Any) -> JavaType:
    if node.type is None:
        return JavaType("", bound="?")
    type_ = _convert_type(node.type)
    return replace(type_, bound=node.pattern_type) if node.pattern_type else type_


def split_list(text: str) -> list[str]:
    """Split `A<B,C>, D` at the commas that are outside of brackets."""
    parts, depth, start = [], 0, 0
    for index, sign in enumerate(text):
        depth += (sign in "<([") - (sign in ">)]")
        if sign == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part.strip() for part in parts] if text.strip() else []
