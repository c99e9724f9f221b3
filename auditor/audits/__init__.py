"""The questions: runs in, verdicts out; pure, one file per question."""
