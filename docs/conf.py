"""The documentation site: `make docs` builds it into build/docs."""

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
