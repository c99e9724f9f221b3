"""JMH's byte-code generator, run on compiled benchmarks that no compiler has generated code for.

An annotation processor does not run with `-proc:none`, with other processor paths, or unasked on
JDK 23 and newer. The generator reads classes, so it also works for Kotlin and Scala.
"""

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.errors import BuildFailed
from auditor.core.jobs import CompletedProcess, Invocation
from runners.disk import convert_write_errors
from runners.jmh.build.maven import Maven
from runners.jmh.build.poms import class_path_of, render_dependency_pom
from runners.jmh.build.source_sets import SourceSet
from runners.jmh.jdk import Jdk, java_environment

_MAIN = "org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator"
_ANNOTATION = b"Lorg/openjdk/jmh/annotations/Benchmark;"
"""The type of `@Benchmark` as class files name it; kotlinx-benchmark's is an alias of it."""
_CORE = re.compile(r"jmh-core-(\d.*?)(?:-(?:tests|test-sources|sources|javadoc))?\.jar")
_CLASS_FOLDER = "classes"
_CHATTER = re.compile(r"Processing \d+ classes|Writing out |\s*\[.*@[0-9a-f]+\]$")
_SECONDS = 600


def add_lists(sets: Iterable[SourceSet], generator: "BytecodeGenerator") -> list[SourceSet]:
    """Return the source sets; those with benchmarks but without a list get generated classes."""
    return [
        generator.add_generated_classes(source_set, number)
        if not source_set.folders_with_list
        else source_set
        for number, source_set in enumerate(sets)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class BytecodeGenerator:
    """Runs JMH's generator and compiles what it writes, below `folder`."""

    maven: Maven
    jdk: Jdk
    folder: Path

    def add_generated_classes(self, source_set: SourceSet, number: int) -> SourceSet:
        """Return a source set with a folder of generated classes for each folder of benchmarks.

        Raises BuildFailed where JMH refuses the benchmarks, and ResolveFailed where the generator
        cannot be fetched.
        """
        marked = [
            (class_, _find_benchmark_classes(class_))
            for class_ in source_set.classes
            if class_.is_dir()
        ]
        version = _jmh_version(source_set.path)
        if version is None or not any(files for _, files in marked):
            return source_set
        generated = []
        for index, (classes, files) in enumerate(marked):
            folder = self.folder / f"generated-{number}-{index}"
            marker = folder / "built"
            if files and not marker.is_file():
                path = (*source_set.path, *self._generator_jars(version))
                self._generate_classes(classes, files, path, folder)
                with convert_write_errors(marker):
                    marker.touch()
            if files:
                generated.append(folder / _CLASS_FOLDER)
        return replace(
            source_set,
            classes=(*generated, *source_set.classes),
            path=(*generated, *source_set.path),
        )

    def _generator_jars(self, version: str) -> tuple[Path, ...]:
        pom = self.folder / "generator.pom"
        with convert_write_errors(pom):
            pom.write_text(
                render_dependency_pom(f"org.openjdk.jmh:jmh-generator-bytecode:{version}")
            )
        return class_path_of(self.maven, pom, "the byte-code generator of JMH")

    def _generate_classes(
        self, classes: Path, files: Sequence[str], path: Sequence[Path], folder: Path
    ) -> None:
        # Only classes with benchmarks: others of the folder may need what is not there.
        selected_classes, sources, compiled_classes = (
            folder / kind for kind in ("chosen", "sources", _CLASS_FOLDER)
        )
        with convert_write_errors(folder):
            shutil.rmtree(folder, ignore_errors=True)
            for entry in (selected_classes, sources, compiled_classes):
                entry.mkdir(parents=True)
            for file in files:
                (selected_classes / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(classes / file, selected_classes / file)
        generate = (
            "-cp",
            _join_paths(path),
            _MAIN,
            *map(str, (selected_classes, sources, compiled_classes)),
            "default",
        )
        answer = self._run_jdk_tool((self.jdk.java, "-Duser.language=en"), generate, folder)
        if answer.exit_code != 0:
            raise BuildFailed(
                f"JMH refuses benchmarks in {', '.join(files)}:\n{_extract_refusal(answer)}"
            )
        texts = [str(entry) for entry in sorted(sources.rglob("*.java"))]
        options = ("-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", str(compiled_classes))
        compiling = (*options, "-cp", _join_paths((compiled_classes, *path)), *texts)
        answer = self._run_jdk_tool((self.jdk.javac,), compiling, folder)
        if answer.exit_code != 0:
            raise BuildFailed(
                f"the code that JMH generates does not compile; javac said:\n{answer.format_tail()}"
            )

    def _run_jdk_tool(
        self, program: Sequence[str], arguments: Sequence[str], folder: Path
    ) -> CompletedProcess:
        """Run a program of the JDK; its arguments go through a file, as class paths are long."""
        quoted = "\n".join('"{}"'.format(argument.replace("\\", "\\\\")) for argument in arguments)
        return self.maven.host.run_process(
            Invocation(
                argv=(*program, "@generator.arguments"),
                cwd=folder,
                environment=java_environment(self.maven.environment),
                timeout_seconds=_SECONDS,
                files=((Path("generator.arguments"), quoted.encode()),),
            )
        )


def _extract_refusal(answer: CompletedProcess) -> str:
    """Return what the generator says of the benchmarks, without what it is doing."""
    lines = answer.format_tail().splitlines()
    return "\n".join(line for line in lines if line.strip() and not _CHATTER.match(line))


def has_benchmarks(source_set: SourceSet) -> bool:
    """Tell whether a class of a source set has a benchmark."""
    return any(
        _ANNOTATION in class_file.read_bytes()
        for folder in source_set.classes
        for class_file in _class_files(folder)
    )


def _class_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.class") if file.is_file())


def _find_benchmark_classes(folder: Path) -> list[str]:
    """Return the class files with benchmarks, and those that name them: they may inherit some."""
    left = {
        class_file.relative_to(folder).as_posix(): class_file.read_bytes()
        for class_file in _class_files(folder)
    }
    class_names: list[str] = []
    lines = [_ANNOTATION]
    while lines:
        added = [name for name, code in left.items() if any(line in code for line in lines)]
        for name in added:
            del left[name]
        class_names += added
        lines = [name.removesuffix(".class").encode() for name in added]
    return sorted(class_names)


def _jmh_version(path: Iterable[Path]) -> str | None:
    """Return the version of the JMH on a class path; None where there is none."""
    jars = (_CORE.fullmatch(entry.name) for entry in path)
    return next((jar[1] for jar in jars if jar), None)


def _join_paths(path: Iterable[Path]) -> str:
    return ":".join(map(str, path))
