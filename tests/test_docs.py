"""The documentation: the site builds without a warning, and every command in it is one of ours."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from auditor.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^\$ (?:\.venv/bin/)?bench-audit (.*)$", re.MULTILINE)


def calls(page):
    """Yield the words of each call of bench-audit, without what the shell does with its output."""
    for block in _BLOCK.findall(page.read_text()):
        for line in _CALL.findall(block):
            words = shlex.split(line, comments=True)
            ends = [index for index, word in enumerate(words) if word in ("|", ">", ">>")]
            yield words[: min(ends, default=len(words))]


def parsed(group, words):
    """Let click read a call, down to the options of its command; nothing is run."""
    command = group.get_command(click.Context(group), words[0])
    assert command is not None, words
    if isinstance(command, click.Group):
        parsed(command, words[1:])
    else:
        command.make_context(words[0], list(words[1:]), resilient_parsing=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_command_that_is_shown_can_be_called_like_that(page):
    for words in calls(page):
        parsed(cli, words)


def test_all_commands_are_shown():
    page_commands = {words[0] for page in PAGES for words in calls(page)}

    assert set(COMMANDS) - page_commands == {"comment"}


def test_a_wrong_option_would_be_seen():
    with pytest.raises(click.NoSuchOption):
        parsed(cli, ["abs", ".", "--no-such-option"])


def test_the_site_builds_without_a_warning(tmp_path):
    built = subprocess.run(
        (sys.executable, "-m", "sphinx", "-q", "-W", "-n", "-d", tmp_path / "d", ROOT / "docs",
         tmp_path / "site"),
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip

    assert (built.returncode, built.stderr) == (0, "")
    pages = {str(path.relative_to(tmp_path / "site")) for path in tmp_path.rglob("*.html")}
    sources = {
        page.relative_to(ROOT / "docs").with_suffix(".html")
        for page in PAGES
        if page.name != "README.md"
    }
    assert set(map(str, sources)) <= pages
    options = (tmp_path / "site" / "reference" / "options.html").read_text()
    public_names = {name for name, entry in COMMANDS.items() if entry.purpose}
    assert {name for name in public_names if f"Usage: bench-audit {name} " not in options} == set()
