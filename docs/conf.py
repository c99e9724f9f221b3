"""The documentation site: `make docs` builds it into build/docs."""

import re
from importlib.metadata import version as installed

import click

from auditor.cli.main import PROGRAM, cli

project = "bench-audit"
author = "the bench-audit authors"
project_copyright = "the bench-audit authors, Apache-2.0"
release = installed("bench-audit")
extensions = ["myst_parser"]
exclude_patterns = ["conf.py", "_templates"]
html_theme = "furo"
html_title = "bench-audit"
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "versions.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
myst_heading_anchors = 3
myst_url_schemes = ["http", "https"]

_REPOSITORY = "https://github.com/bench-audit/bench-audit/blob/main/"
_OUTSIDE = re.compile(r"\]\((?:\.\./)+(benchmarks|examples|reports)/")


def link_to_repository(_app, _docname, source):
    """Let links to files outside of docs lead to the repository, as the site has no such pages."""
    source[0] = _OUTSIDE.sub(rf"]({_REPOSITORY}\1/", source[0])


_HELP_PLACE = "<!-- the help of each command -->"


def format_help(command, name, parent=None):
    """Return the help of a command and of those within it, as sections of a page."""
    context = command.context_class(command, info_name=name, parent=parent, terminal_width=80)
    path = context.command_path.removeprefix(f"{PROGRAM} ")
    depth = "##" if parent is None or parent.parent is None else "###"
    sections = [f"{depth} {path}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        sections += [
            format_help(command.get_command(context, child), child, context)
            for child in command.list_commands(context)
        ]
    return "\n".join(sections)


def add_help(_app, _docname, source):
    """Put the help of each command where a page asks for it."""
    if _HELP_PLACE in source[0]:
        source[0] = source[0].replace(_HELP_PLACE, format_help(cli, PROGRAM))


def setup(app):
    """Tell Sphinx what to do with each page that it reads."""
    app.connect("source-read", link_to_repository)
    app.connect("source-read", add_help)
