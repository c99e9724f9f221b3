"""What a rule has found in a declaration, before it is told as a smell."""

from dataclasses import dataclass

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, SmellRule


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """A place in the tree of a file."""

    rule: SmellRule  # that reports it
    node: Node  # the place
    text: str  # a sentence on this place
    calls: tuple[str, ...] | None = None  # as in `Smell`
    overlapping: bool = False  # as in `Smell`
    sure: Confidence | None = None  # confidence; None: that of the rule
