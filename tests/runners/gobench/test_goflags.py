"""GOFLAGS as the go command reads it."""

import pytest

from auditor.core.errors import FolderUnusable
from runners.gobench.settings import join_goflags, split_goflags


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["-a", "-modfile=/x/go.mod"], "-a -modfile=/x/go.mod"),
        (["-modfile=/a b/go.mod"], "'-modfile=/a b/go.mod'"),
        (["-modfile=/a user's/go.mod", "-v"], '"-modfile=/a user\'s/go.mod" -v'),
        (["-modfile=/it's/go.mod"], "-modfile=/it's/go.mod"),
    ],
)
def test_flags_are_quoted_as_a_whole(flags, text):
    assert join_goflags(flags) == text
    assert split_goflags(text) == flags


def test_a_flag_with_a_blank_and_both_quotes_cannot_be_said():
    with pytest.raises(FolderUnusable, match="both kinds of quotes"):
        join_goflags(["""-modfile=/a user's "own"/go.mod"""])
