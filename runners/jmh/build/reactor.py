"""A Maven project, of one module or many, built in a copy of ours for measuring."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

from auditor.core.errors import BuildFailed
from auditor.core.request import BuildOptions
from runners.disk import convert_write_errors
from runners.jmh.build import pom_tree
from runners.jmh.build.build_plan import BuildPlan, plan_build
from runners.jmh.build.maven import DEPENDENCY_PLUGIN, Maven, NotPublished
from runners.jmh.build.pom_changes import (
    SKIPPED,
    CheckFailed,
    choose_level,
    depend_on_tree,
    disable_check,
    drop_tests,
    raise_levels,
    remove_path,
)
from runners.jmh.build.pom_tree import MavenModule
from runners.jmh.build.source_sets import SourceSet
from runners.jmh.build.tool_needs import LevelRefused
from runners.jmh.jdk import Jdk

_WRAPPER = "mvnw"
_CLASS_PATH = "bench-audit.classpath"
_AGGREGATOR = "bench-audit-pom.xml"
_AGGREGATOR_TEXT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>bench-audit</groupId><artifactId>reactor</artifactId>
<version>1</version><packaging>pom</packaging><modules>{modules}</modules></project>
"""
_MOST_UNBOUND = 10
"""How many checks are left out that fail though they were skipped."""
_LENIENT = "-Dmaven.compiler.failOnWarning=false"
_PROCESSORS = "-Dmaven.compiler.proc=full"
_PROCESSORS_ASKED_FOR = 23
"""The first JDK whose compiler runs annotation processors only where it is told to."""
_NO_TEST_RUNS = "-Dmaven.test.skip.exec=true"
"""Not skipTests: profiles of benchmarks are often switched off by it."""


def maven_arguments(words: BuildOptions, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the arguments of mvn that the user asks for, with `more` profiles."""
    names = ",".join(dict.fromkeys((*words.profiles, *more)))
    return (*((f"-P{names}",) if names else ()), *words.flags)


def build_modules(top: Path, maven: Maven, jdk: Jdk, words: BuildOptions, plan: BuildPlan) -> None:
    """Compile the modules of a plan and let each write its class path, in one go."""
    try:
        _run_build(top, maven, jdk, words, plan)
    except BuildFailed as error:
        profiles = set(_jmh_profiles(plan.modules.values())) - set(words.profiles)
        if not profiles or "org.openjdk.jmh" not in str(error):
            raise
        raise BuildFailed(
            f"{error}\na profile has JMH: {_suggest_profile(min(profiles))}"
        ) from error


def _run_build(top: Path, maven: Maven, jdk: Jdk, words: BuildOptions, plan: BuildPlan) -> None:
    maven = _project_maven(top, plan.folder, maven)
    lenient = (_LENIENT, *((_PROCESSORS,) if jdk.feature >= _PROCESSORS_ASKED_FOR else ()))
    arguments = (
        f"{DEPENDENCY_PLUGIN}:build-classpath", "-DincludeScope=test",
        f"-Dmdep.outputFile=target/{_CLASS_PATH}", "-Dmdep.pathSeparator=:",
        *lenient, *SKIPPED, *_select_modules(plan, words), *maven_arguments(words, plan.profiles),
    )  # fmt: skip
    with convert_write_errors(top):
        for committed in _list_class_path_files(top):
            remove_path(committed.parent if committed.parent.is_symlink() else committed)
    try:
        _compile_with_checks(maven, plan, arguments)
    except LevelRefused:
        level = choose_level(plan.modules.values())
        maven.tell(
            f"the compiler plug-in's Java is too old for this JDK: compiles for Java {level}"
        )
        levels = (f"-Dmaven.compiler.{name}={level}" for name in ("source", "target"))
        _compile_with_checks(maven, plan, (*arguments, *levels))
    if not _list_class_path_files(plan.folder):
        raise BuildFailed(
            "Maven wrote no class path; does the project configure maven-dependency-plugin to be "
            "skipped?"
        )


def _compile_with_checks(maven: Maven, plan: BuildPlan, arguments: tuple[str, ...]) -> None:
    """Compile, without those checks that fail though they are skipped."""
    unbound: set[tuple[str, str]] = set()
    for _ in range(_MOST_UNBOUND):
        try:
            _run_compile(maven, plan, arguments)
        except CheckFailed as failure:
            check = failure.artifact, failure.execution
            if check in unbound:
                raise
            unbound.add(check)
            maven.tell(f"the check {failure.artifact} fails and is left out")
            with convert_write_errors(plan.folder):
                disable_check(plan.modules, failure)
        else:
            return
    _run_compile(maven, plan, arguments)


def _run_compile(maven: Maven, plan: BuildPlan, arguments: tuple[str, ...]) -> None:
    try:
        maven.run_goals("test-compile", *arguments, cwd=plan.folder, activity="the build")
    except NotPublished as error:
        # A module that needs the jar of another (a shaded one, say) has to wait for it.
        if not any(
            f":{module.module_key[1]}:" in error.artifact for module in plan.modules.values()
        ):
            raise
        maven.run_goals("package", *arguments, _NO_TEST_RUNS, cwd=plan.folder, activity="the build")


def adapt_project(plan: BuildPlan, jdk: Jdk) -> None:
    """Change the copy of a project so that it is built here, and measures what lies in it."""
    with convert_write_errors(plan.folder):
        if plan.tested is not None:
            drop_tests(
                module for folder, module in plan.modules.items() if folder not in plan.tested
            )
        for path in plan.outside:
            depend_on_tree(plan.modules[path], plan.modules_by_key)
        raise_levels(plan.modules.values(), jdk.feature)
        if plan.outside:
            aggregator = plan.folder / _AGGREGATOR
            remove_path(aggregator)  # a link would be written through
            aggregator.write_text(_render_aggregator(plan))


def _render_aggregator(plan: BuildPlan) -> str:
    inner_modules = (plan.folder,) if plan.is_needed else ()
    poms = [
        (module / "pom.xml").relative_to(plan.folder).as_posix()
        for module in (*inner_modules, *plan.outside)
    ]
    named = "".join(f"<module>{escape(pom)}</module>" for pom in poms)
    return _AGGREGATOR_TEXT.format(modules=named)


def _select_modules(plan: BuildPlan, words: BuildOptions) -> tuple[str, ...]:
    """Return the arguments that choose the modules, unless the user's own ones do."""
    if any(flag.startswith(("-pl", "--projects")) for flag in words.flags):
        return ()
    file = ("-f", _AGGREGATOR) if plan.outside else ()
    if not plan.selected:
        return file
    names = [path.relative_to(plan.folder).as_posix() for path in plan.selected]
    if plan.outside:
        names = ["pom.xml" if name == "." else name for name in names]
    return (*file, "-pl", ",".join(names), "-am")


def _project_maven(top: Path, maven_folder: Path, maven: Maven) -> Maven:
    """Return the Maven that the project brings along, if it does and that can be had."""
    wrapper = next(
        (path / _WRAPPER for path in (maven_folder, top) if (path / _WRAPPER).is_file()), None
    )
    if wrapper is None:
        return maven
    wrapper_maven = replace(maven, program=("sh", str(wrapper)))
    if wrapper_maven.is_runnable(maven_folder):
        return wrapper_maven
    maven.tell("the project's Maven wrapper does not run here; mvn is called in its place")
    return maven


def plan_test_run(
    top: Path, root: Path, maven: Maven, words: BuildOptions
) -> tuple[Path, Maven, list[str]]:
    """Return where Maven runs unit tests, which Maven, and what it is called with."""
    plan = plan_build(top, root, everything=True)
    arguments = [*SKIPPED, *_select_modules(plan, words), *maven_arguments(words, plan.profiles)]
    return plan.folder, _project_maven(top, plan.folder, maven), arguments


def missing_benchmarks_reason(root: Path) -> str:
    """Say why a project that was built has no benchmarks, and what to do about it."""
    modules = pom_tree.modules_below(root)
    files = pom_tree.benchmark_files(modules)
    if not files:
        return "no source file below it has a method with JMH's @Benchmark"
    first = next(iter(files.values()))[0].relative_to(root).as_posix()
    profiles = _jmh_profiles(modules.values())
    hint = (
        _suggest_profile(profiles[0])
        if profiles
        else 'perhaps a profile does ("profiles" of the subject)'
    )
    return f"{first} has some, but the build compiles none of them; {hint}"


def _jmh_profiles(modules: Iterable[MavenModule]) -> list[str]:
    return sorted({name for module in modules for name in module.jmh_profiles()})


def _suggest_profile(profile: str) -> str:
    return f'try "profiles": ["{profile}"] of the subject'


def _list_class_path_files(top: Path) -> list[Path]:
    """Return the files with class paths that there are, in their order."""
    return sorted(top.rglob(f"target/{_CLASS_PATH}"))


def source_sets(top: Path) -> Iterator[SourceSet]:
    """Yield those of each module: its tests before its classes, as they run."""
    for file in filter(Path.is_file, _list_class_path_files(top)):
        target = file.parent
        text = os.fsdecode(file.read_bytes())
        entries = tuple(Path(entry) for entry in text.strip().split(":") if entry)
        class_folders = tuple(target / name for name in ("test-classes", "classes"))
        path = (*(folder for folder in class_folders if folder.is_dir()), *entries)
        for classes, kind in zip(class_folders, ("test", "main"), strict=True):
            yield SourceSet(
                classes=(classes,),
                path=path,
                sources=(target.parent / "src" / kind / "java",),
                test=kind == "test",
            )
