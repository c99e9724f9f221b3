"""What a Go tree without go.mod imports from others: the newest versions, kept outside the tree."""

import hashlib
from dataclasses import replace
from pathlib import Path

from auditor.core.jobs import CompletedProcess
from auditor.core.ports import Host
from auditor.core.subject import Project
from runners.disk import convert_write_errors
from runners.gobench import commands, goflags
from runners.home import HomeFolder
from runners.subjects.gomod import MODULE_FILE, parse_statements, read_module_path

RESOLVE_SECONDS = 900.0


def with_module_note(project: Project, top: Path) -> Project:
    """Return the project with a note on the go.mod that was made in a folder."""
    text = f"there is no go.mod; the copy has one for the module {read_module_path(top)}"
    return replace(project, notes=(*project.notes, text))


def with_requirements(project: Project, top: Path, home: HomeFolder, host: Host) -> Project:
    """Return the project with a go.mod elsewhere that requires what its packages import.

    It is made once for a content, so that later versions of a dependency change nothing. `top` is
    the folder of the go.mod that was made in the copy.
    """
    folder = home.make_cache_folder("go") / "required" / project.digest
    file = folder / MODULE_FILE
    variables = dict(project.environment)
    flags = [flag for flag in goflags.split_goflags(variables["GOFLAGS"]) if flag != "-mod=vendor"]
    variables["GOFLAGS"] = goflags.join_goflags((*flags, f"-modfile={file}"))
    required = replace(project, environment=tuple(sorted(variables.items())))
    with convert_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with home.lock_folder(folder):
        if not file.is_file():
            job = commands.make_go_job(required, "mod", "tidy", "-e", timeout=RESOLVE_SECONDS)
            initial = (top / MODULE_FILE).read_bytes()
            answer = host.run_process(replace(job, files=((file, initial),), collects=(file,)))
            if answer.exit_code != 0 or answer.timed_out:
                file.unlink(missing_ok=True)
                return _without_requirements(project, answer)
    text = file.read_text(errors="replace")
    digest = hashlib.sha256(f"{project.digest}\n{text}".encode()).hexdigest()[:24]
    note = f"{project.notes[-1]}, which requires the newest versions: {_format_requirements(text)}"
    return replace(required, digest=digest, notes=(*project.notes[:-1], note))


def _without_requirements(project: Project, answer: CompletedProcess) -> Project:
    """Return the project with a note on why the go command could not choose versions."""
    reason = (
        f"not ended after {RESOLVE_SECONDS:g} s"
        if answer.timed_out
        else answer.format_tail(1)[:300]
    )
    note = f"{project.notes[-1]}, without requirements, as `go mod tidy` failed: {reason}"
    return replace(project, notes=(*project.notes[:-1], note))


def _format_requirements(text: str) -> str:
    return ", ".join(
        " ".join(words[1:3]) for words in parse_statements(text) if words[0] == "require"
    )
