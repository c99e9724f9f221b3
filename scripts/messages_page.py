"""Write the page of messages anew from the catalogue `auditor/messages.toml`."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "auditor" / "messages.toml"
DOCS = ROOT / "docs"
PAGE = DOCS / "messages.md"
MOST_WORDS = 10
"""How many words of an example the page shows."""
INTRODUCTION = """\
# Messages

`error[slug]: …` on stderr ends the command. `note[slug]: …`, and `[slug]` under *To know*, is a
caveat: it qualifies a number. Each entry has the cause, the remedy, and the beginning of an
example.

`scripts/messages_page.py` writes this page.
"""


def relink(text: str) -> str:
    """Return Markdown whose links, relative to docs/, are relative to the page."""
    return re.sub(
        r"\]\(([^)]+)\)",
        lambda link: f"]({os.path.relpath(DOCS / link[1], PAGE.parent)})",
        text,
    )


def shorten(example: str) -> str:
    """Return the beginning of an example as code: a clause, of at most so many words."""
    clause = example.partition("; ")[0]
    words = " ".join(clause.split()[:MOST_WORDS])
    mark = "``" if "`" in words else "`"
    space = " " if "`" in words else ""
    return f"{mark}{space}{words}{'' if words == example else '…'}{space}{mark}"


def page() -> str:
    """Return the text of the page."""
    return "\n".join([INTRODUCTION, *_lines(tomllib.loads(CATALOGUE.read_text()))])


def _lines(catalogue: dict[str, Any]) -> Iterator[str]:
    yield from ("## Exit codes", "", "| code | meaning |", "| --- | --- |")
    yield from (f"| {code} | {text} |" for code, text in catalogue["exit_codes"].items())
    for group, title in catalogue["titles"].items():
        yield from ("", f"## {title}")
        for slug, entry in catalogue[group].items():
            code = f"Exit {entry['exit_code']}. " if "exit_code" in entry else ""
            text = relink(f"{code}{entry['cause']} {entry['remedy']}")
            yield from ("", f"### {slug}", "", text, "", shorten(entry["example"]))
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page())
