"""The Launcher of a Go client's tests: calls of a library are counted where the client makes them.

The client's files are written anew, by the types that the compiler knows, and laid over the build:
neither the client's tree nor the library is changed, wherever that is.
"""

import json
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditor.core.jobs import Completed, Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import (
    Crashed,
    MethodCalls,
    NotBuilt,
    Outcome,
    Skipped,
    TimedOut,
    Traced,
)
from auditor.core.plan import Trial
from auditor.core.ports import Build
from auditor.core.subject import Project
from runners.gobench import client, commands, compiler, text
from runners.gobench.commands import BUILD, COUNTERS, LAUNCH, RUN, Place
from runners.programs import is_made

PACKAGES, ARGUMENTS = "packages.json", "arguments.json"
_ENDED = re.compile(rb"^--- (PASS|FAIL|SKIP): ", re.MULTILINE)
_COUNTING = "zz_bench_audit_calls"
_GENERIC = "go1.18"
"""The first version of Go that has the generic functions which count."""


class GoTracer:
    """Runs the tests of a client that `prepare_client` has made ready, package by package."""

    def build(self, project: Project, overlay: Overlay, into: Path) -> Build:
        """Return the call of the tool that writes the client's files anew."""
        known = dict(project.options)
        ids = [line.split("\t")[1] for line in overlay.instructions if line.startswith("method\t")]
        methods, guest = into / "methods.txt", into / "calls.go"
        job = Invocation(
            argv=(
                known["tool"],
                *("-library", known["library"], "-methods", str(methods)),
                *("-into", str(into), "-guest", str(guest)),
                *filter(None, known["tests"].split("\n")),
            ),
            cwd=project.root,
            environment=project.environment,
            timeout_seconds=commands.BUILD_SECONDS,
        )
        files = ((methods, "\n".join(ids).encode()), (guest, client.text(client.GUEST)))
        return Build(files, (commands.label_build(project, into, job),))

    def launch(self, project: Project, trial: Trial, into: Path) -> Iterator[Invocation]:
        """Yield the build and the run of each package whose tests can call the library."""
        listing = json.loads((into / PACKAGES).read_bytes())
        for package in listing["packages"]:
            place = Place(project, into, package["unit"], package["folder"], trial=trial)
            if not is_made(place.binary):
                yield _compiled(place, listing["old"] or ())
            if is_made(place.binary):
                yield _run(place, trial)

    def read(self, trial: Trial, answers: Sequence[Completed]) -> Outcome:
        """Add up what was called, or say why that is not known."""
        builds = [answer for answer in answers if _file(answer, LAUNCH).startswith(BUILD)]
        runs = [answer for answer in answers if _file(answer, LAUNCH).startswith(RUN)]
        late = [answer for answer in answers if answer.timed_out]
        bad = [_why(build) for build in builds if build.exit_code]
        if not runs and late:
            return TimedOut(trial.timeout_seconds, late[0].tail())
        if not runs:
            return NotBuilt(bad[0]) if bad else Skipped("none of its tests can call the library")
        gaps = [f"packages of tests that do not build: {len(bad)}; {bad[0]}"] if bad else []
        counts = [0] * (2 * len(trial.variant.methods))
        for run in runs:
            data = _file(run, COUNTERS)
            if len(data) == 8 * len(counts):
                values = struct.unpack(f"{len(counts)}q", data)
                counts = [number + other for number, other in zip(counts, values, strict=True)]
        ended = [ended_packages for run in runs for ended_packages in _ENDED.findall(run.stdout)]
        gaps += _gaps(runs, len(late), len(ended), ended.count(b"FAIL"))
        if not any(counts) and not ended:
            return _nothing(runs[0], trial)
        whole = not any(run.truncated for run in runs)
        tests = len(ended) - ended.count(b"SKIP") if whole else None
        return Traced(
            calls=_calls(trial, counts, runs),
            tests=tests,
            missing="; ".join(gaps)[:2000],
            ended_after=trial.timeout_seconds if late else None,
        )


def _compiled(place: Place, old: Sequence[str]) -> Invocation:
    flags = commands.build_flags(place.project, place.into, overlaid=True)
    flags += tuple(f"-gcflags={module}/...=-lang={_GENERIC}" for module in old)
    where = commands.folder_argument(place.project, place.folder)
    words = ("test", "-c", "-vet=off", *flags, "-o", str(place.binary), where)
    job = replace(commands.go(place.project, *words), makes=place.binary)
    return commands.label_build(place.project, place.binary.parent, job, place.unit)


def _run(place: Place, trial: Trial) -> Invocation:
    counters = place.file(COUNTERS)
    job = commands.run_binary(
        place, ("-test.v",), trial.timeout_seconds, BENCH_AUDIT_COUNTERS=counters
    )
    noted = (place.into / ARGUMENTS, place.into / PACKAGES)
    return commands.label_run(
        place,
        Invocation(
            argv=job.argv,
            cwd=job.cwd,
            environment=job.environment,
            timeout_seconds=job.timeout_seconds,
            files=((counters, bytes(16 * len(trial.variant.methods))),),
            collects=(counters, *noted),
        ),
    )


def _file(answer: Completed, name: str) -> bytes:
    return next((data for path, data in answer.files.items() if path.name == name), b"")


def _why(build: Completed) -> str:
    """Say why a package's tests do not build, and whose fault it is."""
    message = compiler.message(build, "")
    if _COUNTING in message:
        return f"the calls that count do not compile there: {message}"
    return message


def _gaps(runs: Sequence[Completed], late: int, tests: int, failed: int) -> list[str]:
    broken = [run for run in runs if run.exit_code and b"\n--- FAIL" not in b"\n" + run.stdout]
    gaps = [f"{failed} of {tests} unit tests fail"] if failed else []
    if late:
        gaps.append(f"packages of tests that had no time, or were ended before their end: {late}")
    listing = json.loads(_file(runs[0], PACKAGES) or b"{}")
    if unseen := listing.get("unseen"):
        place, why = next(iter(unseen.items()))
        gaps.append(f"places whose calls are not counted: {len(unseen)}; {place}: {why}")
    if broken_packages := listing.get("broken"):
        gaps.append(f"packages that cannot be read: {len(broken_packages)}; {broken_packages[0]}")
    if broken:
        gaps.append(
            f"packages whose tests broke off: {len(broken)} of {len(runs)}; "
            f"{text.tail(broken[0], 3)}"
        )
    return gaps


def _nothing(run: Completed, trial: Trial) -> Outcome:
    if run.timed_out:
        return TimedOut(trial.timeout_seconds, text.tail(run))
    if run.exit_code:
        return Crashed(run.exit_code, text.tail(run))
    return Skipped("none of its tests ran")


def _calls(
    trial: Trial, counts: Sequence[int], runs: Sequence[Completed]
) -> tuple[MethodCalls, ...]:
    noted: dict[str, Any] = json.loads(_file(runs[-1], ARGUMENTS) or b"{}")
    return tuple(
        MethodCalls(
            method=method.id,
            outside=direct + indirect,
            indirect=indirect,
            arguments=tuple(tuple(place) for place in noted.get(str(number)) or ()),
        )
        for number, method in enumerate(trial.variant.methods)
        for direct, indirect in [counts[2 * number : 2 * number + 2]]
        if direct or indirect
    )
