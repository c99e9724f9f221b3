"""Go: methods found by tree-sitter, variants made as byte edits for the compiler's overlay."""

from mutators.go.mutator import GoMutator as GoMutator
