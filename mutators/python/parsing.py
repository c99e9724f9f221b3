"""Python source as libcst's tree, where it can be made without danger."""

import ast
import tokenize
import warnings
from io import BytesIO

import libcst as cst

DEEPEST = 100
"""How deep expressions and blocks of a file may be nested: libcst's parser has no limit of its
own, and ends the process where its stack does."""
_WIDEST = 500
"""How many parts `a and b ...`, `import a.b...` and `[... for ... for ...]` may have: Python's own
tree is flat there, and libcst's is as deep."""
_LONGEST = 5000
"""How many tokens a statement may have whose syntax this interpreter does not know."""
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def parse_source(text: bytes) -> cst.Module | None:
    """Return the tree of a file, None where its syntax is broken or it is nested too deeply."""
    try:
        return cst.parse_module(text) if _is_shallow(text) else None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # the parser is Rust: a panic in it is no Exception
        return None


def _is_shallow(text: bytes) -> bool:
    """Tell whether a file can be parsed without danger, even one of newer syntax."""
    try:
        return not _too_deep(parse_quietly(text))
    except SyntaxError:
        return _has_shallow_tokens(text)


def parse_quietly(text: bytes) -> ast.Module:
    """Return this interpreter's own tree of a file; raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd escapes in strings
        return ast.parse(text)


def _has_shallow_tokens(text: bytes) -> bool:
    """Tell whether the tokens of a file show that nothing in it is nested deeply."""
    depth = length = lambdas = 0
    for token in tokenize.tokenize(BytesIO(text).readline):
        depth += (token.string in _OPEN or token.type == tokenize.INDENT) - (
            token.string in _CLOSE or token.type == tokenize.DEDENT
        )
        lambdas += token.string == "lambda"
        length += 1
        inside = token.string.count("{") if token.type == tokenize.STRING else 0
        if max(depth, lambdas, inside) > DEEPEST // 2 or length > _LONGEST:
            return False
        if token.type == tokenize.NEWLINE:
            length = lambdas = 0
    return True


def _too_deep(tree: ast.AST) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
        if any(_measure_width(node) > _WIDEST for node in level):
            return True
    return True


def _measure_width(node: ast.AST) -> int:
    match node:
        case ast.BoolOp(values=parts) | ast.ListComp(generators=parts):
            return len(parts)
        case ast.SetComp(generators=parts) | ast.DictComp(generators=parts):
            return len(parts)
        case ast.GeneratorExp(generators=parts):
            return len(parts)
        case ast.alias(name=str(name)) | ast.ImportFrom(module=str(name)):
            return name.count(".")
        case _:
            return 0
