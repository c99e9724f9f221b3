"""Projects of build tools that are not called here, whose benchmarks can be audited as a jar."""

from pathlib import Path

_TOOLS = {
    "build.sbt": ("sbt", "`sbt Jmh/assembly` with the plug-ins sbt-jmh and sbt-assembly makes one"),
    "build.mill": ("Mill", "an `assembly` of the module with the benchmarks is one"),
    "build.sc": ("Mill", "an `assembly` of the module with the benchmarks is one"),
    "MODULE.bazel": ("Bazel", "the `_deploy.jar` of the benchmarks' java_binary is one"),
    "WORKSPACE": ("Bazel", "the `_deploy.jar` of the benchmarks' java_binary is one"),
    "build.xml": ("Ant", "a jar of the benchmarks' classes with JMH's unpacked into it is one"),
}

_FURTHER = ("CMakeLists.txt", "meson.build", "configure.ac", "Cargo.toml", "package.json")


def is_built_otherwise(folder: Path) -> bool:
    """Tell whether a folder has the mark of a build tool that is not called here."""
    return any((folder / name).is_file() for name in (*_TOOLS, *_FURTHER))


def suggest_jar_audit(folder: Path) -> str:
    """Return how a project of another build tool can be audited; empty where there is none."""
    for name, (tool, instruction) in _TOOLS.items():
        if (folder / name).is_file():
            return (
                f"{tool} builds it, which bench-audit does not call; for JMH benchmarks name a jar "
                f"with them and all that they need as subject ({instruction})"
            )
    return ""
