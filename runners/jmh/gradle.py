"""Gradle as the project has it: its own wrapper, the user's Gradle home, a script beside it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from auditor.core.errors import AuditError, BuildFailed, ResolveFailed, ToolMissing
from auditor.core.jobs import Completed, Invocation
from auditor.core.ports import Host
from auditor.core.request import BuildWords
from runners.jmh.modules import SourceSet

LACKING = (
    "no source set's classes hold META-INF/BenchmarkList; they need the plugin me.champeau.jmh or "
    "jmh-generator-annprocess as annotationProcessor, and perhaps a flag (`flags` of the subject)"
)
_SECONDS = 3600
_SCRIPT = "bench-audit.init.gradle"
_PARTS = "bench-audit-parts"
_TASK = "benchAuditParts"
_WRAPPER = "gradlew"
_WRONG = re.compile(r"^\* What went wrong:\n(.*?)(?:\n\n|^\* |\Z)", re.MULTILINE | re.DOTALL)
_ABSENT = re.compile(r"Could not (resolve|GET|HEAD|find)|UnknownHostException|No cached version")
# Gradle 9 would keep what it configured, but a script that reads source sets cannot be kept.
_SETTINGS = ("org.gradle.configuration-cache", "org.gradle.unsafe.configuration-cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradle:
    """Runs Gradle; `environment` is what the user has."""

    host: Host
    environment: tuple[tuple[str, str], ...]

    def build(self, top: Path, root: Path, words: BuildWords) -> None:
        """Compile all source sets below `root`, and let each write down what it runs with.

        Raises, saying what Gradle said, when it fails.
        """
        answer = self._run(
            *("--init-script", _SCRIPT, f"-Dbench-audit.parts={top / _PARTS}"),
            *(f"-D{each}=false" for each in _SETTINGS),
            *("--no-daemon", "--console=plain", "--quiet", _TASK, *words.flags),
            top=top,
            cwd=root,
        )
        if answer.exit_code != 0:
            raise _failure(answer)

    def call(self, *arguments: str, top: Path, cwd: Path) -> Invocation:
        """Return a process of Gradle that leaves none behind."""
        return self._call("--no-daemon", "--console=plain", *arguments, top=top, cwd=cwd)

    def _call(self, *arguments: str, top: Path, cwd: Path) -> Invocation:
        around = [cwd, *(each for each in cwd.parents if each.is_relative_to(top))]
        wrapper = next((one / _WRAPPER for one in around if (one / _WRAPPER).is_file()), None)
        return Invocation(
            argv=(*(("gradle",) if wrapper is None else ("sh", str(wrapper))), *arguments),
            cwd=cwd,
            environment=self.environment,
            timeout_seconds=_SECONDS,
        )

    def _run(self, *arguments: str, top: Path, cwd: Path) -> Completed:
        script = resources.files("runners.jmh") / "gradle.init.groovy"
        job = self._call(*arguments, top=top, cwd=cwd)
        try:
            return self.host.run(replace(job, files=((Path(_SCRIPT), script.read_bytes()),)))
        except ToolMissing as error:
            raise ToolMissing(
                "the project has no gradlew, and gradle was not found on PATH; add the wrapper to "
                "the project, or install Gradle"
            ) from error


def source_sets(top: Path) -> Iterator[SourceSet]:
    """Yield those that Gradle wrote down, project by project."""
    for file in sorted((top / _PARTS).glob("*.json")):
        for each in json.loads(file.read_text()):
            classes = tuple(map(Path, each["classes"]))
            path = dict.fromkeys((*classes, *map(Path, each["path"])))
            yield SourceSet(
                classes=classes,
                path=tuple(one for one in path if one.exists()),
                sources=tuple(map(Path, each["sources"])),
                test=each["name"] != "main",
            )


def _failure(answer: Completed) -> AuditError:
    said = (answer.stderr + b"\n" + answer.stdout).decode(errors="replace")
    found = [re.sub(r"\n\s*>?\s*", "; ", one.strip()) for one in _WRONG.findall(said)]
    text = "\n".join(found)[:2000] or answer.tail()
    if answer.timed_out:
        return ResolveFailed(f"the build: gradle did not end within {_SECONDS // 60} minutes")
    if _ABSENT.search(text):
        advice = "check the network, and the repositories that the build names"
        return ResolveFailed(f"the build: {text}; {advice}")
    return BuildFailed(f"the build: gradle ended with {answer.exit_code}; it said:\n{text}")
