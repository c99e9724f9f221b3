"""Smells of Go benchmarks: what their source shows without a run."""

from mutators.go.smells.linter import GoLinter as GoLinter
