"""Input and output inside the timed code."""

from collections.abc import Iterator

import libcst as cst

from mutators.python.lint_rules import benchmark_discovery, rules, tree
from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource, RuleHit
from mutators.python.lint_rules.project import PythonProject

_IO_DESCRIPTIONS = {
    "print": "writes to standard output",
    "open": "opens a file",
    "io.open": "opens a file",
    "time.sleep": "sleeps",
    "os.system": "starts a process",
    "urllib.request.urlopen": "waits for the network",
}
_MODULES = {
    "requests": ("waits for the network", {"get", "post", "put", "delete", "head", "request"}),
    "httpx": ("waits for the network", {"get", "post", "put", "delete", "head", "request"}),
    "subprocess": ("starts a process", {"run", "call", "check_call", "check_output", "Popen"}),
}
_METHODS = {
    "read_text": "reads a file",
    "read_bytes": "reads a file",
    "write_text": "writes a file",
    "write_bytes": "writes a file",
}
_LOGGED = frozenset({"warning", "error", "critical", "exception"})
_LOGGERS = frozenset({"logging", "logger", "log", "_logger", "LOGGER", "LOG"})
_LIGHT = frozenset({"range", "len", "str", "print"})
"""Calls that are no work beside the I/O."""
_IN_MEMORY = frozenset({"file"})


def find_timed_io(bench: BenchmarkSource, project: PythonProject) -> Iterator[RuleHit]:  # noqa: ARG001 - as all rules
    """Yield the first call of each timed code that does I/O beside what is measured."""
    for code in bench.timed:
        heavy_calls = frozenset(
            heavy_call
            for heavy_call in code.own_calls
            if tree.read_dotted_name(heavy_call.func) not in _LIGHT
        )
        for call in code.own_calls if heavy_calls else ():
            io_description = _describe_io(bench, call)
            if io_description and _has_other_calls(heavy_calls, call):
                yield RuleHit(
                    rule=rules.IO_IN_TIMED,
                    bench=bench,
                    node=call,
                    text=f"`{tree.format_code(call)}` {io_description} inside the timed code, "
                    "beside what is measured: its time is part of the number, and changes with "
                    "all else that the machine does.",
                )
                break


def _describe_io(bench: BenchmarkSource, call: cst.Call) -> str:
    """Return what a call does that is I/O, empty where it does none or is the subject."""
    name = bench.file.expand_name(call.func)
    if benchmark_discovery.is_about(
        bench, benchmark_discovery.SLEEP if name == "time.sleep" else benchmark_discovery.IO
    ):
        return ""
    module, _, last = name.rpartition(".")
    if name in _IO_DESCRIPTIONS:
        hidden = "." not in name and not bench.file.is_builtin_name(name)
        return "" if hidden or _is_redirected(call) else _IO_DESCRIPTIONS[name]
    if module in _MODULES and last in _MODULES[module][1] and bench.file.import_origins.get(module):
        return _MODULES[module][0]
    if module.rpartition(".")[2] in _LOGGERS and last in _LOGGED:
        return "writes to the log"
    if isinstance(call.func, cst.Attribute):
        return _METHODS.get(call.func.attr.value, "")
    return ""


def _is_redirected(call: cst.Call) -> bool:
    """Tell whether `print` is told where to write to."""
    return any(
        argument.keyword is not None and argument.keyword.value in _IN_MEMORY
        for argument in call.args
    )


def _has_other_calls(heavy_calls: frozenset[cst.Call], call: cst.Call) -> bool:
    """Tell whether the timed code calls anything else, in the arguments of the I/O too."""
    io_calls = {call, *tree.list_calls(call.func)}
    return len(heavy_calls) > len(heavy_calls & io_calls)
