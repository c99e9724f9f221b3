"""Makes the suite of these tests ready, and runs trials of it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.mutant import (
    PLAIN,
    Delay,
    InjectionKind,
    Overlay,
    OverlayRefusal,
    Variant,
    VariantKind,
)
from auditor.core.outcome import Outcome
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.subject import Language, Method, Part, Project, Role
from auditor.core.suite import Benchmark, Suite
from mutators.java import mutator
from mutators.java.mutator import JavaMutator
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.jmh.build.maven import DEPENDENCY_PLUGIN, Maven
from runners.jmh.commandline import SharedJvm
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.jdk import BRIEF, find_jdk, java_environment
from runners.trial import TrialRunner

SOURCES = Path(__file__).parent / "guest_subject"
PLAIN_ARM = Arm(ArmName.PLAIN)
_ARTIFACTS = {
    "1.37": (
        "org.openjdk.jmh:jmh-core:1.37",
        "org.openjdk.jmh:jmh-generator-annprocess:1.37",
        "net.sf.jopt-simple:jopt-simple:5.0.4",
        "org.apache.commons:commons-math3:3.6.1",
    ),
    "1.21": (
        "org.openjdk.jmh:jmh-core:1.21",
        "org.openjdk.jmh:jmh-generator-annprocess:1.21",
        "net.sf.jopt-simple:jopt-simple:4.6",
        "org.apache.commons:commons-math3:3.2",
    ),
}
_ITEM = """<artifactItem><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
<outputDirectory>{}</outputDirectory></artifactItem>"""
_POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>jars</artifactId><version>1</version>
<build><plugins><plugin><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
<configuration><artifactItems>{}</artifactItems></configuration></plugin></plugins></build>
</project>"""


def environment(variables: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    variable_names = ("PATH", "HOME", "JAVA_HOME", "MAVEN_OPTS")
    return java_environment(
        tuple((key, variables[key]) for key in variable_names if key in variables)
    )


def jmh_jars(home: HomeFolder) -> dict[str, list[Path]]:
    """Fetch both versions of JMH at once, unless that has been done."""
    folder = home.make_tool_folder("jmh")
    folders = {version: folder / version for version in _ARTIFACTS}
    if not all(path.is_dir() for path in folders.values()):
        items = "".join(
            _ITEM.format(*artifact.split(":"), folders[version])
            for version, artifacts in _ARTIFACTS.items()
            for artifact in artifacts
        )
        (folder / "pom.xml").write_text(_POM.format(*DEPENDENCY_PLUGIN.split(":"), items))
        maven = Maven(home=home, host=LocalHost(), environment=environment(os.environ))
        maven.run_goals(f"{DEPENDENCY_PLUGIN}:copy", cwd=folder, activity="fetching JMH")
    return {version: sorted(path.glob("*.jar")) for version, path in folders.items()}


@dataclass(slots=True)
class Suited:
    """A suite, its methods, and what runs them."""

    project: Project
    harness: JmhHarness
    suite: Suite
    methods: dict[str, Method]
    folder: Path
    host: LocalHost = field(default_factory=LocalHost)

    def benchmark(self, name: str) -> Benchmark:
        return next(
            benchmark for benchmark in self.suite.benchmarks if benchmark.id.endswith(f".{name}")
        )

    def find(self, name: str) -> Method:
        qualified_name = f"org.example.Work.{name}"
        return next(
            method
            for method in self.methods.values()
            if mutator.matches_method(qualified_name, method)
        )

    def counting(self, *methods: Method | str) -> Variant:
        counted_methods = [
            self.find(method) if isinstance(method, str) else method for method in methods
        ]
        return Variant(VariantKind.COUNTING, tuple(counted_methods))

    def make_trial(
        self,
        benchmark: str,
        schedule: Schedule,
        variant: Variant = PLAIN,
        *,
        timeout_seconds: float = 60,
        purpose: Purpose = Purpose.PAIRS,
    ) -> Trial:
        overlay = JavaMutator().build_overlay(self.suite.sources, variant)
        assert not isinstance(overlay, OverlayRefusal)
        return Trial(
            subject=self.project.digest,
            purpose=purpose,
            variant=variant,
            overlay=overlay,
            benchmark=self.benchmark(benchmark),
            schedule=schedule,
            repetition=1,
            seed=1,
            timeout_seconds=timeout_seconds,
        )

    def run(
        self,
        benchmark: str,
        schedule: Schedule,
        variant: Variant = PLAIN,
        *,
        timeout_seconds: float = 60,
        **variables: str,
    ) -> Outcome:
        trial, answers = self.ran(
            benchmark, schedule, variant, timeout_seconds=timeout_seconds, **variables
        )
        return self.harness.read_outcome(trial, answers)

    def ran(
        self,
        benchmark: str,
        schedule: Schedule,
        variant: Variant = PLAIN,
        *,
        timeout_seconds: float = 60,
        **variables: str,
    ) -> tuple[Trial, list[CompletedProcess]]:
        trial = self.make_trial(benchmark, schedule, variant, timeout_seconds=timeout_seconds)
        build_folder = self.folder / trial.overlay.digest
        _write(self.harness, self.project, trial.overlay, build_folder)
        jobs = self.harness.plan_launch(self.project, trial, build_folder)
        return trial, [self.host.run_process(_with(job, variables)) for job in jobs]

    def find_common_key(self, trials: Sequence[Trial]) -> SharedJvm:
        """Return the JVM that all trials may share."""
        (key,) = {self.harness.find_sharing_key(trial) for trial in trials}
        assert isinstance(key, SharedJvm)
        return key

    def run_together(self, trials: Mapping[str, Trial], builds: Path) -> dict[str, Outcome]:
        """Run trials in one JVM; return the outcomes of those that did, by their names."""
        runner = TrialRunner(
            project=self.project,
            launcher=self.harness,
            host=self.host,
            builds=builds,
            clock=SystemClock(),
        )
        names = {trial.id: name for name, trial in trials.items()}
        return {names[run.trial.id]: run.outcome for run in runner.run_together([*trials.values()])}


def _write(harness: JmhHarness, project: Project, overlay: Overlay, build_folder: Path) -> None:
    build_folder.mkdir(exist_ok=True)
    for path, data in harness.plan_build(project, overlay, build_folder).files:
        path.write_bytes(data)


def _with(job: Invocation, variables: Mapping[str, str]) -> Invocation:
    return Invocation(
        argv=job.argv,
        cwd=job.cwd,
        environment=(*job.environment, *variables.items()),
        timeout_seconds=job.timeout_seconds,
        files=job.files,
        collects=job.collects,
    )


def suited(
    home: HomeFolder, jars: list[Path], folder: Path, variables: tuple[tuple[str, str], ...]
) -> Suited:
    host = LocalHost()
    jdk = find_jdk(host, variables)
    library, benchmarks = folder / "library", folder / "benchmarks"
    _javac(jdk.javac, SOURCES / "library", library, ["-proc:none"])
    path = ":".join(map(str, [library, *jars]))
    _javac(jdk.javac, SOURCES / "benchmarks", benchmarks, ["-classpath", path])
    core = next(jar for jar in jars if jar.name.startswith("jmh-core"))
    guests = prepare_guests(home=home, host=host, environment=variables, jmh_core_jar=core)
    project = Project(
        name="example",
        revision="1",
        language=Language.JAVA,
        harness="jmh",
        root=folder,
        digest="example",
        parts=(
            Part(Role.LIBRARY, library),
            Part(Role.BENCHMARKS, benchmarks),
            *(Part(Role.DEPENDENCY, jar) for jar in jars),
            Part(Role.SOURCES, SOURCES / "library"),
        ),
        environment=variables,
        options=(("java", jdk.java),),
    )
    return of_project(project, JmhHarness(guests), folder)


def of_project(project: Project, harness: JmhHarness, folder: Path) -> Suited:
    """List the suite of a project, and its methods."""
    build_folder = folder / "plain"
    build_folder.mkdir()
    suite = harness.discover_suite(project, build_folder, LocalHost().run_process)
    methods = {method.id: method for method in JavaMutator().find_methods(suite.sources)}
    return Suited(project, harness, suite, methods, folder)


def _javac(javac: str, sources: Path, classes: Path, options: list[str]) -> None:
    files = [str(path) for path in sorted(sources.rglob("*.java"))]
    answer = LocalHost().run_process(
        Invocation(
            argv=(javac, *BRIEF, "--release", "17", *options, "-d", str(classes), *files),
            cwd=sources,
            environment=environment(os.environ),
            timeout_seconds=120,
        )
    )
    assert answer.exit_code == 0, answer.format_tail(40)


def torn_down(suited: Suited) -> int:
    """Return how many iterations a fork of `Watched` had begun when it was torn down."""
    left = suited.project.root / "torn-down"
    number = int(left.read_text())
    left.unlink()
    return number


def plain(blocks: int = 2, warmup: int = 1, seconds: float = 0.02) -> Schedule:
    return Schedule(
        arms=(PLAIN_ARM,),
        blocks=(Block(Phase.WARMUP, 0),) * warmup + (Block(Phase.MEASUREMENT, 0),) * blocks,
        seconds=seconds,
    )


def arms(*schedule_arms: Arm, pairs: int = 5, warmup: int = 2, seconds: float = 0.04) -> Schedule:
    numbers = range(len(schedule_arms))
    return Schedule(
        arms=schedule_arms,
        blocks=(
            *(Block(Phase.WARMUP, arm) for _ in range(warmup) for arm in numbers),
            *(Block(Phase.MEASUREMENT, arm) for _ in range(pairs) for arm in numbers),
        ),
        seconds=seconds,
    )


def against_probe(wait: InjectionKind, number: float) -> Schedule:
    return arms(
        Arm(ArmName.PROBE, Delay(wait, 0)),
        Arm(ArmName.SLOWED, Delay(wait, number)),
    )


def delayed(method: Method, *, guarded: bool = False) -> Variant:
    return Variant(VariantKind.DELAYED, (method,), guarded)
