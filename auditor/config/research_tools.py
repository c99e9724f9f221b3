"""The configuration files of the two research tools of the paper, read as they are.

Source: Laaber and Leitner, MSR 2018: GoABS for Go, and the Groovy script for Java
(use-research-tools.md). What decides an audit becomes a key of ours, the rest is named and ignored.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from auditor.config.settings import LEAST_SIGNIFICANCE, MOST_EFFECT, MOST_SIGNIFICANCE

Translation = tuple[dict[str, Any], tuple[str, ...]]
"""An object with our keys, and the paths of what was ignored."""

_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_JAVA_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_JMH_FLAG = re.compile(r"(?<!\S)-(wi|i|f|r|w)(?:\s+|=)?(\d\S*)")
"""A flag and its number, which may stand close to it; -rf, -wf, -foe are others."""
NOT_THEIRS = (
    "--as-configured is for a research tool's file that says confidence or min_effect_size; else "
    "write significance and min_delta"
)
_UNNAMED = re.compile(r"[\d.]+")


def translate_tool_file(
    document: Mapping[str, Any], folder: Path, *, as_configured: bool = False
) -> Translation | None:
    """Return a research tool's file as one of ours; None if it is none. Raises ValueError.

    Paths in `document` are relative to `folder`. `as_configured`: its error and its least effect
    are those of our test, too, whose own are the paper's.
    """
    is_tool_file = "project" in document and "subject" not in document
    go = is_tool_file and isinstance(document.get("dynamic"), Mapping)
    java = is_tool_file and not go and ("degree_of_violation" in document or "files" in document)
    tested = any(document.get(key) is not None for key in ("confidence", "min_effect_size"))
    if as_configured and not (java and tested):
        raise ValueError(NOT_THEIRS)
    if go:
        return _translate_goabs(document, document["dynamic"], folder)
    return _translate_javaabs(document, folder, as_configured=as_configured) if java else None


def _translate_goabs(
    document: Mapping[str, Any], dynamic: Mapping[str, Any], folder: Path
) -> Translation:
    settings = {
        "subject": str(document["project"]),
        "harness": "go",
        "slowdown": dynamic.get("regression"),
        "runs": dynamic.get("runs"),
        "benchmarks": dynamic.get("bench_regex") or None,
        "timeout": dynamic.get("bench_timeout") or None,
        "plan": _drop_missing(
            warmup=dynamic.get("wi"),
            iterations=dynamic.get("i"),
            iteration_time=dynamic.get("bench_time") or None,
        ),
    }
    used = {"regression", "runs", "bench_regex", "bench_timeout", "wi", "i", "bench_time"}
    functions = dynamic.get("functions")
    if functions:
        module = _read_go_module(folder / str(document["project"]))
        named = _read_list(functions, "dynamic.functions")
        settings["methods"] = [
            _build_go_name(module, function, index) for index, function in enumerate(named)
        ]
    ignored = [f"dynamic.{key}" for key in dynamic if key not in {*used, "functions"}]
    return _drop_missing(**settings), (
        *_list_ignored_keys(document, {"project", "dynamic"}),
        *ignored,
    )


def _read_go_module(project: Path) -> str:
    try:
        text = (project / "go.mod").read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{project} has no readable go.mod; run `go mod init` in a copy, and name the copy at "
            "project"
        ) from error
    match = _GO_MODULE.search(text)
    if match is None:
        raise ValueError(f"{project}/go.mod names no module")
    return match[1]


def _build_go_name(module: str, function: Any, index: int) -> str:
    """Return a function's name as ours: `pkg` is a folder of the project, `recv` may have stars."""
    if not isinstance(function, Mapping) or not function.get("name"):
        raise ValueError(f"a function needs a name at dynamic.functions[{index}]")
    folder = PurePosixPath(str(function.get("pkg") or "."))
    package = PurePosixPath(module) / folder
    receiver = re.sub(r"[()*\s]|\[.*\]", "", str(function.get("recv") or ""))
    return ".".join(filter(None, [str(package), receiver, str(function["name"])]))


def _translate_javaabs(
    document: Mapping[str, Any], folder: Path, *, as_configured: bool
) -> Translation:
    flags = str(document.get("custom_benchmark_config") or "")
    jmh_flags = dict(_JMH_FLAG.findall(flags))
    rest = _JMH_FLAG.sub("", flags).split()
    benchmarks = _read_list(document.get("benchmarks_to_execute"), "benchmarks_to_execute")
    patterns = [_read_pattern(benchmark, index) for index, benchmark in enumerate(benchmarks)]
    files = _read_list(document.get("files"), "files")
    settings = {
        "subject": str(document["project"]),
        "harness": "jmh",
        "slowdown": _read_number(document.get("degree_of_violation"), "degree_of_violation"),
        "runs": _read_integer(document.get("repeats"), "repeats"),
        "benchmarks": "|".join(patterns) or None,
        "methods": _list_java_names(files, folder / str(document["project"])) or None,
        "plan": _drop_missing(
            forks=_read_integer(jmh_flags.get("f"), "-f"),
            warmup=_read_integer(jmh_flags.get("wi"), "-wi"),
            iterations=_read_integer(jmh_flags.get("i"), "-i"),
            iteration_time=_add_seconds_unit(jmh_flags.get("r")),
        ),
    }
    used = {"project", "degree_of_violation", "repeats", "files"}
    if _uses_build_system(document, folder / str(document["project"])):
        used.add("build_system")
    if as_configured:
        used |= {"confidence", "min_effect_size"}
        settings |= _translate_test(document)
    ignored = [f"{flag} in custom_benchmark_config" for flag in rest]
    if "w" in jmh_flags:
        ignored.append("-w in custom_benchmark_config")
    if any("params" in benchmark for benchmark in benchmarks):
        ignored.append("params in benchmarks_to_execute")
    ignored_keys = _list_ignored_keys(
        document, {*used, "custom_benchmark_config", "benchmarks_to_execute"}
    )
    return _drop_missing(**settings), (*ignored_keys, *ignored)


def _read_pattern(benchmark: Any, index: int) -> str:
    if not isinstance(benchmark, Mapping) or not benchmark.get("pattern"):
        raise ValueError(f"a benchmark needs a pattern at benchmarks_to_execute[{index}]")
    return str(benchmark["pattern"])


def _read_list(value: Any, place: str) -> Sequence[Any]:
    """Return a list, which may be missing; raises ValueError for anything else."""
    items = value or []
    is_list = isinstance(items, list)
    if not is_list:
        raise ValueError(f"{value!r} at {place} must be a list")
    return items


def _uses_build_system(document: Mapping[str, Any], project: Path) -> bool:
    """Tell whether the project is built as the file says: what lies in it decides."""
    build_system = str(document.get("build_system") or "mvn")
    if build_system not in ("mvn", "gradle"):
        raise ValueError(f'{build_system!r} at build_system must be "mvn" or "gradle"')
    return (project / "pom.xml").is_file() == (build_system == "mvn")


def _translate_test(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return how often the test may err, and the effect that counts, which no v / 2 stands for."""
    least = _read_number(document.get("min_effect_size"), "min_effect_size")
    if least is not None and not 0 < least <= MOST_EFFECT:
        raise ValueError(
            f"{least:g} at min_effect_size must be above 0 and at most {MOST_EFFECT}; 0.3 for 30 %"
        )
    error = _read_number(document.get("confidence"), "confidence")
    if error is not None and not LEAST_SIGNIFICANCE <= error <= MOST_SIGNIFICANCE:
        raise ValueError(
            f"{error:g} at confidence must be {LEAST_SIGNIFICANCE:f} to {MOST_SIGNIFICANCE} (the "
            "significance level), such as 0.05"
        )
    return {
        "significance": error,
        "min_delta": least,
        "rule": None if least is None else "gate",
    }


def _list_java_names(files: Sequence[Any], project: Path) -> list[str]:
    return [
        _build_java_name(
            _read_type_name(project, file, index), method, f"files[{index}].methods[{number}]"
        )
        for index, file in enumerate(files)
        if isinstance(file, Mapping) and file.get("test_file")
        for number, method in enumerate(_read_list(file.get("methods"), f"files[{index}].methods"))
    ]


def _read_type_name(project: Path, file: Mapping[str, Any], index: int) -> str:
    """Return the qualified name of the type that a source file declares."""
    path = project / str(file["test_file"])
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"{path} at files[{index}].test_file cannot be read") from error
    package = _JAVA_PACKAGE.search(text)
    return f"{package[1]}.{path.stem}" if package else path.stem


def _build_java_name(owner: str, method: Any, place: str) -> str:
    if not isinstance(method, Mapping) or not method.get("name"):
        raise ValueError(f"a method needs a name at {place}")
    name = f"{owner}.{method['name']}"
    if method.get("params") is None:
        return name
    bounds = method.get("typeParams") or {}
    is_object = isinstance(bounds, Mapping)
    if not is_object:
        raise ValueError(f"{bounds!r} at {place}.typeParams must be an object")
    params = _read_list(method["params"], f"{place}.params")
    types = [str(bounds.get(param, param)) for param in map(str, params)]
    return f"{name}({','.join(types)})"


def _read_number(value: Any, place: str) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{value!r} at {place} is not a number") from error


def _read_integer(value: Any, place: str) -> int | None:
    number = _read_number(value, place)
    if number is not None and not number.is_integer():
        raise ValueError(f"{value!r} at {place} is not a whole number")
    return None if number is None else int(number)


def _add_seconds_unit(text: str | None) -> str | None:
    """JMH takes a number without a unit for seconds."""
    return f"{text}s" if text and _UNNAMED.fullmatch(text) else text


def _drop_missing(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {})}


def _list_ignored_keys(document: Mapping[str, Any], used: set[str]) -> list[str]:
    return [key for key in document if key not in used]
