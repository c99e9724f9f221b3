"""Curves as a drawing of its own, for documents: it has its own colours, for light and dark."""

from collections.abc import Sequence

from markupsafe import escape

from reports import charts
from reports.charts import Axes, ChartCurve

KINDS = ("first", "second")
"""Of curves that have a style."""
_STYLE = (
    "text{font:12px sans-serif;fill:#545b64}rect{fill:#fcfcfb}path{fill:none;stroke:#dcdfe3}"
    ".needed{stroke:#545b64;stroke-dasharray:3 3}.way{stroke-width:2}"
    ".dot{stroke-width:7;stroke-linecap:round}.first{stroke:#2468b4}.second{stroke:#c65f00}"
    ".way.second{stroke-dasharray:6 4}.dot.second{stroke-linecap:square}text.first,text.second"
    "{stroke:none;fill:#1a1d21}"
    "@media(prefers-color-scheme:dark){text{fill:#a3abb5}rect{fill:#14171a}path{stroke:#343a41}"
    ".needed{stroke:#a3abb5}.first{stroke:#5b9fe8}.second{stroke:#f0913a}"
    "text.first,text.second{fill:#e8eaed}}"
)


def svg(title: str, words: str, axes: Axes, curves: Sequence[ChartCurve]) -> str:
    """Draw curves of KINDS; `words` say the same to those who do not see them."""
    width, height = axes.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="title words">\n<title id="title">{escape(title)}</title>\n'
        f'<desc id="words">{escape(words)}.</desc>\n<style>{_STYLE}</style>\n'
        f'<rect width="{width}" height="{height}"/>\n{charts.draw_chart(axes, curves)}\n</svg>\n'
    )
