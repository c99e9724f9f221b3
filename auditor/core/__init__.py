"""The vocabulary: immutable types that every other package speaks in. Standard library only."""
