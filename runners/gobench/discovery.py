"""Finding the benchmarks of a project: build each package, run each benchmark once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.errors import BuildFailed
from auditor.core.jobs import Completed
from auditor.core.ports import Ask
from auditor.core.subject import Project, SourceFile, SourceRole
from auditor.core.suite import Benchmark, Suite
from runners.gobench import commands, golist, text
from runners.gobench.commands import Place
from runners.gobench.settings import Settings, bodies, mentions

_BENCHMARK = re.compile(rb"^func Benchmark", re.MULTILINE)
_NAME = re.compile(r"^(Benchmark\S*)$", re.MULTILINE)


@dataclass(slots=True)
class Discovery:
    """One look at a project; collects what it finds.

    `seconds` is how long a benchmark may take for one operation until it counts as hanging.
    """

    project: Project
    into: Path
    ask: Ask
    seconds: float
    benchmarks: list[Benchmark] = field(default_factory=list)
    sources: list[SourceFile] = field(default_factory=list)
    unusable: list[tuple[str, str]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def suite(self) -> Suite:
        """Return all benchmarks; raises BuildFailed if not one package with some can be built."""
        built = 0
        for package in self._packages():
            if package.problem is not None:
                self._broken(package.unit, package.problem)
                continue
            sources = list(package.sources(self.project.root))
            self.sources += sources
            tests = [one.text for one in sources if one.role is SourceRole.BENCHMARKS]
            if any(map(_BENCHMARK.search, tests)):
                built += self._package(package, tests)
        if self.messages and not built:
            raise BuildFailed(
                f"no package of {self.project.name} with benchmarks can be built; correct what "
                f"the compiler says first: {self.messages[0]}"
            )
        return Suite(tuple(self.benchmarks), tuple(self.sources), tuple(self.unusable))

    def _packages(self) -> list[golist.Package]:
        root = self.project.root
        flags = commands.build_flags(self.project, self.into, overlaid=False)
        modules = self.ask(commands.go(self.project, "list", "-m", "-f", "{{.Dir}}"))
        patterns = list(_patterns(modules, root)) or ["./..."]
        listing = ("list", "-e", f"-json={golist.FIELDS}", *flags, *patterns)
        return golist.packages(self.ask(commands.go(self.project, *listing)), root)

    def _broken(self, unit: str, message: str) -> None:
        self.messages.append(message)
        self.unusable.append((unit, f"the package does not build: {message[:1000]}"))

    def _package(self, package: golist.Package, tests: Sequence[bytes]) -> bool:
        place = Place(self.project, self.into, package.unit, package.folder)
        answer = self.ask(commands.compile_tests(place, overlaid=False))
        if answer.exit_code != 0:
            self._broken(package.unit, answer.tail())
            return False
        listed = self.ask(commands.run_binary(place, ("-test.list=^Benchmark",), self.seconds))
        names = _NAME.findall(listed.stdout.decode(errors="replace").replace("\r", ""))
        if not names:
            self.unusable.append((package.unit, f"it lists no benchmark: {_end(listed)}"))
        functions = bodies(tests)
        for name in dict.fromkeys(names):
            settings = Settings(
                folder=package.folder,
                processors=1,
                parallel=mentions(name, ".RunParallel(", functions),
                loops=mentions(name, ".Loop()", functions),
            )
            self._benchmark(place, name, settings)
        return True

    def _benchmark(self, place: Place, name: str, settings: Settings) -> None:
        """Run a benchmark alone once; what does not give a result is unusable, with the reason."""
        flags = (f"-test.bench=^{re.escape(name)}$", "-test.benchtime=1x", *commands.ALWAYS)
        answer = self.ask(commands.run_binary(place, flags, self.seconds))
        found = text.leaves(answer.stdout)
        if not found:
            self.unusable.append((f"{place.unit}.{name}", f"it did not run: {_end(answer)}"))
        for leaf in found:
            if leaf.result is None:
                reason = leaf.reason or f"it gave no result: {_end(answer)}"
                self.unusable.append((f"{place.unit}.{leaf.name}", reason))
            else:
                self._usable(place.unit, leaf.name, leaf.result.processors, settings)

    def _usable(self, unit: str, name: str, processors: int, noted: Settings) -> None:
        own = Settings(noted.folder, processors, noted.parallel, noted.loops)
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


def _patterns(modules: Completed, root: Path) -> Iterator[str]:
    """Yield a pattern for each main module below the root: a workspace may have several."""
    if modules.exit_code != 0:
        return
    for line in modules.stdout.decode(errors="replace").splitlines():
        folder = Path(line.strip()).resolve()
        if folder.is_relative_to(root.resolve()):
            inside = folder.relative_to(root.resolve()).as_posix()
            yield "./..." if inside == "." else f"./{inside}/..."


def _end(answer: Completed) -> str:
    """Say how a process ended, with its last lines."""
    if answer.timed_out:
        how = f"it was ended after {answer.seconds:.0f} s"
    else:
        how = f"the process ended with {answer.exit_code}"
    return f"{how}\n{text.tail(answer, 6)}"[:1500]
