"""Finding the benchmarks of a project: build each package, run each benchmark once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.errors import BuildFailed
from auditor.core.jobs import Completed, Invocation
from auditor.core.listing import EVERYTHING, Ask, Listing
from auditor.core.subject import Project, SourceFile, SourceRole
from auditor.core.suite import ENDED_AFTER, Benchmark, Suite
from runners.gobench import commands, golist, text
from runners.gobench.commands import Place
from runners.gobench.settings import GoSettings, bodies, mentions
from runners.gobench.unlisted import MOVING, may_move, no_list_reason
from runners.limits import within_limits

_BENCHMARK = re.compile(rb"^func (Benchmark[^\s(\[]*)", re.MULTILINE)
_NAME = re.compile(r"^(Benchmark\S*)$", re.MULTILINE)
_MORE = 5
"""How often a function that breaks off is run again: each time may take as long as a hang."""
_SURE = 3
"""How often what has a result without a time is run alone, to see whether it panics."""
_LONGEST = 50_000
"""Characters of names, escaped at most twice as many: an argument may have 128 KiB on Linux."""


@dataclass(slots=True)
class Discovery:
    """One look at a project, with what it finds."""

    project: Project  # the subject
    into: Path  # folder for binaries
    ask: Ask  # runs a process and returns how it ended
    seconds: float  # that one operation may take until the benchmark counts as hanging
    listing: Listing = EVERYTHING  # results of earlier listings to take over
    benchmarks: list[Benchmark] = field(default_factory=list)  # those that can run
    sources: list[SourceFile] = field(default_factory=list)  # files of library and benchmarks
    unusable: list[tuple[str, str]] = field(default_factory=list)
    """Benchmarks that cannot run, with the reason."""
    messages: list[str] = field(default_factory=list)  # of builds that failed

    def suite(self) -> Suite:
        """Return the benchmarks; raises BuildFailed if not one package with some can be built."""
        packages = self._packages()
        tests = {
            listed_package.unit: self._read(listed_package)
            for listed_package in packages
            if listed_package.problem is None
        }
        wanted, others = self._wanted(tests)
        compiled = self._compiled(
            [listed_package for listed_package in packages if listed_package.unit in wanted]
        )
        built = 0
        for package in packages:
            if package.problem is not None:
                if package.is_run(self.project):
                    self._broken(package.unit, package.problem)
            elif package.unit in compiled:
                answer = compiled[package.unit]
                built += self._package(self._place(package), tests[package.unit], answer)
            elif package.unit not in others and (suite := self.listing.known.get(package.unit)):
                self.benchmarks += suite.benchmarks
                self.unusable += suite.unusable
                built += bool(suite.benchmarks)
        if self.messages and not built and not others:
            raise BuildFailed(
                f"no package of {self.project.name} with benchmarks can be built; correct what "
                f"the compiler says first: {self.messages[0]}"
            )
        return Suite(
            tuple(self.benchmarks), tuple(self.sources), tuple(self.unusable), tuple(others)
        )

    def read_sources(self) -> list[SourceFile]:
        """Return the sources of that suite, without building or running anything."""
        return [
            source
            for package in self._packages()
            if package.problem is None
            for source in package.sources(self.project)
        ]

    def _packages(self) -> list[golist.ListedPackage]:
        root = self.project.root
        flags = commands.build_flags(self.project, self.into, overlaid=False)
        modules = self._needed(commands.go(self.project, "list", "-m", "-f", "{{.Dir}}"))
        where = [*golist.patterns(modules, self.project), *golist.library_patterns(self.project)]
        listing = ("list", "-e", f"-json={golist.FIELDS}", *flags, *where)
        return golist.packages(self._needed(commands.go(self.project, *listing)), root)

    def _read(self, package: golist.ListedPackage) -> list[bytes]:
        """Keep the sources of a package, and return those of its tests."""
        sources = list(package.sources(self.project))
        self.sources += sources
        return [source.text for source in sources if source.role is SourceRole.BENCHMARKS]

    def _wanted(self, tests: Mapping[str, Sequence[bytes]]) -> tuple[list[str], list[str]]:
        """Return which packages are to be listed, and which hold nothing that is asked for.

        A benchmark's name begins with that of its function. Where nothing that is asked for can be
        found, all are listed: it can be said what there is.
        """
        functions = {unit: _functions(texts) for unit, texts in tests.items()}
        known = {unit for unit, suite in self.listing.known.items() if suite.benchmarks}
        new = [unit for unit, names in functions.items() if names and unit not in known]
        ask = self.listing.is_asked_for
        wanted = [unit for unit in new if any(ask(unit, name) for name in functions[unit])]
        if not wanted and not known & functions.keys():
            return new, []
        return wanted, [unit for unit in new if unit not in wanted]

    def _compiled(self, packages: Sequence[golist.ListedPackage]) -> Mapping[str, Completed]:
        """Build the tests of packages, those of the first one alone, and return the answers.

        Builds that run at the same time share what is done, not what they are about to do: what
        all need, the standard library above all, would be compiled by each.
        """
        answers: list[Completed] = []
        jobs = [
            commands.compile_tests(self._place(listed_package), overlaid=False)
            for listed_package in packages
        ]
        for invocations in (jobs[:1], jobs[1:]):
            answers += self.listing.together(self.ask, invocations)
        return {
            package.unit: within_limits(job, answer)
            for package, job, answer in zip(packages, jobs, answers, strict=True)
        }

    def _place(self, package: golist.ListedPackage) -> Place:
        return Place(self.project, self.into, package.unit, package.folder)

    def _needed(self, job: Invocation) -> Completed:
        return within_limits(job, self.ask(job))

    def _broken(self, unit: str, message: str) -> None:
        self.messages.append(message)
        self.unusable.append((unit, f"the package does not build: {message[:1000]}"))

    def _package(self, place: Place, tests: Sequence[bytes], compiled: Completed) -> bool:
        if compiled.exit_code != 0:
            self._broken(place.unit, compiled.tail())
            return False
        listed = self.ask(commands.run_binary(place, ("-test.list=^Benchmark",), self.seconds))
        names = _NAME.findall(listed.stdout.decode(errors="replace").replace("\r", ""))
        if not names:
            count = len(_functions(tests))
            self.unusable.append((place.unit, no_list_reason(listed, count, _end(listed))))
        functions = bodies(tests)
        for name in dict.fromkeys(names):
            settings = GoSettings(
                folder=place.folder,
                processors=1,
                parallel=mentions(name, ".RunParallel(", functions),
                loops=mentions(name, ".Loop()", functions),
            )
            self._benchmark(place, name, settings)
            self._leave_out_moving(place, name, tests)
        return True

    def _leave_out_moving(self, place: Place, name: str, tests: Sequence[bytes]) -> None:
        """Leave out benchmarks of a function that have other names in another process.

        Only what looks as if it changes is run again.
        """
        benchmarks = [benchmark for benchmark in self.benchmarks if benchmark.group == place.unit]
        benchmarks = [
            benchmark
            for benchmark in benchmarks
            if benchmark.name == name or benchmark.name.startswith(f"{name}/")
        ]
        if not any(may_move(benchmark.name, tests) for benchmark in benchmarks):
            return
        again = {leaf.name for leaf in text.leaves(self._once(place, name, ()).stdout)}
        moving = [benchmark for benchmark in benchmarks if benchmark.name not in again]
        self.benchmarks = [benchmark for benchmark in self.benchmarks if benchmark not in moving]
        self.unusable += [(benchmark.id, MOVING) for benchmark in moving]

    def _benchmark(self, place: Place, name: str, settings: GoSettings) -> None:
        """Run a function alone once; what does not give a result is unusable, with the reason.

        What breaks the process off hides what comes after it, so the function is run again
        without what is known by then.
        """
        names: list[str] = []
        answer = self._once(place, name, names)
        for left in reversed(range(1 + _MORE)):
            whole = text.has_ended(answer) and not answer.truncated
            leaves = _new(text.leaves(answer.stdout), names, whole=whole)
            if not leaves and not names:
                self.unusable.append((f"{place.unit}.{name}", f"it did not run: {_end(answer)}"))
            doubtful = () if whole or answer.timed_out else _doubtful(leaves)
            for leaf in leaves:
                if leaf in doubtful:
                    self._alone(place, leaf.name, names, settings)
                else:
                    self._leaf(place.unit, leaf, names, answer, settings)
            names += [leaf.name for leaf in leaves]
            if whole or name in names:
                return
            if not leaves or not left or sum(map(len, names)) > _LONGEST:
                break
            answer = self._once(place, name, names)
        if names:
            self._unlisted(place.unit, name, names[-1], answer)

    def _once(self, place: Place, name: str, names: Sequence[str]) -> Completed:
        """Run a benchmark and those that it holds, without those known already.

        The first pattern that matches decides, also if it is to match deeper: those come last.
        """
        skip = "|".join(map(commands.pattern, sorted(names, key=lambda one: one.count("/"))))
        flags = (
            f"-test.bench={commands.pattern(name)}",
            *((f"-test.skip={skip}",) if skip else ()),
            "-test.benchtime=1x",
            *commands.ALWAYS,
        )
        return self.ask(commands.run_binary(place, flags, self.seconds))

    def _alone(self, place: Place, name: str, names: Sequence[str], settings: GoSettings) -> None:
        """Run what may have broken a process off without its neighbours.

        Alone, a process may come to its end before a panic has ended it: nothing else is run then.
        So what has no time is run more than once, and is no result where a panic is told.
        """
        answer = self._once(place, name, names)
        for _ in range(_SURE - 1):
            leaf = _lone(answer, name)
            if leaf.result is None or not _timeless(leaf):
                break
            answer = self._once(place, name, names)
        if not (text.has_ended(answer) and _inside(name, names)):
            self._leaf(place.unit, _lone(answer, name), names, answer, settings)

    def _leaf(
        self,
        unit: str,
        leaf: text.Leaf,
        names: Sequence[str],
        answer: Completed,
        settings: GoSettings,
    ) -> None:
        if leaf.result is not None:
            self._usable(unit, leaf.name, leaf.result.processors, settings)
        elif inside := _inside(leaf.name, names):
            self._unlisted(unit, leaf.name, inside[-1], answer)
        else:
            reason = leaf.reason or f"it gave no result: {_end(answer)}"
            self.unusable.append((f"{unit}.{leaf.name}", reason))

    def _unlisted(self, unit: str, name: str, last: str, answer: Completed) -> None:
        reason = f"what comes after {last} in this function could not be listed: {_end(answer)}"
        self.unusable.append((f"{unit}.{name}", reason))

    def _usable(self, unit: str, name: str, processors: int, noted: GoSettings) -> None:
        own = GoSettings(noted.folder, processors, noted.parallel, noted.loops)
        threads = processors if own.parallel else 1
        self.benchmarks.append(
            Benchmark(
                group=unit,
                name=name,
                threads=threads,
                concurrency=threads,
                settings=own.text(),
            )
        )


def _functions(tests: Sequence[bytes]) -> list[str]:
    return [name.decode(errors="replace") for text in tests for name in _BENCHMARK.findall(text)]


def _new(listed: Sequence[text.Leaf], names: Sequence[str], *, whole: bool) -> list[text.Leaf]:
    """Leave out what looks like a leaf only because all that it holds is known and was skipped.

    Where the process broke off, it may have broken there, behind what is known.
    """
    return [
        leaf
        for leaf in listed
        if leaf.result is not None
        or not _inside(leaf.name, names)
        or (not whole and leaf in listed[-2:])
    ]


def _doubtful(leaves: Sequence[text.Leaf]) -> list[text.Leaf]:
    """Return what may have broken a process off, or lost its marks.

    A panic ends the process a little later: by then others may have begun, and the one that
    panics may even have a result, without a time as its clock was never stopped.
    """
    return [leaf for leaf in leaves if not leaf.reason and (_timeless(leaf) or leaf in leaves[-2:])]


def _lone(answer: Completed, name: str) -> text.Leaf:
    """Return what a process of one leaf says of it: no result where the leaf has ended it."""
    leaves = text.leaves(answer.stdout) if text.has_ended(answer) else []
    leaf = next(
        (benchmark for benchmark in leaves if benchmark.name == name), text.Leaf(name, None, "")
    )
    return text.Leaf(name, None, "") if _timeless(leaf) and text.has_panicked(answer) else leaf


def _timeless(leaf: text.Leaf) -> bool:
    return leaf.result is None or leaf.result.value("ns/op") is None


def _inside(name: str, names: Sequence[str]) -> list[str]:
    return [one for one in names if one.startswith(f"{name}/")]


def _end(answer: Completed) -> str:
    """Say how a process ended, with its last lines."""
    if answer.timed_out:
        how = f"{ENDED_AFTER} {answer.seconds:.0f} s"
    elif answer.exhausted:
        how = f"it needs more than {answer.exhausted}"
    else:
        how = f"the process ended with {answer.exit_code}"
    if answer.truncated:
        how += " and printed more than is kept"
    return f"{how}\n{text.tail(answer, 6)}"[:1500]
