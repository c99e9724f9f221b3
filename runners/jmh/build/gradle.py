"""Gradle as the project has it: its own wrapper, the user's Gradle home, a script beside it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec

from auditor.core.errors import AuditError, BuildFailed, ResolveFailed, ToolMissing
from auditor.core.jobs import CompletedProcess, Invocation, OutputMonitor
from auditor.core.ports import Host
from auditor.core.request import BuildOptions
from runners.disk import convert_write_errors
from runners.jmh.build.build_plan import BuildSteps
from runners.jmh.build.pom_changes import remove_path
from runners.jmh.build.source_sets import SourceSet
from runners.jmh.build.tool_needs import find_need, jdk_missing
from runners.steps import ignore_step

LACKING = (
    "no source set of plug-in java, me.champeau.jmh or Kotlin's jvm has a compiled method with "
    "JMH's @Benchmark; perhaps a flag is needed (`flags` of the subject), and for Kotlin "
    "multiplatform the subject is the jar that its task jvmBenchmarkJar makes"
)
_SECONDS = 3600
_SCRIPT = "bench-audit.init.gradle"
_PARTS = "bench-audit-parts"
_TASK = "benchAuditParts"
_WRAPPER = "gradlew"
_PROPERTIES = "gradle/wrapper/gradle-wrapper.properties"
_WRAPPER_VERSION = re.compile(
    r"^\s*distributionUrl\s*=.*/gradle-([\w.+-]+?)(?:-(?:bin|all))?\.zip", re.MULTILINE
)
_WRONG = re.compile(r"^\* What went wrong:\n(.*?)(?:\n\n|^\* |\Z)", re.MULTILINE | re.DOTALL)
_DISTRIBUTION = re.compile(r"(https?://\S+?/gradle-[\w.+-]+\.zip)")
_OF_WRAPPER = re.compile(r"org\.gradle\.wrapper|Could not install Gradle distribution")
_CAUSE = re.compile(
    r'^(?:Exception in thread "main" |Caused by: )?(?:java\.[\w.]+\.)?(\w*Exception: [^\n]+)',
    re.MULTILINE,
)
_ABSENT = re.compile(
    r"Could not (resolve|GET|HEAD|find(?! method| property))|UnknownHostException|No cached version"
)
# Gradle 9 would keep what it configured, but a script that reads source sets cannot be kept.
_SETTINGS = ("org.gradle.configuration-cache", "org.gradle.unsafe.configuration-cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradle:
    """Runs Gradle; `environment` is what the user has."""

    host: Host
    environment: tuple[tuple[str, str], ...]
    program: str = ""
    """A Gradle in place of the project's wrapper."""
    tell: Callable[[str], None] = ignore_step
    """Hears which step Gradle is at."""

    def build_project(self, top: Path, root: Path, words: BuildOptions) -> None:
        """Compile all source sets below `root`, and let each write down what it runs with.

        Raises, saying what Gradle said, when it fails.
        """
        with convert_write_errors(top):
            remove_path(top / _PARTS)
        answer = self._run_gradle(
            *("--init-script", _SCRIPT, f"-Dbench-audit.parts={top / _PARTS}"),
            *(f"-D{setting}=false" for setting in _SETTINGS),
            *("--no-daemon", "--console=plain", _TASK, *words.flags),
            top=top,
            cwd=root,
        )
        if answer.exit_code != 0:
            raise self._diagnose_failure(answer, find_wrapper_version(top, root))

    def _diagnose_failure(self, answer: CompletedProcess, version: str) -> AuditError:
        output = (answer.stderr + b"\n" + answer.stdout).decode(errors="replace")
        need = find_need(output)
        if need is not None and need.tool == "JDK":
            return jdk_missing(need, "the build", self.host, self.environment)
        match = _DISTRIBUTION.search(output)
        if match and _OF_WRAPPER.search(output):
            cause = _CAUSE.search(output)
            return ResolveFailed(
                f"the project's Gradle wrapper cannot fetch {match[1]}"
                f"{f' ({cause[1].strip()[:200]})' if cause else ''}; name an installed Gradle as "
                '"gradle" of the subject, or audit a jar with the benchmarks and JMH in it'
            )
        advice = ""
        if self.program and version:
            advice = (
                f"; the project's wrapper has Gradle {version}: if {self.program} is of another "
                'version, name one of that version as "gradle" of the subject'
            )
        return _make_build_error(answer, advice)

    def make_job(self, *arguments: str, top: Path, cwd: Path) -> Invocation:
        """Return a process of Gradle that leaves none behind."""
        return self._make_gradle_job("--no-daemon", "--console=plain", *arguments, top=top, cwd=cwd)

    def _make_gradle_job(self, *arguments: str, top: Path, cwd: Path) -> Invocation:
        wrapper = _find_above(_WRAPPER, top, cwd)
        if self.program or wrapper is None:
            program: tuple[str, ...] = (self.program or "gradle",)
        else:
            program = ("sh", str(wrapper))
        return Invocation(
            argv=(*program, *arguments),
            cwd=cwd,
            environment=self.environment,
            timeout_seconds=_SECONDS,
        )

    def _run_gradle(self, *arguments: str, top: Path, cwd: Path) -> CompletedProcess:
        script = resources.files("runners.jmh.build") / "gradle.init.groovy"
        job = self._make_gradle_job(*arguments, top=top, cwd=cwd)
        try:
            files = ((Path(_SCRIPT), script.read_bytes()),)
            steps = OutputMonitor(read=BuildSteps("Gradle", self.tell).report_steps)
            return self.host.run_process(replace(job, files=files, follow=steps))
        except ToolMissing as error:
            if self.program:
                raise ToolMissing(
                    f'{self.program}, the "gradle" of the subject, was not found'
                ) from error
            raise ToolMissing(
                "the project has no gradlew, and gradle was not found on PATH; add the wrapper to "
                "the project, or install Gradle"
            ) from error


_Path = Annotated[str, msgspec.Meta(pattern=r"^/[^\0]*\Z")]


class _WrittenSet(msgspec.Struct, frozen=True):
    """A source set as our task writes it."""

    name: str
    classes: tuple[_Path, ...]
    path: tuple[_Path, ...]
    sources: tuple[_Path, ...]


def source_sets(top: Path) -> Iterator[SourceSet]:
    """Yield those that Gradle wrote down, project by project."""
    for file in sorted((top / _PARTS).glob("*.json")):
        for written_set in _read_source_sets(file):
            classes = tuple(map(Path, written_set.classes))
            path = dict.fromkeys((*classes, *map(Path, written_set.path)))
            yield SourceSet(
                classes=classes,
                path=tuple(entry for entry in path if entry.exists()),
                sources=tuple(map(Path, written_set.sources)),
                test=written_set.name != "main",
            )


def _read_source_sets(file: Path) -> tuple[_WrittenSet, ...]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=tuple[_WrittenSet, ...])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BuildFailed(
            f"the build changed {file.relative_to(file.parents[1])}, a file of bench-audit: "
            f"{error}; does a task of the project write there?"
        ) from error


def _find_above(name: str, top: Path, folder: Path) -> Path | None:
    """Return the nearest file of this name in a folder or above, up to `top`."""
    around = [folder, *(parent for parent in folder.parents if parent.is_relative_to(top))]
    return next((path / name for path in around if (path / name).is_file()), None)


def find_wrapper_version(top: Path, root: Path) -> str:
    """Return the version of Gradle that the project's wrapper fetches, empty if unknown."""
    properties = _find_above(_PROPERTIES, top, root)
    text = properties.read_text(errors="replace") if properties else ""
    match = _WRAPPER_VERSION.search(text)
    return match[1] if match else ""


def _make_build_error(answer: CompletedProcess, version_advice: str) -> AuditError:
    output = (answer.stderr + b"\n" + answer.stdout).decode(errors="replace")
    messages = [re.sub(r"\n\s*>?\s*", "; ", message.strip()) for message in _WRONG.findall(output)]
    text = "\n".join(messages)[:2000] or answer.format_tail()
    if answer.timed_out:
        return ResolveFailed(f"the build: gradle did not end within {_SECONDS // 60} minutes")
    if _ABSENT.search(text):
        advice = "check the network, and the repositories that the build names"
        return ResolveFailed(f"the build: {text}; {advice}{version_advice}")
    return BuildFailed(
        f"the build: gradle ended with {answer.exit_code}; it said:\n{text}{version_advice}"
    )
