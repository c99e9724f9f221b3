"""The Launcher of a Python client's tests: one process, in which a library is traced."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Outcome
from auditor.core.plan import Trial
from auditor.core.ports import Build
from auditor.core.subject import Project, Role
from runners.pybench import reading
from runners.pybench.harness import RECORDS, make_hook_build, make_test_job


class PythonTracer:
    """Runs the tests of a client that `prepare_client` has made ready.

    `places` are those that pytest is to look for tests in; none: where it looks by itself.
    """

    def __init__(self, places: Sequence[str] = ()) -> None:
        """Take the places."""
        self._places = tuple(places)

    def plan_build(self, project: Project, overlay: Overlay, build_folder: Path) -> Build:
        """Write what is traced, with the paths of the client's copy of the library."""
        (library,) = project.list_paths(Role.LIBRARY)
        texts = {file.path: build_folder / "overlay" / file.path for file in overlay.files}
        lines = []
        for line in overlay.instructions:
            kind, *fields = line.split("\t")
            if kind == "library":
                fields[1] = str(library / fields[1])
            elif kind == "method":
                fields[0] = str(library / fields[0])
            elif kind == "module":
                original = (library / fields[1]).read_bytes()
                fields[1:] = [str(texts[fields[1]]), hashlib.sha256(original).hexdigest()]
            lines.append("\t".join((kind, *fields)) + "\n")
        files = [(texts[file.path], file.text) for file in overlay.files]
        return make_hook_build(files, lines, build_folder)

    def plan_launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Sequence[Invocation]:
        """Return the process of all tests."""
        return (make_test_job(project, trial, build_folder, "BENCH_AUDIT_TRACE", self._places),)

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Return what was called, or why that is not known."""
        return reading.read_outcome(trial, answers, RECORDS)
