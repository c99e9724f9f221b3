"""Python modules whose syntax is newer than that of the interpreter that runs us."""

import ast
import re
from collections.abc import Iterator

import libcst as cst
from libcst import matchers, metadata

from mutators.python.parsing import parse_source

_LINE_END = re.compile(r"\r\n?|\n")


def parse_newer_syntax(text: bytes) -> ast.Module | None:
    """Return the tree of a module, None where its syntax is broken or nothing here knows it.

    All lines stay where they are. Type parameters are left out, a `type` statement is an
    assignment, and an f-string that this interpreter cannot read is a call with its values.
    """
    module = parse_source(text)
    if module is None:
        return None
    try:
        visitor = _NewerSyntax(module.code)
        metadata.MetadataWrapper(module, unsafe_skip_copy=True).visit(visitor)
        return ast.parse(visitor.apply_edits())
    except (SyntaxError, ValueError, RecursionError):
        return None


class _NewerSyntax(cst.CSTVisitor):
    """Collects what has to be written in another way."""

    METADATA_DEPENDENCIES = (metadata.PositionProvider,)

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code = code
        self.line_starts = [0, *(match.end() for match in _LINE_END.finditer(code))]
        self.edits: list[tuple[int, int, str]] = []

    def visit_TypeParameters(self, node: cst.TypeParameters) -> bool:  # noqa: N802 - libcst's name
        """Leave out `[T]`."""
        begin, end = self._locate(node)
        self._replace_range(begin, end, "")
        return False

    def visit_TypeAlias(self, node: cst.TypeAlias) -> None:  # noqa: N802 - libcst's name
        """Write `type A = B` as `A = B`."""
        self._replace_range(self._locate(node)[0], self._locate(node.name)[1], node.name.value)

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:  # noqa: N802 - libcst's name
        """Write an f-string that is unknown here as a call."""
        return self._replace_string(node)

    def visit_ConcatenatedString(  # noqa: N802 - libcst's name
        self, node: cst.ConcatenatedString
    ) -> bool:
        """Write strings with such an f-string as a call."""
        return self._replace_string(node)

    def apply_edits(self) -> str:
        """Return the text in the older syntax."""
        parts, position = [], 0
        for begin, end, replacement in sorted(self.edits):
            parts += [self.code[position:begin], replacement]
            position = end
        return "".join([*parts, self.code[position:]])

    def _replace_range(self, begin: int, end: int, replacement: str) -> None:
        line_ends = len(_LINE_END.findall(self.code[begin:end]))
        self.edits.append((begin, end, replacement + " \\\n" * line_ends))

    def _replace_string(self, node: cst.BaseExpression) -> bool:
        begin, end = self._locate(node)
        text = self.code[begin:end]
        if not _is_known(text):
            call = ", ".join([f"str({text!r}", *self._list_values(node)])
            line_ends = len(_LINE_END.findall(text)) - len(_LINE_END.findall(call))
            self.edits.append((begin, end, call + "\n" * line_ends + ")"))
        return False

    def _list_values(self, node: cst.BaseExpression) -> Iterator[str]:
        """Yield what the fields of a string have; a field inside another is part of that."""
        position = 0
        for field in matchers.findall(node, matchers.FormattedStringExpression()):
            begin, end = self._locate(field.expression)  # type: ignore[attr-defined]
            text = f"({self.code[begin:end]})"
            if begin >= position and _is_known(text):
                position = end
                yield text

    def _locate(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return where the text of a node begins and ends."""
        place = self.get_metadata(metadata.PositionProvider, node)
        begin, end = (
            self.line_starts[position.line - 1] + position.column
            for position in (place.start, place.end)
        )
        return begin, end


def _is_known(text: str) -> bool:
    """Tell whether this interpreter can parse an expression."""
    try:
        ast.parse(f"({text})")
    except SyntaxError:
        return False
    return True
