"""What a rule has found in a declaration, before it is told as a smell."""

from dataclasses import dataclass

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, SmellRule


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """A place in the tree of a file: the rule, the node, a sentence, and more of a `Smell`."""

    rule: SmellRule
    node: Node
    text: str
    calls: tuple[str, ...] | None = None
    overlapping: bool = False
    sure: Confidence | None = None
