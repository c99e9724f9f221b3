"""Refuse modules of more than 600 lines, functions of more than 45, and names that say nothing."""

import ast
import sys
from pathlib import Path

LONGEST_MODULE, LONGEST_FUNCTION = 600, 45
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
ROOT = Path(__file__).resolve().parent.parent


def faults(path: Path) -> list[str]:
    """Return what is wrong with the size or the name of one module."""
    text = path.read_text()
    lines = text.count("\n")
    found = [f"{path}: {lines} lines"] if lines > LONGEST_MODULE else []
    if path.stem in SAYS_NOTHING:
        found.append(f"{path}: the name says nothing")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            length = node.end_lineno - node.lineno + 1
            if length > LONGEST_FUNCTION:
                found.append(f"{path}:{node.lineno}: {node.name} has {length} lines")
    return found


def main() -> int:
    """Check every module of the product."""
    folders = ("auditor", "mutators", "runners", "reports", "benchmarks/training")
    modules = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    found = [fault for path in modules for fault in faults(path)]
    sys.stderr.write("".join(fault + "\n" for fault in found))
    return 1 if found or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
