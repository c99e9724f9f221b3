"""Finding the benchmarks of a project: build each package, run each benchmark once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.errors import BuildFailed
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.subject import Project, SourceFile, SourceRole
from auditor.core.suite import ENDED_AFTER, EVERYTHING, Ask, Benchmark, Listing, Suite
from runners.gobench import commands, golist, text
from runners.gobench.commands import PackageBuild
from runners.gobench.settings import GoSettings, mentions_word, split_functions
from runners.limits import check_limits

MOVING = (
    "its name differs from process to process (it holds a time, an address or a random number), so "
    "it cannot be run alone; give it a constant name"
)
_NO_FLAGS = re.compile(rb"flag provided but not defined: -test\.\w+")
_CHANGING = re.compile(
    r"\d{6,}|0x[0-9a-f]{4,}|\d+:\d\d|\d\.\d+(?:ns|[uµ]s|ms|s)\b|[0-9a-f]{8}-[0-9a-f]{4}-",
    re.IGNORECASE,
)
"""What times, dates, addresses and random numbers look like."""

_BENCHMARK = re.compile(rb"^func (Benchmark[^\s(\[]*)", re.MULTILINE)
_NAME = re.compile(r"^(Benchmark\S*)$", re.MULTILINE)
_MORE = 5
"""How often a function that breaks off is run again: each time may take as long as a hang."""
_SURE = 3
"""How often what has a result without a time is run alone, to see whether it panics."""
_ERRORS = 4
"""Lines of a compiler that are shown where nothing builds."""
_LONGEST = 50_000
"""Characters of names, escaped at most twice as many: an argument may have 128 KiB on Linux."""


@dataclass(slots=True)
class SuiteDiscovery:
    """One look at a project, with what it finds."""

    project: Project  # the subject
    binary_folder: Path  # folder for binaries
    ask: Ask  # runs a process and returns how it ended
    seconds: float  # that one operation may take until the benchmark counts as hanging
    listing: Listing = EVERYTHING  # results of earlier listings to take over
    benchmarks: list[Benchmark] = field(default_factory=list)  # those that can run
    sources: list[SourceFile] = field(default_factory=list)  # files of library and benchmarks
    unusable: list[tuple[str, str]] = field(default_factory=list)
    """Benchmarks that cannot run, with the reason."""
    messages: list[str] = field(default_factory=list)  # of builds that failed

    def discover_suite(self) -> Suite:
        """Return the benchmarks; raises BuildFailed if not one package with some can be built."""
        packages = self._list_packages()
        tests = {
            listed_package.unit: self._read_package_tests(listed_package)
            for listed_package in packages
            if listed_package.problem is None
        }
        selected_units, skipped_units = self._select_packages(tests)
        compiled = self._compile_packages(
            [listed_package for listed_package in packages if listed_package.unit in selected_units]
        )
        built = 0
        for package in packages:
            if package.problem is not None:
                if package.is_run(self.project):
                    self._record_broken_package(package.unit, package.problem)
            elif package.unit in compiled:
                answer = compiled[package.unit]
                built += self._record_package(
                    self._locate_package(package), tests[package.unit], answer
                )
            elif package.unit not in skipped_units and (
                suite := self.listing.suites.get(package.unit)
            ):
                self.benchmarks += suite.benchmarks
                self.unusable += suite.unusable
                built += bool(suite.benchmarks)
        if self.messages and not built and not skipped_units:
            raise BuildFailed(
                f"no package of {self.project.name} with benchmarks builds; fix the compiler's "
                f"errors first: {take_first_errors(self.messages[0])}"
            )
        return Suite(
            tuple(self.benchmarks), tuple(self.sources), tuple(self.unusable), tuple(skipped_units)
        )

    def read_sources(self) -> list[SourceFile]:
        """Return the sources of that suite, without building or running anything."""
        return [
            source
            for package in self._list_packages()
            if package.problem is None
            for source in package.read_sources(self.project)
        ]

    def _list_packages(self) -> list[golist.ListedPackage]:
        root = self.project.root
        flags = commands.build_flags(self.project, self.binary_folder, overlaid=False)
        modules = self._run_required(
            commands.make_go_job(self.project, "list", "-m", "-f", "{{.Dir}}")
        )
        package_patterns = [
            *golist.list_module_patterns(modules, self.project),
            *golist.list_library_patterns(self.project),
        ]
        listing = ("list", "-e", f"-json={golist.FIELDS}", *flags, *package_patterns)
        return golist.parse_packages(
            self._run_required(commands.make_go_job(self.project, *listing)), root
        )

    def _read_package_tests(self, package: golist.ListedPackage) -> list[bytes]:
        """Keep the sources of a package, and return those of its tests."""
        sources = list(package.read_sources(self.project))
        self.sources += sources
        return [source.text for source in sources if source.role is SourceRole.BENCHMARKS]

    def _select_packages(self, tests: Mapping[str, Sequence[bytes]]) -> tuple[list[str], list[str]]:
        """Return which packages are to be listed, and which hold nothing that is asked for.

        A benchmark's name begins with that of its function. Where nothing that is asked for can be
        found, all are listed: it can be said what there is.
        """
        functions = {unit: _find_benchmark_functions(texts) for unit, texts in tests.items()}
        cached_units = {unit for unit, suite in self.listing.suites.items() if suite.benchmarks}
        new = [unit for unit, names in functions.items() if names and unit not in cached_units]
        ask = self.listing.is_asked_for
        selected_units = [unit for unit in new if any(ask(unit, name) for name in functions[unit])]
        if not selected_units and not cached_units & functions.keys():
            return new, []
        return selected_units, [unit for unit in new if unit not in selected_units]

    def _compile_packages(
        self, packages: Sequence[golist.ListedPackage]
    ) -> Mapping[str, CompletedProcess]:
        """Build the tests of packages, those of the first one alone, and return the answers.

        Builds that run at the same time share what is done, not what they are about to do: what
        all need, the standard library above all, would be compiled by each.
        """
        answers: list[CompletedProcess] = []
        jobs = [
            commands.compile_tests(self._locate_package(listed_package), overlaid=False)
            for listed_package in packages
        ]
        for invocations in (jobs[:1], jobs[1:]):
            answers += self.listing.together(self.ask, invocations)
        return {
            package.unit: check_limits(job, answer)
            for package, job, answer in zip(packages, jobs, answers, strict=True)
        }

    def _locate_package(self, package: golist.ListedPackage) -> PackageBuild:
        return PackageBuild(self.project, self.binary_folder, package.unit, package.folder)

    def _run_required(self, job: Invocation) -> CompletedProcess:
        return check_limits(job, self.ask(job))

    def _record_broken_package(self, unit: str, message: str) -> None:
        self.messages.append(message)
        self.unusable.append((unit, f"the package does not build: {message[:1000]}"))

    def _record_package(
        self, place: PackageBuild, tests: Sequence[bytes], compiled: CompletedProcess
    ) -> bool:
        if compiled.exit_code != 0:
            self._record_broken_package(place.unit, compiled.format_tail())
            return False
        answer = self.ask(commands.run_binary(place, ("-test.list=^Benchmark",), self.seconds))
        names = _NAME.findall(answer.stdout.decode(errors="replace").replace("\r", ""))
        if not names:
            count = len(_find_benchmark_functions(tests))
            self.unusable.append(
                (place.unit, _no_list_reason(answer, count, _describe_end(answer)))
            )
        functions = split_functions(tests)
        for name in dict.fromkeys(names):
            settings = GoSettings(
                folder=place.folder,
                processors=1,
                parallel=mentions_word(name, ".RunParallel(", functions),
                loops=mentions_word(name, ".Loop()", functions),
            )
            self._run_function(place, name, settings)
            self._leave_out_moving(place, name, tests)
        return True

    def _leave_out_moving(self, place: PackageBuild, name: str, tests: Sequence[bytes]) -> None:
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
        repeated_names = {
            leaf.name for leaf in text.parse_leaves(self._run_once(place, name, ()).stdout)
        }
        moving = [benchmark for benchmark in benchmarks if benchmark.name not in repeated_names]
        self.benchmarks = [benchmark for benchmark in self.benchmarks if benchmark not in moving]
        self.unusable += [(benchmark.id, MOVING) for benchmark in moving]

    def _run_function(self, place: PackageBuild, name: str, settings: GoSettings) -> None:
        """Run a function alone once; what does not give a result is unusable, with the reason.

        What breaks the process off hides what comes after it, so the function is run again
        without what is known by then.
        """
        names: list[str] = []
        answer = self._run_once(place, name, names)
        for left in reversed(range(1 + _MORE)):
            is_complete = text.has_ended(answer) and not answer.truncated
            leaves = _select_new_leaves(
                text.parse_leaves(answer.stdout), names, is_complete=is_complete
            )
            if not leaves and not names:
                self.unusable.append(
                    (f"{place.unit}.{name}", f"it did not run: {_describe_end(answer)}")
                )
            doubtful = () if is_complete or answer.timed_out else _select_doubtful_leaves(leaves)
            for leaf in leaves:
                if leaf in doubtful:
                    self._run_alone(place, leaf.name, names, settings)
                else:
                    self._record_leaf(place.unit, leaf, names, answer, settings)
            names += [leaf.name for leaf in leaves]
            if is_complete or name in names:
                return
            if not leaves or not left or sum(map(len, names)) > _LONGEST:
                break
            answer = self._run_once(place, name, names)
        if names:
            self._record_unlisted_rest(place.unit, name, names[-1], answer)

    def _run_once(self, place: PackageBuild, name: str, names: Sequence[str]) -> CompletedProcess:
        """Run a benchmark and those that it holds, without those known already.

        The first pattern that matches decides, also if it is to match deeper: those come last.
        """
        skip = "|".join(
            map(
                commands.make_name_pattern,
                sorted(names, key=lambda skipped_name: skipped_name.count("/")),
            )
        )
        flags = (
            f"-test.bench={commands.make_name_pattern(name)}",
            *((f"-test.skip={skip}",) if skip else ()),
            "-test.benchtime=1x",
            *commands.ALWAYS,
        )
        return self.ask(commands.run_binary(place, flags, self.seconds))

    def _run_alone(
        self, place: PackageBuild, name: str, names: Sequence[str], settings: GoSettings
    ) -> None:
        """Run what may have broken a process off without its neighbours.

        Alone, a process may come to its end before a panic has ended it: nothing else is run then.
        So what has no time is run more than once, and is no result where a panic is told.
        """
        answer = self._run_once(place, name, names)
        for _ in range(_SURE - 1):
            leaf = _read_single_leaf(answer, name)
            if leaf.result is None or not _is_timeless(leaf):
                break
            answer = self._run_once(place, name, names)
        if not (text.has_ended(answer) and _list_nested_names(name, names)):
            self._record_leaf(place.unit, _read_single_leaf(answer, name), names, answer, settings)

    def _record_leaf(
        self,
        unit: str,
        leaf: text.BenchmarkLeaf,
        names: Sequence[str],
        answer: CompletedProcess,
        settings: GoSettings,
    ) -> None:
        if leaf.result is not None:
            self._add_benchmark(unit, leaf.name, leaf.result.processors, settings)
        elif inside := _list_nested_names(leaf.name, names):
            self._record_unlisted_rest(unit, leaf.name, inside[-1], answer)
        else:
            reason = leaf.reason or f"it gave no result: {_describe_end(answer)}"
            self.unusable.append((f"{unit}.{leaf.name}", reason))

    def _record_unlisted_rest(
        self, unit: str, name: str, last: str, answer: CompletedProcess
    ) -> None:
        reason = (
            f"what comes after {last} in this function could not be listed: {_describe_end(answer)}"
        )
        self.unusable.append((f"{unit}.{name}", reason))

    def _add_benchmark(self, unit: str, name: str, processors: int, settings: GoSettings) -> None:
        leaf_settings = GoSettings(settings.folder, processors, settings.parallel, settings.loops)
        threads = processors if leaf_settings.parallel else 1
        self.benchmarks.append(
            Benchmark(
                group=unit,
                name=name,
                threads=threads,
                concurrency=threads,
                settings=leaf_settings.format_settings(),
            )
        )


def take_first_errors(message: str) -> str:
    """Return the first lines of what a compiler says: one cause often has many."""
    lines = message.splitlines()
    rest = len(lines) - _ERRORS
    return "\n".join(
        [*lines[:_ERRORS], *([f"and {rest} more lines"] if rest > 1 else lines[_ERRORS:])]
    )


def _find_benchmark_functions(tests: Sequence[bytes]) -> list[str]:
    return [name.decode(errors="replace") for text in tests for name in _BENCHMARK.findall(text)]


def _select_new_leaves(
    leaves: Sequence[text.BenchmarkLeaf], names: Sequence[str], *, is_complete: bool
) -> list[text.BenchmarkLeaf]:
    """Leave out what looks like a leaf only because all that it holds is known and was skipped.

    Where the process broke off, it may have broken there, behind what is known.
    """
    return [
        leaf
        for leaf in leaves
        if leaf.result is not None
        or not _list_nested_names(leaf.name, names)
        or (not is_complete and leaf in leaves[-2:])
    ]


def _select_doubtful_leaves(leaves: Sequence[text.BenchmarkLeaf]) -> list[text.BenchmarkLeaf]:
    """Return what may have broken a process off, or lost its marks.

    A panic ends the process a little later: by then others may have begun, and the one that
    panics may even have a result, without a time as its clock was never stopped.
    """
    return [
        leaf for leaf in leaves if not leaf.reason and (_is_timeless(leaf) or leaf in leaves[-2:])
    ]


def _read_single_leaf(answer: CompletedProcess, name: str) -> text.BenchmarkLeaf:
    """Return what a process of one leaf says of it: no result where the leaf has ended it."""
    leaves = text.parse_leaves(answer.stdout) if text.has_ended(answer) else []
    leaf = next(
        (benchmark for benchmark in leaves if benchmark.name == name),
        text.BenchmarkLeaf(name, None, ""),
    )
    return (
        text.BenchmarkLeaf(name, None, "")
        if _is_timeless(leaf) and text.has_panicked(answer)
        else leaf
    )


def _is_timeless(leaf: text.BenchmarkLeaf) -> bool:
    return leaf.result is None or leaf.result.find_value("ns/op") is None


def _list_nested_names(name: str, names: Sequence[str]) -> list[str]:
    return [candidate for candidate in names if candidate.startswith(f"{name}/")]


def _describe_end(answer: CompletedProcess) -> str:
    """Say how a process ended, with its last lines."""
    if answer.timed_out:
        ending = f"{ENDED_AFTER} {answer.seconds:.0f} s"
    elif answer.exhausted:
        ending = f"it needs more than {answer.exhausted}"
    else:
        ending = f"the process ended with {answer.exit_code}"
    if answer.truncated:
        ending += " and printed more than is kept"
    return f"{ending}\n{text.format_tail(answer, 6)}"[:1500]


def _no_list_reason(answer: CompletedProcess, functions: int, end: str) -> str:
    """Say why a test program lists none of its benchmark functions; `end` is how it ended."""
    count = f"{functions} benchmark function{'' if functions == 1 else 's'}"
    if match := _NO_FLAGS.search(answer.stdout + answer.stderr):
        return (
            f"its test program lists none of {count}: {match[0].decode()}; flag.Parse() runs "
            "before the flags of package testing are there (in init, or for a variable): call it "
            "in TestMain"
        )
    if answer.exit_code == 0 and not answer.timed_out:
        return (
            f"its test program lists none of {count}: it ends with exit code 0 without m.Run(), "
            f"as TestMain decides; {end}"
        )
    return f"its test program lists none of {count}: {end}"


def may_move(name: str, sources: Sequence[bytes]) -> bool:
    """Tell whether a name has a part that its sources do not have and that may change."""
    parts = _CHANGING.findall(name)
    return any(not any(part.encode() in text for text in sources) for part in parts)
