"""Which words in the name of a benchmark say that some work is what it measures."""

from collections.abc import Iterable

from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource

IMPORT = frozenset({"import", "imports", "importing", "importtime", "startup", "load", "loading"})
RANDOM = frozenset(
    {
        *("random", "rand", "randn", "randint", "rng", "sample", "sampling", "samples", "sampler"),
        *("shuffle", "choice", "permutation", "bootstrap", "uuid", "secrets", "token"),
        *("uniform", "normal", "generator", "seed", "bit", "raw", "noise"),
    }
)
REGEX = frozenset({"re", "regex", "regexp", "compile", "compiled", "pattern", "patterns"})
BUILD = frozenset(
    {
        *("create", "creation", "construct", "construction", "constructor", "build", "building"),
        *("init", "make", "new", "alloc", "allocate", "allocation", "comprehension", "range"),
        *("list", "array", "arange", "zeros", "ones", "from", "instantiate", "instantiation"),
        *("generate", "generation", "fill", "full", "setup", "end", "e2e", "empty", "eye"),
        *("linspace", "tolist", "literal", "linear"),
    }
)
IO = frozenset(
    {
        *("io", "read", "reads", "reader", "reading", "write", "writes", "writer", "writing"),
        *("file", "files", "load", "loads", "loading", "loader", "save", "saving", "saver"),
        *("store", "log", "logs", "logger", "logging", "dump", "dumps", "open", "print"),
        *("printing", "stream", "streaming", "path", "pathlib", "http", "request", "requests"),
        *("client", "server", "download", "upload", "fetch", "subprocess", "process", "cli"),
        *("command", "disk", "export", "import", "startup", "spawn", "run", "main", "e2e"),
        *("persist", "network", "socket", "output", "render", "display", "compile", "cache"),
        *("csv", "hdf", "hdf5", "parquet", "excel", "pickle", "zip", "db", "sql", "stdin"),
        *("exec", "copy", "remove", "mkdir", "unlink", "scan", "walk", "glob", "url", "mmap"),
    }
)
SLEEP = frozenset(
    {
        *("sleep", "sleeps", "async", "wait", "waiting", "timeout", "delay", "poll", "thread"),
        *("threads", "concurrent", "concurrency", "parallel", "latency", "simulate", "slow"),
        *("retry", "lock", "timer", "scheduler", "schedule", "asyncio", "overhead"),
    }
)


def is_about(bench: BenchmarkSource, *words: Iterable[str]) -> bool:
    """Tell whether the name of a benchmark, of its class or its file has one of some words."""
    return any(bench.subject_words.intersection(word) for word in words)
