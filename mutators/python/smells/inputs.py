"""Inputs whose amount is drawn at random, by a generator that nobody seeds."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.smells import rules, tree
from mutators.python.smells.benches import Bench
from mutators.python.smells.hits import Hit
from mutators.python.smells.project import File, Project
from mutators.python.smells.randomness import SEED, is_unseeded

_AMOUNTS = frozenset({"size", "k", "n", "length", "count"})
"""Names of arguments that say how much there shall be."""


def look(bench: Bench, project: Project) -> Iterator[Hit]:
    """Yield the first draw of each piece of set-up that decides how much there is to do."""
    if b"random" not in bench.file.text or _seeds(bench.file, project):
        return
    for preparation in bench.preparations:
        found = next(_draws(bench, preparation.nodes), None)
        if found is not None:
            yield Hit(
                rule=rules.UNSEEDED_RANDOM,
                bench=bench,
                node=found,
                text=f"`{tree.code(found)}` draws how much the inputs hold, and nothing sets a"
                " seed: each run measures another amount of work.",
                head=preparation.head,
                shared=preparation.shared,
            )


def _draws(bench: Bench, nodes: tuple[cst.CSTNode, ...]) -> Iterator[cst.Call]:
    """Yield the draws in those expressions that decide how much code makes."""
    for node in tree.own(*nodes):
        for decider in _deciders(node):
            yield from (one for one in tree.calls(decider) if is_unseeded(one, bench))


def _deciders(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the parts of a node on which it hangs how often something is done."""
    match node:
        case cst.Call():
            everything = tree.dotted(node.func) == "range"
            for one in node.args:
                named = one.keyword is not None and one.keyword.value in _AMOUNTS
                if everything or named:
                    yield one.value
        case cst.If() | cst.While() | cst.CompIf():
            yield node.test
        case cst.Slice():
            yield from (one for one in (node.lower, node.upper) if one is not None)
        case cst.BinaryOperation(operator=cst.Multiply()):
            sides = (node.left, node.right)
            if any(isinstance(one, cst.List | cst.BaseString) for one in sides):
                yield node


def _seeds(file: File, project: Project) -> bool:
    """Tell whether a seed is set in the file, in what it imports, or in what runs before it."""
    return any(SEED.search(one.text) for one in (file, *project.around(file)))
