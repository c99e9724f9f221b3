"""How well does a newcomer know their room? Prints figures of the product's own code.

    python benchmarks/house.py
    python benchmarks/house.py --at 7044415     the same of an earlier commit, beside it

* words per name, and the share of names of one word, of functions and of classes;
* classes whose name is defined in several files;
* folders with more than 25 modules, folders that a feature is spread over;
* files outside the language folders that name a language or a harness;
* how often `one`, `found`, `said` and the like are bound as names;
* modules and lines.
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("auditor", "mutators", "runners", "reports")
MOST_MODULES = 25
VAGUE = {"one", "found", "said", "told", "asked", "made", "known"}
FEATURES = (
    *("abs", "compare", "backtest", "qualify", "select", "stubs", "trace", "concurrency"),
    *("lint", "series", "steady", "similarity", "analyze"),
)
SPELLINGS: Mapping[str, str] = {
    "abs": r"abs_score|(^|/)abs(/|\.)",
    "compare": r"compar",
    "backtest": r"backtest",
    "qualify": r"qualif|slowed|gates?\.py",
    "select": r"select|choices|removal",
    "stubs": r"stub|unwatched",
    "trace": r"trac|profil(e|ing)|suite_use|usage|clients",
    "concurrency": r"concurren|racing|races|arena|asking",
    "lint": r"lint|smells|bearing_out",
    "series": r"(^|/)series|watching|stored",
    "steady": r"steady|warming|(^|/)watch(/|\.)|printed",
    "similarity": r"similar|alike|heat",
    "analyze": r"(^|/)(judg|analy)|unpaired|foreign",
}
"""By which words the files of a feature were found where it had no folder."""
LANGUAGES = re.compile(r"""["'](go|java|python|jmh|pytest|asv|pyperf)["']""")
OF_LANGUAGES = re.compile(
    r"^(mutators/(go|java|python)|runners/(gobench|jmh|pybench|concurrency|stored)|"
    r"auditor/(languages|importers))(/|\.py$)"
)


@dataclass(slots=True)
class Figures:
    """What was counted."""

    functions: list[str] = field(default_factory=list)
    classes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    vague: Counter[str] = field(default_factory=Counter)
    folders: Counter[str] = field(default_factory=Counter)
    spread: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    naming_a_language: list[str] = field(default_factory=list)
    modules: int = 0
    lines: int = 0
    lines_of_all: int = 0

    def add(self, name: str, text: str) -> None:
        """Count one module."""
        self.modules += 1
        self.lines += text.count("\n")
        folder = name.rpartition("/")[0]
        self.folders[folder] += 1
        for feature in FEATURES:
            if re.search(SPELLINGS[feature], name):
                self.spread[feature].add(folder)
        if LANGUAGES.search(text) and not OF_LANGUAGES.search(name):
            self.naming_a_language.append(name)
        self._add_names(name, ast.parse(text))

    def _add_names(self, name: str, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if not node.name.startswith("__"):
                    self.functions.append(node.name)
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name].add(name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.vague[node.id] += node.id in VAGUE
            elif isinstance(node, ast.arg):
                self.vague[node.arg] += node.arg in VAGUE

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield what the table shows."""
        words = [len([part for part in name.split("_") if part]) for name in self.functions]
        of_classes = [len(re.findall(r"[A-Z][^A-Z]*", name)) for name in self.classes]
        twice = sorted(name for name, files in self.classes.items() if len(files) > 1)
        crowded = {name: count for name, count in self.folders.items() if count > MOST_MODULES}
        yield "words per function name", f"{sum(words) / len(words):.2f}"
        yield "functions of one word", f"{words.count(1) / len(words):.0%}"
        yield "words per class name", f"{sum(of_classes) / len(of_classes):.2f}"
        yield "classes of one word", f"{of_classes.count(1) / len(of_classes):.0%}"
        yield "class names defined in several files", f"{len(twice)} of {len(self.classes)}"
        yield "vague names bound", ", ".join(f"{n} {c:,}" for n, c in self.vague.most_common() if c)
        crowded_folders = ", ".join(f"{name} {count}" for name, count in sorted(crowded.items()))
        yield f"folders with more than {MOST_MODULES} modules", crowded_folders or "none"
        spread = ", ".join(f"{name} {len(self.spread[name])}" for name in FEATURES)
        yield "folders a feature is spread over", spread
        yield "files outside the language folders that name one", str(len(self.naming_a_language))
        yield "modules of Python, and their lines", f"{self.modules:,}, {self.lines:,}"
        yield "lines of the product, all files", f"{self.lines_of_all:,}"


def measure(root: Path) -> Figures:
    """Count what a tree has."""
    figures = Figures()
    for folder in PRODUCT:
        for path in sorted((root / folder).rglob("*")):
            if "__pycache__" in path.parts or not path.is_file():
                continue
            if path.suffix in {".py", ".java", ".go", ".j2", ".css", ".js", ".sh", ".sql"}:
                text = path.read_text()
                figures.lines_of_all += text.count("\n")
                if path.suffix == ".py":
                    figures.add(str(path.relative_to(root)), text)
    return figures


def main() -> int:
    """Count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at", metavar="COMMIT", help="an earlier commit, shown beside this tree")
    args = parser.parse_args()
    columns = [("now", measure(ROOT))]
    if args.at:
        with tempfile.TemporaryDirectory() as scratch:
            command = ["git", "-C", str(ROOT), "archive", args.at, "--", *PRODUCT]
            packed = subprocess.run(command, capture_output=True, check=True).stdout
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(scratch, filter="data")
            columns.insert(0, (args.at, measure(Path(scratch))))
    print("| | " + " | ".join(name for name, _ in columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for rows in zip(*(figures.rows() for _, figures in columns), strict=True):
        print(f"| {rows[0][0]} | " + " | ".join(value for _, value in rows) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
