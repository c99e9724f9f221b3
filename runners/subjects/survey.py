"""The suites below a folder: projects of any language whose sources hold benchmarks."""

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.files.paths import is_dir, is_virtual_environment
from auditor.core.request import DistributionSpec, FolderSpec, GitSpec, GoModuleSpec, SubjectSpec
from runners.subjects import placed
from runners.subjects.gomod import MODULE_FILE
from runners.subjects.placed import (
    KINDS,
    MARKS,
    detect_kind,
    find_marks,
    has_go_files,
    suggest_jar_audit,
)
from runners.subjects.suite_detection import (
    LEFT_OUT,
    DetectedSuite,
    detect_suite_of_kind,
    list_scripts_without_harness,
)

MOST_NAMED = 5
LOOKED_FOR = {
    "go": "functions BenchmarkX(b *testing.B) in files _test.go",
    "jmh": "methods with @Benchmark",
    "pytest": "tests with the fixture or marker `benchmark` of pytest-benchmark or pytest-codspeed",
    "asv": "functions and methods time_x in the folder of asv.conf.json",
    "pyperf": "scripts that make a pyperf.Runner",
}
"""What a benchmark is, by harness."""
_ARCHIVE_REMEDY = (
    "a published archive may lack benchmarks that the repository has: name a checkout, or "
    "git:URL@REVISION"
)


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """A project below a folder, with what its sources show."""

    path: str
    """Relative to that folder (POSIX), "." for the folder itself."""
    suite: DetectedSuite
    kind: str
    """Of the project, one of KINDS."""

    @property
    def summary_text(self) -> str:
        """Return the folder, its harness and how many benchmarks its sources have."""
        return f"{self.path} ({self.suite.harness}, {_format_count(self.suite)})"


def _format_count(suite: DetectedSuite) -> str:
    return f"{suite.benchmarks} benchmark{'' if suite.benchmarks == 1 else 's'}"


def find_suites(top: Path, *kinds: str) -> tuple[SuiteFolder, ...]:
    """Return the projects at and below a folder that have benchmarks, those with most first.

    Of several suites in the folder itself the first is audited without a harness (`choose_kind`).
    Modules of one Maven, Gradle or Python project count as part of the outermost one; each Go
    module is a project of its own. `kinds` are those that are looked for (KINDS); none: all.
    """
    projects, _ = _find_projects(top)
    return _select_suites(projects, top, kinds or KINDS)


def choose_kind(folder: Path) -> str | None:
    """Return which of KINDS is audited in a folder: the first with benchmarks in it, if any has."""
    marks = find_marks(folder)
    suites = find_suites(folder, *marks) if len(marks) > 1 else ()
    return suites[0].kind if suites and suites[0].path == "." else detect_kind(folder)


def _select_suites(
    projects: Iterable[tuple[Path, str]], top: Path, kinds: Sequence[str] = KINDS
) -> tuple[SuiteFolder, ...]:
    folders = [
        SuiteFolder(folder.relative_to(top).as_posix(), suite, kind)
        for folder, kind in projects
        if kind in kinds and (suite := detect_suite_of_kind(folder, kind)).benchmarks
    ]
    return tuple(
        sorted(
            folders,
            key=lambda suite_folder: (
                KINDS.index(suite_folder.kind) if suite_folder.path == "." else len(KINDS),
                -suite_folder.suite.benchmarks,
                suite_folder.path,
            ),
        )
    )


def describe_candidates(
    folder: Path,
    folder_text: str,
    revision: str = "",
    *,
    failed: str = "",
    tried: Sequence[Path] = (),
) -> str:
    """Return where suites are below a folder, and the command for the first one.

    `folder_text` and `revision` are the folder as people write it on a command line; `folder_text`
    is empty where no folder below can be written so. Suites of the harness `failed` in the folders
    `tried` are left out: they are those that have just failed.
    """
    projects, is_whole = _find_projects(folder)
    all_suites = _select_suites(projects, folder)
    suites_left = [
        suite_folder
        for suite_folder in all_suites
        if suite_folder.suite.harness != failed or folder / suite_folder.path not in tried
    ]
    limit = "" if is_whole else f" in the first {placed.MOST_FOLDERS:,} folders"
    if not suites_left:
        if not all_suites and is_whole and (unbuilt := describe_unbuilt(folder)):
            return unbuilt
        noun = "others" if all_suites else "benchmarks"
        return f"there are no {noun} of Go, JMH or Python below it{limit}"
    call = _format_command(suites_left[0], folder_text, revision)
    return f"there are some in {list_suites(suites_left)}{limit and f' ({limit.strip()})'}{call}"


def describe_unbuilt(folder: Path) -> str:
    """Return which benchmarks the sources have that nothing builds; empty where there are none."""
    if placed.holds_home(folder):
        return ""
    remedies = {
        "jmh": suggest_jar_audit(folder)
        or "no pom.xml or build.gradle builds them; add one, or name a jar with them and JMH in it",
        "python": "no pyproject.toml or setup.py says how to install the project; add one",
    }
    for kind in sorted(remedies.keys() - find_marks(folder)):
        suite = detect_suite_of_kind(folder, kind)
        if suite.benchmarks:
            count = _format_count(suite)
            return f"its sources have {count} of {suite.harness}, but {remedies[kind]}"
    return ""


def explain_unsupported(folder: Path, folder_text: str) -> str:
    """Return why a folder that no build file is in cannot be audited, and what to do."""
    if hint := suggest_jar_audit(folder):
        return f"{folder_text} cannot be built here: {hint}"
    return (
        f"{folder_text} is not a project that can be audited: it has no {MARKS} and no Go files "
        f"of its own; {describe_candidates(folder, folder_text)}"
    )


def _format_command(suite: SuiteFolder, folder_text: str, revision: str) -> str:
    """Return the command for a suite with a colon in front, or what to do where there is none."""
    harness_option = f"--harness {suite.suite.harness}"
    if suite.path == ".":
        call = f": bench-audit abs {shlex.quote(folder_text + revision)} {harness_option}"
        return call if folder_text else f"; choose it with {harness_option}"
    path = f"{folder_text.rstrip('/')}/{suite.path}"
    # Of a repository only folders of the work tree can be named.
    in_work_tree = is_dir(Path(path.removeprefix("git:")).expanduser())
    if not folder_text or (revision and not in_work_tree):
        return "; get the sources and name that folder"
    return f": bench-audit abs {shlex.quote(path + revision)}"


def explain_missing_benchmarks(
    folder: Path, subject: SubjectSpec, harness: str, tried: Sequence[Path] = ()
) -> str:
    """Return what was looked for in a suite without benchmarks, and where there are some.

    `folder` is the copy of the subject. The suite that lacks benchmarks is in it, or in `tried`.
    """
    search_text = f"looked for {LOOKED_FOR.get(harness, f'benchmarks of {harness}')}"
    match subject:
        case FolderSpec(path):
            folder_text, revision = str(path), ""
        case GitSpec(repository, name):
            folder_text, revision = f"git:{repository}", f"@{name}"
        case GoModuleSpec() | DistributionSpec():
            folder_text, revision = "", ""
        case _:  # a jar has no folders
            return search_text
    tags = sorted({tag for path in (folder, *tried) for tag in _list_tags_of(path, harness)})
    if tags:
        return (
            f"{search_text}; they are behind build tags {', '.join(tags)}: add "
            f'"tags": {json.dumps(tags)} to the configuration (bench-audit init writes it)'
        )
    candidate_text = describe_candidates(
        folder, folder_text, revision, failed=harness, tried=(folder, *tried)
    )
    is_without = not find_suites(folder)
    archive_text = f"; {_ARCHIVE_REMEDY}" if is_without and not folder_text else ""
    scripts_text = _describe_scripts(folder) if is_without and harness not in ("go", "jmh") else ""
    return f"{search_text}; {candidate_text}{archive_text}{scripts_text}"


def _describe_scripts(folder: Path) -> str:
    """Return which scripts measure without a harness, by their names, and what to do."""
    scripts = list_scripts_without_harness(folder)
    if not scripts:
        return ""
    more = f" and {len(scripts) - MOST_NAMED} more" if len(scripts) > MOST_NAMED else ""
    return (
        f"; no harness runs {', '.join(scripts[:MOST_NAMED])}{more}: what it measures can be "
        "audited as tests with the fixture of pytest-benchmark"
    )


def _list_tags_of(folder: Path, harness: str) -> tuple[str, ...]:
    return detect_suite_of_kind(folder, harness).tags if harness == "go" else ()


def list_suites(folders: Sequence[SuiteFolder]) -> str:
    """Return the first of these folders in words, and how many more there are."""
    more = len(folders) - MOST_NAMED
    texts = ", ".join(folder.summary_text for folder in folders[:MOST_NAMED])
    return texts + (f" and {more} more" if more > 0 else "")


def _find_projects(top: Path) -> tuple[list[tuple[Path, str]], bool]:
    """Return folders with the mark of a project, and whose mark it is.

    And whether all folders were looked into: there may be more than MOST_FOLDERS.
    """
    projects: list[tuple[Path, str]] = []
    inside: dict[Path, frozenset[str]] = {}
    for number, (directory, folders, _) in enumerate(os.walk(top)):
        if number >= placed.MOST_FOLDERS:
            return projects, False
        current_folder = Path(directory)
        folders[:] = sorted(
            folder
            for folder in folders
            # Go leaves `_benchmark` out of the module above, not a module that lies in it.
            if folder.removeprefix("_") not in LEFT_OUT
            and not folder.startswith(".")
            and not (current_folder / folder).is_symlink()
            and not is_virtual_environment(current_folder / folder)
        )
        around = inside.get(current_folder.parent, frozenset[str]())
        marks = find_marks(current_folder)
        if current_folder == top and not marks and has_go_files(top):
            marks = frozenset(("go",))
        projects += [
            (current_folder, kind)
            for kind in KINDS
            if kind in marks and (kind not in around or (current_folder / MODULE_FILE).is_file())
        ]
        inside[current_folder] = around | marks
    return projects, True
