"""What is written into a Python module: calls of the guest around the bodies of functions.

Lines that are ours end with MARK, and no other line changes but by its indentation. So the guest
knows which line of the user's file each line is, and nobody who looks at a traceback sees ours.
"""

import ast
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import libcst as cst
from libcst import metadata

from mutators.python.guest_call_edits import GUEST, EditImpossible
from mutators.python.parsing import parse_quietly, parse_source

MARK = "# zz-bench-audit"
_NAME = f"_{GUEST}"
_TOKEN = "_zz_token"  # noqa: S105 - a variable

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


def edit_module(text: bytes, calls: Mapping[int, tuple[str, str]], guest: str) -> bytes:
    """Insert calls of the guest; the text has no byte order mark, as libcst keeps none."""
    text = text.removeprefix(BOM_UTF8)
    if MARK.encode() in text:
        raise EditImpossible(f"the file has a line with {MARK}, which is how we know our own")
    module = parse_source(text)
    if module is None:
        raise EditImpossible(
            "its file cannot be read: its syntax is broken, or it is nested too deeply"
        )
    change = _BodyWrapper(calls, _find_def_lines(text, module))
    changed = module.visit(change)
    if missing := set(calls) - change.seen:
        raise EditImpossible(f"no function begins on line {min(missing)}")
    chunk = changed.with_changes(body=_insert_import(changed.body, guest)).bytes
    if not _same_lines(chunk, text):
        raise EditImpossible("its body begins on the line of its def and goes on below")
    return chunk


def _same_lines(chunk: bytes, text: bytes) -> bool:
    """Tell whether all lines that are not ours are the file's; of a one-line `def` the head is."""
    lines = [line for line in chunk.splitlines() if not line.endswith(MARK.encode())]
    file_lines = text.splitlines()
    return len(lines) == len(file_lines) and all(
        file_line.strip().startswith(line.strip())
        for line, file_line in zip(lines, file_lines, strict=True)
    )


def _find_def_lines(text: bytes, module: cst.Module) -> Iterator[int]:
    """Yield the line of each `def` in the order of the text."""
    try:
        tree = parse_quietly(text)
    except SyntaxError:  # of a newer Python; libcst makes all of the text anew to know its lines
        positions = metadata.MetadataWrapper(module, unsafe_skip_copy=True).resolve(
            metadata.PositionProvider
        )
        functions = (node.name for node in positions if isinstance(node, cst.FunctionDef))
        lines = [positions[name].start.line for name in functions]
    else:
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef)
        lines = [node.lineno for node in ast.walk(tree) if isinstance(node, definitions)]
    return iter(sorted(lines))


_AROUND_FUNCTIONS = (
    cst.Module,
    cst.BaseCompoundStatement,
    cst.IndentedBlock,
    cst.Else,
    cst.Finally,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.MatchCase,
)
"""Nodes that may have a function inside."""


class _BodyWrapper(cst.CSTTransformer):
    """Wraps the bodies of the functions that are asked for, those inside others too."""

    def __init__(self, calls: Mapping[int, tuple[str, str]], lines: Iterator[int]) -> None:
        super().__init__()
        self.calls = calls
        self.seen: set[int] = set()
        self.lines = lines
        self.open_lines: list[int] = []
        """Lines of the functions that the visit is in."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Take the line of a function; look into nothing that has no function."""
        if isinstance(node, cst.FunctionDef):
            self.open_lines.append(next(self.lines))
        return isinstance(node, _AROUND_FUNCTIONS)

    def leave_FunctionDef(  # noqa: N802 - libcst's name
        self,
        original_node: cst.FunctionDef,  # noqa: ARG002 - libcst hands it over
        updated_node: cst.FunctionDef,
    ) -> cst.FunctionDef:
        """Wrap a body where its function is one of ours."""
        line = self.open_lines.pop()
        if line not in self.calls:
            return updated_node
        self.seen.add(line)
        return updated_node.with_changes(body=_wrap_body(updated_node.body, *self.calls[line]))


def _wrap_body(body: cst.BaseSuite, before: str, after: str) -> cst.IndentedBlock:
    if not after:
        return _insert_first_call(body, before)
    if isinstance(body, cst.IndentedBlock):
        docstring, rest = _split_docstring(cast("Sequence[Statement]", body.body))
        inner: cst.IndentedBlock = body.with_changes(
            body=rest or [_make_line("pass")], header=_make_mark()
        )
        header, footer = body.header, body.footer
        inner = inner.with_changes(footer=footer)
    else:
        # All of it is on the line of the def: that stays the only line that is the user's.
        small = cast("Sequence[cst.BaseSmallStatement]", body.body)
        line = cst.SimpleStatementLine(list(small), trailing_whitespace=_make_mark())
        docstring, rest = _split_docstring([line])
        inner = cst.IndentedBlock([*(rest or [_make_line("pass")])], header=_make_mark())
        header = cst.TrailingWhitespace()
    attempt = cst.Try(
        body=inner,
        finalbody=cst.Finally(
            body=cst.IndentedBlock([_make_line(f"{_NAME}.{after}({_TOKEN})")], header=_make_mark())
        ),
    )
    return cst.IndentedBlock(
        [*docstring, _make_line(f"{_TOKEN} = {_NAME}.{before}"), attempt], header=header
    )


def _insert_first_call(body: cst.BaseSuite, before: str) -> cst.IndentedBlock:
    """Put a call in front of what a function does."""
    call = _make_line(f"{_NAME}.{before}")
    if isinstance(body, cst.IndentedBlock):
        docstring, rest = _split_docstring(cast("Sequence[Statement]", body.body))
        return body.with_changes(body=[*docstring, call, *rest])
    small = cast("Sequence[cst.BaseSmallStatement]", body.body)
    line = cst.SimpleStatementLine(list(small), trailing_whitespace=_make_mark())
    docstring, rest = _split_docstring([line])
    return cst.IndentedBlock([*docstring, call, *rest])


def _split_docstring(
    body: Sequence[Statement],
) -> tuple[list[Statement], list[Statement]]:
    """Part a docstring from what follows it, on its line too: it has to stay the first."""
    first = body[0] if body else None
    if not (
        isinstance(first, cst.SimpleStatementLine)
        and isinstance(first.body[0], cst.Expr)
        and isinstance(first.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    ):
        return [], list(body)
    if len(first.body) == 1:
        return [first], list(body[1:])
    text = first.body[0].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    is_marked = first.trailing_whitespace.comment is not None and (
        first.trailing_whitespace.comment.value == MARK
    )
    docstring = cst.SimpleStatementLine(
        [text],
        leading_lines=first.leading_lines,
        trailing_whitespace=_make_mark() if is_marked else cst.TrailingWhitespace(),
    )
    rest = cst.SimpleStatementLine(first.body[1:], trailing_whitespace=_make_mark())
    return [docstring], [rest, *body[1:]]


def _insert_import(body: Sequence[Statement], guest: str) -> list[Statement]:
    """Put the import behind the docstring and the imports from __future__."""
    docstring, rest = _split_docstring(body)
    position = len(docstring)
    for number, statement in enumerate(rest):
        if isinstance(statement, cst.SimpleStatementLine) and any(map(_is_future, statement.body)):
            position = len(docstring) + number + 1
    all_statements = [*docstring, *rest]
    return [
        *all_statements[:position],
        _make_line(f"import {guest} as {_NAME}"),
        *all_statements[position:],
    ]


def _is_future(statement: cst.BaseSmallStatement) -> bool:
    return (
        isinstance(statement, cst.ImportFrom)
        and isinstance(statement.module, cst.Name)
        and statement.module.value == "__future__"
    )


def _make_line(text: str) -> cst.SimpleStatementLine:
    statement = cst.parse_statement(text)
    return cast("cst.SimpleStatementLine", statement.with_changes(trailing_whitespace=_make_mark()))


def _make_mark() -> cst.TrailingWhitespace:
    return cst.TrailingWhitespace(whitespace=cst.SimpleWhitespace("  "), comment=cst.Comment(MARK))
