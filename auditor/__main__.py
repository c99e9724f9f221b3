"""`python -m auditor` is `bench-audit`."""

from auditor.cli.main import entry

entry()
