"""How large is the page of a large suite, and how fast is it in Chromium?

Renders made-up results (those of the tests) and opens each page: told are the bytes, the seconds to
render it, the milliseconds to its first paint, and those from a key pressed in a filter to the
frame that shows what is left, of the matrix, of the methods and of the benchmarks. The last key
takes a letter away, which brings most rows back.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "support")]

import crowds  # noqa: E402 - the tests' own results

from auditor.abs.page.report import render_page  # noqa: E402

SIZES = ((20, 100, 1), (20, 100, 10), (200, 1000, 100), (200, 1000, 10))
"""Methods, benchmarks, and one of how many pairs is reached."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PAINT = """() => performance.getEntriesByType("paint")
    .find((one) => one.name === "first-contentful-paint").startTime"""
FILTER = """async ([section, wanted]) => {
    const box = document.querySelector(`${section} input[type=search]`);
    for (let at = box; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    await frame();
    const times = [];
    const typed = [...wanted].map((_, at) => wanted.slice(0, at + 1));
    for (const value of [...typed, typed.at(-2)]) {
        const start = performance.now();
        box.value = value;
        box.dispatchEvent(new Event("input"));
        document.body.getBoundingClientRect();
        await frame();
        times.push(performance.now() - start);
    }
    box.value = "";
    box.dispatchEvent(new Event("input"));
    await new Promise((done) => setTimeout(done, 2000)); // the last rows come back after the first
    return Math.max(...times);
}"""
FILTERS = (("#matrix", "type7"), ("#methods", "type7"), ("#stability", "type7"))


def main() -> int:
    """Render, open, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="a folder for the pages")
    arguments = parser.parse_args()
    print("methods x benchmarks  reached     bytes  render  first paint  slowest filter")
    with (
        tempfile.TemporaryDirectory(prefix="report-size-") as scratch,
        sync_playwright() as playwright,
    ):
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for methods, benchmarks, stride in SIZES:
            document = crowds.crowd(methods, benchmarks, stride)
            began = time.perf_counter()
            html = render_page(document).encode()
            took = time.perf_counter() - began
            file = folder / f"{methods}x{benchmarks}-{stride}.html"
            file.write_bytes(html)
            tab = browser.new_page()
            tab.goto(file.as_uri())
            print(
                f"{methods:7} x {benchmarks:<11} {methods * benchmarks // stride:7} "
                f"{len(html):9,} {took:6.2f}s {tab.evaluate(PAINT):10.0f}ms  {_filters(tab)}"
            )
            tab.close()
        browser.close()
    return 0


def _filters(tab: Page) -> str:
    timings = (
        f"{section} {tab.evaluate(FILTER, [section, query]):.0f}ms" for section, query in FILTERS
    )
    return ", ".join(timings)


if __name__ == "__main__":
    sys.exit(main())
