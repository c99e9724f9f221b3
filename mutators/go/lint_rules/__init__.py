"""Smells of Go benchmarks: what their source shows without a run."""

from mutators.go.lint_rules.linter import GoLinter as GoLinter
