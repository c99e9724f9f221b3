"""The documentation site: `make docs` builds it into build/docs."""

import re
from importlib.metadata import version as installed

project = "bench-audit"
author = "the bench-audit authors"
project_copyright = "the bench-audit authors, Apache-2.0"
release = installed("bench-audit")
extensions = ["myst_parser"]
exclude_patterns = ["conf.py"]
html_theme = "furo"
html_title = "bench-audit"
myst_heading_anchors = 3
myst_url_schemes = ["http", "https"]

_REPOSITORY = "https://github.com/bench-audit/bench-audit/blob/main/"
_OUTSIDE = re.compile(r"\]\((?:\.\./)+(benchmarks|examples|reports)/")


def link_to_repository(_app, _docname, source):
    """Let links to files outside of docs lead to the repository, as the site has no such pages."""
    source[0] = _OUTSIDE.sub(rf"]({_REPOSITORY}\1/", source[0])


def setup(app):
    """Tell Sphinx what to do with each page that it reads."""
    app.connect("source-read", link_to_repository)
