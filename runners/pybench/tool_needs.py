"""What the files of packaging tools, tox, nox and asv say that a project needs; nothing is run."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser, Error
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runners.pybench.library import is_file, read

_ASV = "asv.conf.json"
_NAME = re.compile(r"^[A-Za-z0-9][\w.-]*")
_EXTRAS = re.compile(r"^\.\[([\w,\s.-]+)\]$")
_FILE = re.compile(r"^(?:-r|--requirement)[ =]?(.+)$")
_FACTORS = re.compile(r"^([\w.,{}!-]+):\s+(.*)$")
_COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
_COMMA = re.compile(r",(\s*[}\]])")


@dataclass(frozen=True, slots=True)
class RequirementGroup:
    """Something that a project declares: where, by which name, and what an installer is told."""

    place: str  # which kind of file declares it
    called: str  # its own name: `test`
    name: str  # what people call it: `group test`
    text: str  # the requirements, as far as they are seen
    what: tuple[tuple[str, str], ...]  # a kind (extra, group, requirement) and a word, each

    def words(self, kind: str) -> Iterator[str]:
        """Yield the words of a kind."""
        return (word for name, word in self.what if name == kind)


def groups_and_extras(tree: Path) -> Iterator[RequirementGroup]:
    """Yield dependency groups and extras, those of other packaging tools too."""
    document = _toml(tree / "pyproject.toml")
    for name, listed in _table(document, "dependency-groups").items():
        yield RequirementGroup("table", name, f"group {name}", str(listed), (("group", name),))
    extras = _table(document, "project", "optional-dependencies") | _of_setup(tree)
    for name, listed in extras.items():
        if _NAME.fullmatch(name):
            yield RequirementGroup("table", name, f"extra {name}", str(listed), (("extra", name),))
    for name, listed in _of_other_tools(document):
        valid = [one for one in listed if _NAME.match(one) or _EXTRAS.match(one)]
        what = tuple(("requirement", one) for one in valid)
        if what:
            yield RequirementGroup("table", name, f"group {name}", str(listed), what)


def tool_environments(tree: Path) -> Iterator[RequirementGroup]:
    """Yield what tox, nox and asv install; an installer is told paths as they are in the tree."""
    yield from _tox(tree)
    yield from _nox(tree)
    yield from _asv(tree)


def asv_configurations(tree: Path) -> list[Path]:
    """Return the configurations of asv in a tree's folder and right below it."""
    return sorted((*tree.glob(_ASV), *tree.glob(f"*/{_ASV}")))


def _of_other_tools(document: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the groups that only a tool itself installs, as lists of requirements."""
    for name, listed in _table(document, "tool", "pdm", "dev-dependencies").items():
        yield name, _texts(listed)
    for name, environment in _table(document, "tool", "hatch", "envs").items():
        given = environment if isinstance(environment, dict) else {}
        listed = [*_texts(given.get("dependencies")), *_texts(given.get("extra-dependencies"))]
        features = _texts(given.get("features"))
        yield name, [*listed, *([f".[{','.join(features)}]"] if features else [])]
    yield "dev", _texts(_table(document, "tool", "uv").get("dev-dependencies"))
    for name, group in _table(document, "tool", "poetry", "group").items():
        listed = _table(group, "dependencies")
        yield name, [one for one in listed if one.lower() != "python"]
    yield "dev", list(_table(document, "tool", "poetry", "dev-dependencies"))


def _of_setup(tree: Path) -> dict[str, str]:
    """Return the extras that setup.cfg and setup.py declare by literals."""
    parser = _ini(tree / "setup.cfg")
    section = "options.extras_require"
    found = (
        {name: parser[section].get(name, "") for name in parser[section]}
        if section in parser
        else {}
    )
    for node in ast.walk(_python(tree / "setup.py")):
        if isinstance(node, ast.keyword) and node.arg == "extras_require":
            extras = node.value if isinstance(node.value, ast.Dict) else ast.Dict([], [])
            for key, value in zip(extras.keys, extras.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found[key.value] = _text(value)
    return found


def _tox(tree: Path) -> Iterator[RequirementGroup]:
    document = _toml(tree / "pyproject.toml")
    parser = _ini(tree / "tox.ini")
    legacy = _table(document, "tool", "tox").get("legacy_tox_ini")
    if isinstance(legacy, str):
        parser = _ini_of(legacy)
    for section in parser.sections():
        kind, _, name = section.partition(":")
        if kind == "testenv":
            proxy = parser[section]
            deps = list(_without_factors(proxy.get("deps", "")))
            extras = [f".[{extra}]" for extra in proxy.get("extras", "").split()]
            groups = proxy.get("dependency_groups", "").split()
            yield _of_tool(tree, "tox", name or "test", [*deps, *extras], groups)
    native = _table(document, "tool", "tox") | _toml(tree / "tox.toml")
    base = {"test": native.get("env_run_base")}
    for name, table in (base | _table(native, "env")).items():
        if isinstance(table, dict):
            extras = [f".[{text}]" for text in _texts(table.get("extras"))]
            deps = [*_texts(table.get("deps")), *extras]
            yield _of_tool(tree, "tox", name, deps, _texts(table.get("dependency_groups")))


def _without_factors(deps: str) -> Iterator[str]:
    for line in deps.splitlines():
        text = line.partition(" #")[0].strip()
        if text and not text.startswith("#") and not _FACTORS.match(text):
            yield text


def _nox(tree: Path) -> Iterator[RequirementGroup]:
    for node in ast.walk(_python(tree / "noxfile.py")):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
            words = [
                _constant(argument) for call in calls if _installs(call) for argument in call.args
            ]
            yield _of_tool(tree, "nox", node.name, list(_joined(words)), [])


def _installs(call: ast.Call) -> bool:
    """Tell whether a call is one of `session.install`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "install":
        return False
    session = call.func.value
    name = session.attr if isinstance(session, ast.Attribute) else getattr(session, "id", "")
    return str(name).endswith("session")


def _constant(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _joined(words: list[str]) -> Iterator[str]:
    """Yield requirements, and `-r` together with its file."""
    given = iter(words)
    for word in given:
        yield f"-r {next(given, '')}" if word in ("-r", "--requirement") else word


def _of_tool(
    tree: Path, tool: str, name: str, words: list[str], groups: list[str]
) -> RequirementGroup:
    what = [("group", group) for group in groups]
    for word in words:
        plain = re.sub(r"\{(?:toxinidir|tox_root)\}[/\\]?", "", word).strip()
        if extras := _EXTRAS.match(plain):
            what += [("extra", extra.strip()) for extra in extras[1].split(",")]
        elif file := _FILE.match(plain):
            path = tree / file[1].strip()
            inside = is_file(path) and path.resolve().is_relative_to(tree.resolve())
            what += [("requirement", f"--requirement={path}")] if inside else []
        elif _NAME.match(plain) and not re.search(r"[{}]|://", plain):
            what.append(("requirement", plain))
    return (
        RequirementGroup(tool, name, f"{tool}'s {name}", str(words), tuple(what))
        if what
        else _NOTHING
    )


_NOTHING = RequirementGroup("none", "", "", "", ())


def _asv(tree: Path) -> Iterator[RequirementGroup]:
    """Yield asv's matrix: the first version of each requirement."""
    for path in asv_configurations(tree):
        text = _COMMA.sub(r"\1", _COMMENT.sub("", read(path).decode(errors="replace")))
        try:
            matrix = json.loads(text).get("matrix", {})
            matrix = matrix.get("req", matrix)
            items = matrix.items()
        except (ValueError, AttributeError, RecursionError):
            continue
        what = []
        for name, versions in items:
            plain = name.removeprefix("pip+")
            first = next((one for one in _texts(versions) if one), "")
            if _NAME.fullmatch(plain) and plain not in ("env", "env_nobuild"):
                exact = first[:1].isdigit()
                what.append(("requirement", f"{plain}=={first}" if exact else plain + first))
        yield RequirementGroup("asv", "asv", "asv's matrix", str(what), tuple(what))


def _text(node: ast.expr) -> str:
    """Return an expression as text; empty where it is too deep."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""


def _texts(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _table(document: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read(path).decode())
    except (ValueError, RecursionError):
        return {}  # the installer says what is wrong with it


def _ini(path: Path) -> ConfigParser:
    return _ini_of(read(path).decode(errors="replace"))


def _ini_of(text: str) -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except (ValueError, Error):
        return ConfigParser(interpolation=None)
    return parser


def _python(path: Path) -> ast.AST:
    try:
        return ast.parse(read(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
