"""What a rule has found in a declaration, before it is told as a smell."""

from dataclasses import dataclass

from tree_sitter import Node

from auditor.core.contracts.lint import Rule, Sure


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """A place in the tree of a file: the rule, the node, a sentence, and more of a `Smell`."""

    rule: Rule
    node: Node
    text: str
    calls: tuple[str, ...] | None = None
    overlapping: bool = False
    sure: Sure | None = None
