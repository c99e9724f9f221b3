"""The configuration files of the two research tools of the paper, read as they are.

Source: Laaber and Leitner, MSR 2018: GoABS for Go, and the Groovy script for Java
(use-research-tools.md). What decides an audit becomes a key of ours, the rest is named and ignored.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from auditor.config.settings import LEAST_SIGNIFICANCE, MOST_EFFECT, MOST_SIGNIFICANCE

Found = tuple[dict[str, Any], tuple[str, ...]]
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


def translated(
    found: Mapping[str, Any], folder: Path, *, as_configured: bool = False
) -> Found | None:
    """Return a research tool's file as one of ours; None if it is none. Raises ValueError.

    Paths in `found` are relative to `folder`. `as_configured`: its error and its least effect are
    those of our test, too, whose own are the paper's.
    """
    theirs = "project" in found and "subject" not in found
    go = theirs and isinstance(found.get("dynamic"), Mapping)
    java = theirs and not go and ("degree_of_violation" in found or "files" in found)
    tested = any(found.get(key) is not None for key in ("confidence", "min_effect_size"))
    if as_configured and not (java and tested):
        raise ValueError(NOT_THEIRS)
    if go:
        return _go(found, found["dynamic"], folder)
    return _java(found, folder, as_configured=as_configured) if java else None


def _go(found: Mapping[str, Any], dynamic: Mapping[str, Any], folder: Path) -> Found:
    ours = {
        "subject": str(found["project"]),
        "harness": "go",
        "slowdown": dynamic.get("regression"),
        "runs": dynamic.get("runs"),
        "benchmarks": dynamic.get("bench_regex") or None,
        "timeout": dynamic.get("bench_timeout") or None,
        "plan": _known(
            warmup=dynamic.get("wi"),
            iterations=dynamic.get("i"),
            iteration_time=dynamic.get("bench_time") or None,
        ),
    }
    used = {"regression", "runs", "bench_regex", "bench_timeout", "wi", "i", "bench_time"}
    functions = dynamic.get("functions")
    if functions:
        module = _module(folder / str(found["project"]))
        named = _listed(functions, "dynamic.functions")
        ours["methods"] = [_go_name(module, one, at) for at, one in enumerate(named)]
    ignored = [f"dynamic.{key}" for key in dynamic if key not in {*used, "functions"}]
    return _known(**ours), (*_others(found, {"project", "dynamic"}), *ignored)


def _module(project: Path) -> str:
    try:
        text = (project / "go.mod").read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{project} has no readable go.mod, so its packages have no names; "
            "run `go mod init` in a copy and name that at project"
        ) from error
    match = _GO_MODULE.search(text)
    if match is None:
        raise ValueError(f"{project}/go.mod names no module")
    return match[1]


def _go_name(module: str, one: Any, at: int) -> str:
    """Return a function's name as ours: `pkg` is a folder of the project, `recv` may have stars."""
    if not isinstance(one, Mapping) or not one.get("name"):
        raise ValueError(f"a function needs a name at dynamic.functions[{at}]")
    folder = PurePosixPath(str(one.get("pkg") or "."))
    package = PurePosixPath(module) / folder
    receiver = re.sub(r"[()*\s]|\[.*\]", "", str(one.get("recv") or ""))
    return ".".join(filter(None, [str(package), receiver, str(one["name"])]))


def _java(found: Mapping[str, Any], folder: Path, *, as_configured: bool) -> Found:
    flags = str(found.get("custom_benchmark_config") or "")
    known = dict(_JMH_FLAG.findall(flags))
    rest = _JMH_FLAG.sub("", flags).split()
    chosen = _listed(found.get("benchmarks_to_execute"), "benchmarks_to_execute")
    patterns = [_pattern(one, at) for at, one in enumerate(chosen)]
    files = _listed(found.get("files"), "files")
    ours = {
        "subject": str(found["project"]),
        "harness": "jmh",
        "slowdown": _number(found.get("degree_of_violation"), "degree_of_violation"),
        "runs": _whole(found.get("repeats"), "repeats"),
        "benchmarks": "|".join(patterns) or None,
        "methods": _java_names(files, folder / str(found["project"])) or None,
        "plan": _known(
            forks=_whole(known.get("f"), "-f"),
            warmup=_whole(known.get("wi"), "-wi"),
            iterations=_whole(known.get("i"), "-i"),
            iteration_time=_duration(known.get("r")),
        ),
    }
    used = {"project", "degree_of_violation", "repeats", "files"}
    if _is_built_so(found, folder / str(found["project"])):
        used.add("build_system")
    if as_configured:
        used |= {"confidence", "min_effect_size"}
        ours |= _test(found)
    ignored = [f"{flag} in custom_benchmark_config" for flag in rest]
    if "w" in known:
        ignored.append("-w in custom_benchmark_config")
    if any("params" in one for one in chosen):
        ignored.append("params in benchmarks_to_execute")
    others = _others(found, {*used, "custom_benchmark_config", "benchmarks_to_execute"})
    return _known(**ours), (*others, *ignored)


def _pattern(one: Any, at: int) -> str:
    if not isinstance(one, Mapping) or not one.get("pattern"):
        raise ValueError(f"a benchmark needs a pattern at benchmarks_to_execute[{at}]")
    return str(one["pattern"])


def _listed(written: Any, place: str) -> Sequence[Any]:
    """Return a list, which may be missing; raises ValueError for anything else."""
    found = written or []
    is_list = isinstance(found, list)
    if not is_list:
        raise ValueError(f"{written!r} at {place} must be a list")
    return found


def _is_built_so(found: Mapping[str, Any], project: Path) -> bool:
    """Tell whether the project is built as the file says: what lies in it decides."""
    said = str(found.get("build_system") or "mvn")
    if said not in ("mvn", "gradle"):
        raise ValueError(f'{said!r} at build_system must be "mvn" or "gradle"')
    return (project / "pom.xml").is_file() == (said == "mvn")


def _test(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return how often the test may err, and the effect that counts, which no v / 2 stands for."""
    least = _number(found.get("min_effect_size"), "min_effect_size")
    if least is not None and not 0 < least <= MOST_EFFECT:
        raise ValueError(
            f"{least:g} at min_effect_size must be above 0 and at most {MOST_EFFECT}; 0.3 for 30 %"
        )
    error = _number(found.get("confidence"), "confidence")
    if error is not None and not LEAST_SIGNIFICANCE <= error <= MOST_SIGNIFICANCE:
        raise ValueError(
            f"{error:g} at confidence must be {LEAST_SIGNIFICANCE:f} to {MOST_SIGNIFICANCE}: "
            "how often the test may err, 0.05 for 5 %"
        )
    return {
        "significance": error,
        "min_delta": least,
        "rule": None if least is None else "gate",
    }


def _java_names(files: Sequence[Any], project: Path) -> list[str]:
    return [
        _java_name(_type(project, file, at), method, f"files[{at}].methods[{number}]")
        for at, file in enumerate(files)
        if isinstance(file, Mapping) and file.get("test_file")
        for number, method in enumerate(_listed(file.get("methods"), f"files[{at}].methods"))
    ]


def _type(project: Path, file: Mapping[str, Any], at: int) -> str:
    """Return the qualified name of the type that a source file declares."""
    path = project / str(file["test_file"])
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"{path} at files[{at}].test_file cannot be read") from error
    package = _JAVA_PACKAGE.search(text)
    return f"{package[1]}.{path.stem}" if package else path.stem


def _java_name(owner: str, method: Any, place: str) -> str:
    if not isinstance(method, Mapping) or not method.get("name"):
        raise ValueError(f"a method needs a name at {place}")
    name = f"{owner}.{method['name']}"
    if method.get("params") is None:
        return name
    bounds = method.get("typeParams") or {}
    is_object = isinstance(bounds, Mapping)
    if not is_object:
        raise ValueError(f"{bounds!r} at {place}.typeParams must be an object")
    params = _listed(method["params"], f"{place}.params")
    types = [str(bounds.get(one, one)) for one in map(str, params)]
    return f"{name}({','.join(types)})"


def _number(written: Any, place: str) -> float | None:
    try:
        return None if written is None else float(written)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{written!r} at {place} is no number") from error


def _whole(written: Any, place: str) -> int | None:
    number = _number(written, place)
    if number is not None and not number.is_integer():
        raise ValueError(f"{written!r} at {place} is no whole number")
    return None if number is None else int(number)


def _duration(written: str | None) -> str | None:
    """JMH takes a number without a unit for seconds."""
    return f"{written}s" if written and _UNNAMED.fullmatch(written) else written


def _known(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {})}


def _others(found: Mapping[str, Any], used: set[str]) -> list[str]:
    return [key for key in found if key not in used]
