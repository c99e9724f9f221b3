"""Refuse what makes a house hard to know, and print how its functions are named.

* modules of more than 600 lines, functions of more than 45;
* folders of more than 25 modules;
* module names that say nothing;
* a class name that is defined twice, outside of the guests that run in the audited interpreter.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LONGEST_MODULE, LONGEST_FUNCTION, MOST_MODULES = 600, 45, 25
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
GUESTS = "runners/pybench/guest/"
"""Each file there is loaded by itself into the audited interpreter, so they share no code."""
ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("auditor", "mutators", "runners", "reports")


def module_faults(path: Path, tree: ast.Module, lines: int) -> Iterator[str]:
    """Yield what is wrong with the size or the name of one module."""
    if lines > LONGEST_MODULE:
        yield f"{path}: {lines} lines"
    if path.stem in SAYS_NOTHING:
        yield f"{path}: the name says nothing"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            length = node.end_lineno - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{path}:{node.lineno}: {node.name} has {length} lines"


def class_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names of the classes of a module."""
    return (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def function_words(tree: ast.Module) -> Iterator[int]:
    """Yield how many words each function's name has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            yield len([word for word in node.name.split("_") if word])


def main() -> int:
    """Check every module of the product."""
    product = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    faults, words = list[str](), list[int]()
    modules, classes = Counter[Path](), Counter[str]()
    for path in (*product, *sorted((ROOT / "benchmarks" / "training").rglob("*.py"))):
        text = path.read_text()
        tree = ast.parse(text)
        faults += module_faults(path, tree, text.count("\n"))
        if path in product:
            modules[path.parent] += 1
            words += function_words(tree)
            if GUESTS not in path.as_posix():
                classes.update(class_names(tree))
    faults += [f"{name}: {n} modules" for name, n in modules.items() if n > MOST_MODULES]
    faults += [f"class {name} is defined {n} times" for name, n in classes.items() if n > 1]
    sys.stderr.write("".join(fault + "\n" for fault in faults))
    print(f"words per function name: {sum(words) / max(1, len(words)):.2f}")  # noqa: T201
    return 1 if faults or not product else 0


if __name__ == "__main__":
    sys.exit(main())
