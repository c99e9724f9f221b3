"""The text of a page without the links that explain its terms."""

import re

_TERM = re.compile(r'<a class="term"[^>]*>(.*?)</a>')


def unlinked(html):
    """Return a page in which terms are plain words again."""
    return _TERM.sub(r"\1", html)
