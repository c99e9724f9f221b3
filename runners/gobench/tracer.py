"""The Launcher of a Go client's tests: calls of a library are counted where the client makes them.

The client's files are written anew, by the types that the compiler knows, and laid over the build:
neither the client's tree nor the library is changed, wherever that is.
"""

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from auditor.core.errors import MachineError, SubjectError
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Crashed, MethodCalls, NotBuilt, Outcome, Skipped, TimedOut, Traced
from auditor.core.plan import Trial
from auditor.core.ports import Build, Host
from auditor.core.subject import Project
from runners.disk import convert_write_errors
from runners.gobench import commands, text, toolchain
from runners.gobench.commands import BUILD, BUILD_SECONDS, COUNTERS, LAUNCH, RUN, PackageBuild
from runners.gobench.project import prepare_placed
from runners.home import HomeFolder
from runners.programs import is_program_built
from runners.subjects.placed import PlacedSubject, is_of_kind

_FILES = ("go.mod", "main.go", "work.go", "look.go")
GUEST = "calls/calls.go"

PACKAGES, ARGUMENTS = "packages.json", "arguments.json"
_ENDED = re.compile(rb"^--- (PASS|FAIL|SKIP): ", re.MULTILINE)
_COUNTING = "zz_bench_audit_calls"
_GENERIC = "go1.18"
"""The first version of Go that has the generic functions which count."""


class GoTracer:
    """Runs the tests of a client that `prepare_client` has made ready, package by package."""

    def plan_build(self, project: Project, overlay: Overlay, build_folder: Path) -> Build:
        """Return the call of the tool that writes the client's files anew."""
        options = dict(project.options)
        ids = [line.split("\t")[1] for line in overlay.instructions if line.startswith("method\t")]
        methods, guest = build_folder / "methods.txt", build_folder / "calls.go"
        job = Invocation(
            argv=(
                options["tool"],
                *("-library", options["library"], "-methods", str(methods)),
                *("-into", str(build_folder), "-guest", str(guest)),
                *filter(None, options["tests"].split("\n")),
            ),
            cwd=project.root,
            environment=project.environment,
            timeout_seconds=commands.BUILD_SECONDS,
        )
        files = ((methods, "\n".join(ids).encode()), (guest, _read_tool_file(GUEST)))
        return Build(files, (commands.label_build(project, build_folder, job),))

    def plan_launch(
        self, project: Project, trial: Trial, build_folder: Path
    ) -> Iterator[Invocation]:
        """Yield the build and the run of each package whose tests can call the library."""
        listing = json.loads((build_folder / PACKAGES).read_bytes())
        for package in listing["packages"]:
            place = PackageBuild(
                project, build_folder, package["unit"], package["folder"], trial=trial
            )
            if not is_program_built(place.binary_path):
                yield _make_build_job(place, listing["old"] or ())
            if is_program_built(place.binary_path):
                yield _make_test_job(place, trial)

    def read_outcome(self, trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
        """Add up what was called, or say why that is not known."""
        builds = [answer for answer in answers if answer.find_file(LAUNCH).startswith(BUILD)]
        runs = [answer for answer in answers if answer.find_file(LAUNCH).startswith(RUN)]
        late = [answer for answer in answers if answer.timed_out]
        bad = [_explain_broken_build(build) for build in builds if build.exit_code]
        if not runs and late:
            return TimedOut(trial.timeout_seconds, late[0].format_tail())
        if not runs:
            return NotBuilt(bad[0]) if bad else Skipped("none of its tests can call the library")
        gaps = [f"packages of tests that do not build: {len(bad)}; {bad[0]}"] if bad else []
        counts = [0] * (2 * len(trial.variant.methods))
        for run in runs:
            counter_data = run.find_file(COUNTERS)
            if len(counter_data) == 8 * len(counts):
                values = struct.unpack(f"{len(counts)}q", counter_data)
                counts = [
                    number + increment for number, increment in zip(counts, values, strict=True)
                ]
        ended = [ended_packages for run in runs for ended_packages in _ENDED.findall(run.stdout)]
        gaps += _list_gaps(runs, len(late), len(ended), ended.count(b"FAIL"))
        if not any(counts) and not ended:
            return _make_empty_outcome(runs[0], trial)
        is_complete = not any(run.truncated for run in runs)
        tests = len(ended) - ended.count(b"SKIP") if is_complete else None
        return Traced(
            calls=_list_method_calls(trial, counts, runs),
            tests=tests,
            missing="; ".join(gaps)[:2000],
            ended_after=trial.timeout_seconds if late else None,
        )


def _make_build_job(place: PackageBuild, old: Sequence[str]) -> Invocation:
    flags = commands.build_flags(place.project, place.output_folder, overlaid=True)
    flags += tuple(f"-gcflags={module}/...=-lang={_GENERIC}" for module in old)
    package_argument = commands.folder_argument(place.project, place.folder)
    words = ("test", "-c", "-vet=off", *flags, "-o", str(place.binary_path), package_argument)
    job = replace(commands.make_go_job(place.project, *words), makes=place.binary_path)
    return commands.label_build(place.project, place.binary_path.parent, job, place.unit)


def _make_test_job(place: PackageBuild, trial: Trial) -> Invocation:
    counters = place.locate_file(COUNTERS)
    job = commands.run_binary(
        place, ("-test.v",), trial.timeout_seconds, BENCH_AUDIT_COUNTERS=counters
    )
    note_files = (place.output_folder / ARGUMENTS, place.output_folder / PACKAGES)
    return commands.label_run(
        place,
        Invocation(
            argv=job.argv,
            cwd=job.cwd,
            environment=job.environment,
            timeout_seconds=job.timeout_seconds,
            files=((counters, bytes(16 * len(trial.variant.methods))),),
            collects=(counters, *note_files),
        ),
    )


def _explain_broken_build(build: CompletedProcess) -> str:
    """Say why a package's tests do not build, and whose fault it is."""
    message = toolchain.describe_build_failure(build, "")
    if _COUNTING in message:
        return f"the calls that count do not compile there: {message}"
    return message


def _list_gaps(runs: Sequence[CompletedProcess], late: int, tests: int, failed: int) -> list[str]:
    broken = [run for run in runs if run.exit_code and b"\n--- FAIL" not in b"\n" + run.stdout]
    gaps = [f"{failed} of {tests} unit tests fail"] if failed else []
    if late:
        gaps.append(f"packages of tests that had no time, or were ended before their end: {late}")
    listing = json.loads(runs[0].find_file(PACKAGES) or b"{}")
    if unseen := listing.get("unseen"):
        place, reason = next(iter(unseen.items()))
        gaps.append(f"places whose calls are not counted: {len(unseen)}; {place}: {reason}")
    if broken_packages := listing.get("broken"):
        gaps.append(f"packages that cannot be read: {len(broken_packages)}; {broken_packages[0]}")
    if broken:
        gaps.append(
            f"packages whose tests broke off: {len(broken)} of {len(runs)}; "
            f"{text.format_tail(broken[0], 3)}"
        )
    return gaps


def _make_empty_outcome(run: CompletedProcess, trial: Trial) -> Outcome:
    if run.timed_out:
        return TimedOut(trial.timeout_seconds, text.format_tail(run))
    if run.exit_code:
        return Crashed(run.exit_code, text.format_tail(run))
    return Skipped("none of its tests ran")


def _list_method_calls(
    trial: Trial, counts: Sequence[int], runs: Sequence[CompletedProcess]
) -> tuple[MethodCalls, ...]:
    arguments_by_token: dict[str, Any] = json.loads(runs[-1].find_file(ARGUMENTS) or b"{}")
    return tuple(
        MethodCalls(
            method=method.id,
            outside=direct + indirect,
            indirect=indirect,
            arguments=tuple(tuple(place) for place in arguments_by_token.get(str(number)) or ()),
        )
        for number, method in enumerate(trial.variant.methods)
        for direct, indirect in [counts[2 * number : 2 * number + 2]]
        if direct or indirect
    )


def prepare_client(  # noqa: PLR0913 - what both projects, the machine and the user contribute
    client: PlacedSubject,
    library: str,
    *,
    home: HomeFolder,
    host: Host,
    environment: Iterable[tuple[str, str]],
    tests: Sequence[str] = (),
) -> Project:
    """Return a client that uses a module, at the version that it asks for.

    `tests` are patterns of the packages whose tests run; none: of all that can call the module.
    Raises SubjectError where there is no Go project, and what Go says where it fails.
    """
    if not is_of_kind(client.tree, "go"):
        raise SubjectError(f"{client.name} is not a Go project: it has neither go.mod nor go.work")
    project = prepare_placed(client, home=home, host=host, environment=environment, chooses=False)
    decides = repr((project.digest, library, tuple(tests), _compute_tool_digest()))
    key = hashlib.sha256(decides.encode()).hexdigest()[:24]
    options = {
        "library": library,
        "tests": "\n".join(tests),
        "tool": str(_build_tool(project, home, host)),
    }
    return replace(
        project, digest=key, content="", closures=(), options=tuple(sorted(options.items()))
    )


def _read_tool_file(name: str) -> bytes:
    """Return one of the tool's files."""
    return (resources.files("runners.gobench") / "tracer" / name).read_bytes()


def _compute_tool_digest() -> str:
    """Return a digest of the tool, and of what it puts into a client, hexadecimal."""
    contents = [_read_tool_file(name) for name in (*_FILES, GUEST)]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:16]


def _build_tool(project: Project, home: HomeFolder, host: Host) -> Path:
    """Build the tool once for each version of Go: it reads what that compiler writes."""
    version = dict(project.versions).get("go", "")
    key = hashlib.sha256(f"{_compute_tool_digest()} {version}".encode()).hexdigest()[:16]
    folder = home.make_tool_folder(f"go-tracer-{key}")
    binary = folder / "tracer"
    with home.lock_folder(folder):
        if binary.is_file():
            return binary
        with convert_write_errors(folder):
            for name in _FILES:
                (folder / name).write_bytes(_read_tool_file(name))
        variables = {
            **dict(project.environment),
            "GOWORK": "off",
            "GOFLAGS": "",
            "PWD": str(folder),
        }
        job = Invocation(
            argv=("go", "build", "-o", "new", "."),
            cwd=folder,
            environment=tuple(sorted(variables.items())),
            timeout_seconds=BUILD_SECONDS,
        )
        answer = host.run_process(job)
        if answer.exit_code != 0:
            raise MachineError(
                f"bench-audit's tool for finding calls does not build: {answer.format_tail()}"
            )
        with convert_write_errors(folder):
            (folder / "new").rename(binary)
    return binary
