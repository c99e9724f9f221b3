"""What the files of packaging tools, tox, nox and asv say that a project needs; nothing is run."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runners.pybench.declarations import find_table, list_texts, parse_ini, read_ini, read_toml
from runners.pybench.library import is_file, list_project_files, parse_python_file, read_file_head

_ASV = ("asv.conf.json", "asv.conf.jsonc")
_NAME = re.compile(r"^[A-Za-z0-9][\w.-]*")
_EXTRAS = re.compile(r"^\.\[([\w,\s.-]+)\]$")
_FILE = re.compile(r"^(?:-r|--requirement)[ =]?(.+)$")
_FACTORS = re.compile(r"^([\w.,{}!-]+):\s+(.*)$")
_STRING = r'("(?:\\.|[^"\\\n])*")'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])")

_POETRY = ("tool", "poetry", "dependencies")
_SETUP_FILES = ("setup.py", "setup.cfg")
_SOURCES = frozenset({"git", "path", "file"})
"""Keys of a Pipfile's package that is of no index."""


@dataclass(frozen=True, slots=True)
class RequirementGroup:
    """Something that a project declares: where, by which name, and what an installer is told."""

    place: str  # which kind of file declares it
    called: str  # its own name: `test`
    name: str  # what people call it: `group test`
    text: str  # the requirements, as far as they are seen
    parts: tuple[tuple[str, str], ...]  # a kind (extra, group, requirement) and a word, each

    def list_words(self, kind: str) -> Iterator[str]:
        """Yield the words of a kind."""
        return (word for name, word in self.parts if name == kind)


def list_groups_and_extras(tree: Path) -> Iterator[RequirementGroup]:
    """Yield dependency groups and extras, those of other packaging tools too."""
    document = read_toml(tree / "pyproject.toml")
    for name, requirements in find_table(document, "dependency-groups").items():
        yield RequirementGroup(
            "table", name, f"group {name}", str(requirements), (("group", name),)
        )
    extras = find_table(document, "project", "optional-dependencies") | _read_setup_extras(tree)
    for name, requirements in extras.items():
        if _NAME.fullmatch(name):
            yield RequirementGroup(
                "table", name, f"extra {name}", str(requirements), (("extra", name),)
            )
    for name, requirements in _list_tool_groups(document):
        valid = [
            requirement
            for requirement in requirements
            if _NAME.match(requirement) or _EXTRAS.match(requirement)
        ]
        declarations = tuple(("requirement", requirement) for requirement in valid)
        if declarations:
            yield RequirementGroup("table", name, f"group {name}", str(requirements), declarations)


def list_tool_environments(tree: Path) -> Iterator[RequirementGroup]:
    """Yield what tox, nox and asv install; an installer is told paths as they are in the tree."""
    yield from _list_tox_groups(tree)
    yield from _list_nox_groups(tree)
    yield from _list_asv_groups(tree)


def declares_dependencies(tree: Path) -> bool:
    """Tell whether the packaging files of a project declare what it depends on."""
    document = read_toml(tree / "pyproject.toml")
    project = find_table(document, "project")
    return (
        "dependencies" in {*project, *list_texts(project.get("dynamic"))}
        or any(name.lower() != "python" for name in find_table(document, *_POETRY))
        or any(b"install_requires" in read_file_head(tree / name) for name in _SETUP_FILES)
    )


def list_pipfile_groups(tree: Path) -> Iterator[RequirementGroup]:
    """Yield the packages of a Pipfile that an index has, those for development too."""
    document = read_toml(tree / "Pipfile")
    packages = find_table(document, "packages") | find_table(document, "dev-packages")
    requirements = [
        requirement
        for name, version in packages.items()
        if (requirement := _make_pipfile_requirement(name, version))
    ]
    if requirements:
        declarations = tuple(("requirement", requirement) for requirement in requirements)
        yield RequirementGroup("pipenv", "Pipfile", "Pipfile", str(requirements), declarations)


def _make_pipfile_requirement(name: str, declared: Any) -> str:
    """Return a requirement for pip; empty where its source is no index."""
    table = declared if isinstance(declared, dict) else {"version": declared}
    version = table.get("version", "*")
    if not _NAME.fullmatch(name) or not isinstance(version, str) or _SOURCES & table.keys():
        return ""
    extras = ",".join(list_texts(table.get("extras")))
    markers = table.get("markers")
    condition = f" ; {markers}" if isinstance(markers, str) else ""
    return f"{name}{f'[{extras}]' if extras else ''}{'' if version == '*' else version}{condition}"


def find_asv_configurations(tree: Path) -> list[Path]:
    """Return the configurations of asv in a tree, those in outer folders first."""
    paths = [path for path in list_project_files(tree) if path.name in _ASV and is_file(path)]
    return sorted(paths, key=lambda path: (len(path.parts), path))


def _list_tool_groups(document: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the groups that only a tool itself installs, as lists of requirements."""
    for name, requirements in find_table(document, "tool", "pdm", "dev-dependencies").items():
        yield name, list_texts(requirements)
    for name, environment in find_table(document, "tool", "hatch", "envs").items():
        settings = environment if isinstance(environment, dict) else {}
        requirements = [
            *list_texts(settings.get("dependencies")),
            *list_texts(settings.get("extra-dependencies")),
        ]
        features = list_texts(settings.get("features"))
        yield name, [*requirements, *([f".[{','.join(features)}]"] if features else [])]
    yield "dev", list_texts(find_table(document, "tool", "uv").get("dev-dependencies"))
    for name, group in find_table(document, "tool", "poetry", "group").items():
        requirements = find_table(group, "dependencies")
        yield name, [requirement for requirement in requirements if requirement.lower() != "python"]
    yield "dev", list(find_table(document, "tool", "poetry", "dev-dependencies"))


def _read_setup_extras(tree: Path) -> dict[str, str]:
    """Return the extras that setup.cfg and setup.py declare by literals."""
    parser = read_ini(tree / "setup.cfg")
    section = "options.extras_require"
    extras_by_name = (
        {name: parser[section].get(name, "") for name in parser[section]}
        if section in parser
        else {}
    )
    for node in ast.walk(parse_python_file(tree / "setup.py")):
        if isinstance(node, ast.keyword) and node.arg == "extras_require":
            extras = node.value if isinstance(node.value, ast.Dict) else ast.Dict([], [])
            for key, value in zip(extras.keys, extras.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    extras_by_name[key.value] = _unparse_expression(value)
    return extras_by_name


def _list_tox_groups(tree: Path) -> Iterator[RequirementGroup]:
    document = read_toml(tree / "pyproject.toml")
    parser = read_ini(tree / "tox.ini")
    legacy = find_table(document, "tool", "tox").get("legacy_tox_ini")
    if isinstance(legacy, str):
        parser = parse_ini(legacy)
    for section in parser.sections():
        kind, _, name = section.partition(":")
        if kind == "testenv":
            proxy = parser[section]
            deps = list(_without_factors(proxy.get("deps", "")))
            extras = [f".[{extra}]" for extra in proxy.get("extras", "").split()]
            groups = proxy.get("dependency_groups", "").split()
            yield _make_tool_group(tree, "tox", name or "test", [*deps, *extras], groups)
    native = find_table(document, "tool", "tox") | read_toml(tree / "tox.toml")
    base = {"test": native.get("env_run_base")}
    for name, table in (base | find_table(native, "env")).items():
        if isinstance(table, dict):
            extras = [f".[{text}]" for text in list_texts(table.get("extras"))]
            deps = [*list_texts(table.get("deps")), *extras]
            yield _make_tool_group(
                tree, "tox", name, deps, list_texts(table.get("dependency_groups"))
            )


def _without_factors(deps: str) -> Iterator[str]:
    for line in deps.splitlines():
        text = line.partition(" #")[0].strip()
        if text and not text.startswith("#") and not _FACTORS.match(text):
            yield text


def _list_nox_groups(tree: Path) -> Iterator[RequirementGroup]:
    for node in ast.walk(parse_python_file(tree / "noxfile.py")):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
            words = [
                _read_constant(argument)
                for call in calls
                if _is_session_install(call)
                for argument in call.args
            ]
            yield _make_tool_group(tree, "nox", node.name, list(_join_file_options(words)), [])


def _is_session_install(call: ast.Call) -> bool:
    """Tell whether a call is one of `session.install`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "install":
        return False
    session = call.func.value
    name = session.attr if isinstance(session, ast.Attribute) else getattr(session, "id", "")
    return str(name).endswith("session")


def _read_constant(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _join_file_options(words: list[str]) -> Iterator[str]:
    """Yield requirements, and `-r` together with its file."""
    remaining_words = iter(words)
    for word in remaining_words:
        yield f"-r {next(remaining_words, '')}" if word in ("-r", "--requirement") else word


def _make_tool_group(
    tree: Path, tool: str, name: str, words: list[str], groups: list[str]
) -> RequirementGroup:
    declarations = [("group", group) for group in groups]
    for word in words:
        plain = re.sub(r"\{(?:toxinidir|tox_root)\}[/\\]?", "", word).strip()
        if extras := _EXTRAS.match(plain):
            declarations += [("extra", extra.strip()) for extra in extras[1].split(",")]
        elif file := _FILE.match(plain):
            path = tree / file[1].strip()
            inside = is_file(path) and path.resolve().is_relative_to(tree.resolve())
            declarations += [("requirement", f"--requirement={path}")] if inside else []
        elif _NAME.match(plain) and not re.search(r"[{}]|://", plain):
            declarations.append(("requirement", plain))
    return (
        RequirementGroup(tool, name, f"{tool}'s {name}", str(words), tuple(declarations))
        if declarations
        else _NOTHING
    )


_NOTHING = RequirementGroup("none", "", "", "", ())


def _list_asv_groups(tree: Path) -> Iterator[RequirementGroup]:
    """Yield asv's matrix: the first version of each requirement."""
    for path in find_asv_configurations(tree):
        text = _COMMENT.sub(r"\1", read_file_head(path).decode(errors="replace"))
        try:
            matrix = json.loads(_COMMA.sub(r"\1", text)).get("matrix", {})
            matrix = matrix.get("req", matrix)
            items = matrix.items()
        except (ValueError, AttributeError, RecursionError):
            continue
        declarations = []
        for name, versions in items:
            plain = name.removeprefix("pip+")
            first = next((version for version in list_texts(versions) if version), "")
            if _NAME.fullmatch(plain) and plain not in ("env", "env_nobuild"):
                exact = first[:1].isdigit()
                declarations.append(
                    ("requirement", f"{plain}=={first}" if exact else plain + first)
                )
        if declarations:
            yield RequirementGroup(
                "asv", "asv", "asv's matrix", str(declarations), tuple(declarations)
            )


def _unparse_expression(node: ast.expr) -> str:
    """Return an expression as text; empty where it is too deep."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return ""
