"""What do the tests of real clients call of real libraries, and what does tracing them cost?

For each library (Java, Go, Python) and each of its clients: the calls from outside and inside, the
methods that come first, and how long the client's tests take with the library traced and without,
as the ratio of the medians of some runs in turns, in the same copy and environment.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from auditor.config.subjects import parse_subject
from auditor.core.errors import AuditError
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Traced
from auditor.core.plan import Trial
from auditor.core.popularity import ClientUse, Ranking
from auditor.core.ports import Launcher
from auditor.core.request import BuildOptions, ClientSpec, PythonSpec
from auditor.core.subject import Project
from auditor.languages.library_tracing import LibraryTracing
from auditor.languages.model import Machine
from auditor.measure import popularity
from auditor.trace.study import make_trial
from runners.gobench import commands
from runners.gobench.commands import PackageBuild
from runners.home import HomeFolder
from runners.hosts.local import LocalHost

LIBRARIES = {
    "java": (
        "maven:org.apache.commons:commons-lang3:3.14.0",
        "maven:org.apache.commons:commons-text:1.11.0",
        "maven:org.apache.commons:commons-compress:1.27.1",
        "maven:org.apache.commons:commons-configuration2:2.11.0",
    ),
    "go": (
        "go:github.com/spf13/pflag@v1.0.6",
        "go:github.com/spf13/cobra@v1.9.1",
        "go:github.com/spf13/viper@v1.20.1",
        "go:github.com/thediveo/enumflag/v2@v2.0.7",
    ),
    "python": (
        "pypi:attrs@25.4.0",
        "pypi:jsonschema@4.25.1",
        "pypi:service-identity@24.2.0",
        "pypi:outcome@1.3.0.post0",
    ),
}
"""Of each language a library, and clients of it."""
SECONDS = 900.0
SWITCHES = ("BENCH_AUDIT_TRACE", "JAVA_TOOL_OPTIONS")
"""What hands the guest to the processes of a client."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A client made ready."""

    project: Project
    launcher: Launcher
    trial: Trial
    folder: Path


def run(jobs: Iterable[Invocation], host: LocalHost) -> list[CompletedProcess]:
    """Run processes one after the other; what is made by one may be asked for by the next."""
    return [host.run_process(job) for job in jobs]


def testing(answers: Sequence[CompletedProcess], jobs: Sequence[Invocation]) -> float:
    """Return the seconds of those processes that are no builds."""
    return sum(
        completed.seconds
        for completed, job in zip(answers, jobs, strict=True)
        if job.argv[:3] != BUILD
    )


BUILD = ("go", "test", "-c")


def traced(ready: Prepared, host: LocalHost) -> tuple[list[CompletedProcess], float]:
    """Run the tests with the library traced."""
    jobs: list[Invocation] = []
    answers = []
    for job in ready.launcher.plan_launch(ready.project, ready.trial, ready.folder):
        jobs.append(job)
        answers.append(host.run_process(job))
    return answers, testing(answers, jobs)


def plain(ready: Prepared, host: LocalHost) -> float:
    """Run the same tests as they are."""
    seconds = 0.0
    for job in ready.launcher.plan_launch(ready.project, ready.trial, ready.folder):
        if job.argv[:3] == BUILD:
            continue
        if ready.project.harness == "go":
            job = _without_overlay(ready, job, host)  # noqa: PLW2901
        environment = tuple((key, value) for key, value in job.environment if key not in SWITCHES)
        seconds += host.run_process(replace(job, environment=environment)).seconds
    return seconds


def _without_overlay(ready: Prepared, job: Invocation, host: LocalHost) -> Invocation:
    """Return the run of a package's tests that are built of its own files."""
    folder = job.cwd.relative_to(ready.project.root).as_posix()
    binary = Path(job.argv[0])
    place = PackageBuild(ready.project, ready.folder / "plain", binary.stem, folder)
    if not place.binary_path.exists():
        place.binary_path.parent.mkdir(parents=True, exist_ok=True)
        host.run_process(commands.compile_tests(place, overlaid=False))
    return replace(job, argv=(str(place.binary_path), *job.argv[1:]))


def made_ready(tracing: LibraryTracing, name: str, folder: Path, host: LocalHost) -> Prepared:
    """Make a client ready, with all that is needed to run its tests."""
    client_spec = ClientSpec(
        name=name,
        subject=parse_subject(name, Path.cwd()),
        build=BuildOptions(),
        python=PythonSpec(),
    )
    client = tracing.prepare_client(client_spec)
    variant = Variant(VariantKind.TRACED, tracing.library.methods)
    overlay: Any = tracing.mutator.build_overlay(tracing.library.sources, variant)
    build = client.launcher.plan_build(client.project, overlay, folder)
    for path, data in build.files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for answer in run(build.steps, host):
        if answer.exit_code != 0:
            raise SystemExit(f"{name}: {answer.format_tail()}")
    trial = make_trial(client.project, variant, overlay, SECONDS)
    return Prepared(client.project, client.launcher, trial, folder)


def measure_client(name: str, ready: Prepared, turns: int, host: LocalHost) -> ClientUse:
    """Run the tests of a client in turns, and print what that took and gave."""
    answers, _ = traced(ready, host)  # builds what has to be built
    outcome = ready.launcher.read_outcome(ready.trial, answers)
    if not isinstance(outcome, Traced):
        print(f"| {name} | | | | {str(outcome)[:100]} |", flush=True)
        return ClientUse(name=name, reason=str(outcome)[:200])
    seconds: dict[Callable[..., Any], list[float]] = {plain: [], traced: []}
    for _ in range(turns):
        seconds[plain].append(plain(ready, host))
        seconds[traced].append(traced(ready, host)[1])
    before, after = median(seconds[plain]), median(seconds[traced])
    inside = sum(call.inside or 0 for call in outcome.calls)
    outside = sum(call.outside for call in outcome.calls)
    tests = "?" if outcome.tests is None else f"{outcome.tests:,}"
    print(
        f"| {name} | {tests} | {outside:,} | {inside:,} | {before:.1f} s "
        f"| {after / before:.2f} | {outcome.missing[:60]} |",
        flush=True,
    )
    return ClientUse(name=name, calls=outcome.calls, tests=outcome.tests)


def main() -> None:
    """Print a table of clients for each library, and the 20 methods that come first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=list(LIBRARIES), action="append")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--home", type=Path, help="where copies and environments are kept")
    arguments = parser.parse_args()
    home = HomeFolder(arguments.home or Path(tempfile.mkdtemp()))
    host = LocalHost()
    machine = Machine(home=home, host=host, environment=tuple(sorted(os.environ.items())))
    for language in arguments.language or LIBRARIES:
        library, *clients = LIBRARIES[language]
        tracing = LibraryTracing(parse_subject(library, Path.cwd()), BuildOptions(), machine)
        print(f"\n{library}\n\n| client | tests | outside | inside | tests take | traced | |")
        print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
        uses = []
        for name in clients:
            try:
                ready = made_ready(
                    tracing, name, home.make_work_folder(f"tracing-{language}-{len(uses)}"), host
                )
            except AuditError as error:
                print(f"| {name} | | | | | | {str(error).splitlines()[0][:200]} |", flush=True)
                uses.append(ClientUse(name=name, reason=str(error)))
                continue
            uses.append(measure_client(name, ready, arguments.turns, host))
        profile = popularity.build_usage_profile(tracing.library.methods, uses, Ranking.SUM, 20)
        print()
        for rank, method_profile in enumerate(profile.methods[: profile.chosen_count], start=1):
            print(
                f"{rank:3} {method_profile.outside:>12,}  {method_profile.client_count} clients  "
                f"{method_profile.method.id}"
            )


if __name__ == "__main__":
    main()
