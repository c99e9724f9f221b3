"""Which modules of a Maven project are built for measuring, and what is changed in our copy."""

import shutil

import pytest
from fake_host import FakeHost
from maven_making import (
    BENCHMARK,
    JMH,
    SUM,
    dependency,
    everything,
    many_modules,
    one_module,
    pom,
    write,
)

from auditor.core.jobs import CompletedProcess
from auditor.core.request import BuildOptions
from runners.home import HomeFolder
from runners.jmh.build import reactor
from runners.jmh.build.build_plan import plan_build
from runners.jmh.build.maven import Maven, NotPublished
from runners.jmh.build.pom_changes import (
    CheckFailed,
    choose_level,
    disable_check,
    failed_check,
    raise_levels,
)
from runners.jmh.build.pom_tree import MavenModule, list_dependencies, modules_below
from runners.jmh.jdk import Jdk

SOURCE_FOLDER = "src/main/java/org/example/many"
TESTS = "src/test/java/org/example/many"
LIBRARY_DEPENDENCY = dependency("org.example.many", "library", "1")


def plan(folder, files, *, root="."):
    top = write(folder, files)
    return plan_build(top, top / root if root != "." else top, everything=False)


def names(folder, paths):
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def arguments(build_plan):
    return reactor._select_modules(build_plan, BuildOptions())


def test_only_modules_with_benchmarks_are_built_with_those_they_need(tmp_path):
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library", "benchmarks", "other"))
    files["other/pom.xml"] = pom("other", parent=True)

    build_plan = plan(tmp_path, files)

    assert arguments(build_plan) == ("-pl", "benchmarks", "-am")
    assert build_plan.tested == frozenset()


def test_tests_are_compiled_where_benchmarks_or_others_need_them(tmp_path):
    files = many_modules()
    lent = LIBRARY_DEPENDENCY + "<type>test-jar</type>"
    files["benchmarks/pom.xml"] = pom("benchmarks", parent=True, dependencies=(lent, *JMH))
    files[f"benchmarks/{TESTS}/Sums.java"] = files.pop(f"benchmarks/{SOURCE_FOLDER}/Sums.java")

    build_plan = plan(tmp_path, files)

    assert names(tmp_path, build_plan.tested) == ["benchmarks", "library"]


def test_a_module_that_a_profile_lists_switches_it_on(tmp_path):
    files = many_modules()
    profile = "<profile><id>bench</id><modules><module>benchmarks</module></modules></profile>"
    text = pom("many", modules=("library",))
    files["pom.xml"] = text.replace("<build>", f"<profiles>{profile}</profiles><build>")

    build_plan = plan(tmp_path, files)

    assert arguments(build_plan) == ("-pl", "benchmarks", "-am")
    assert reactor.maven_arguments(BuildOptions(("own",)), build_plan.profiles) == ("-Pown,bench",)


def test_a_module_that_nothing_lists_is_built_with_the_tree_that_it_needs(tmp_path):
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library",))

    root_plan = plan(tmp_path, files)
    inside = plan_build(tmp_path, tmp_path / "benchmarks", everything=False)

    for build_plan in (root_plan, inside):
        assert arguments(build_plan) == ("-f", "bench-audit-pom.xml", "-pl", "benchmarks", "-am")
        assert build_plan.folder == tmp_path
        assert "<module>pom.xml</module><module>benchmarks/pom.xml" in reactor._render_aggregator(
            build_plan
        )


def test_a_module_that_needs_nothing_of_the_tree_is_built_without_it(tmp_path):
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library",))
    files["benchmarks/pom.xml"] = pom("benchmarks", dependencies=JMH)

    build_plan = plan(tmp_path, files)

    assert "<modules><module>benchmarks/pom.xml</module></modules>" in reactor._render_aggregator(
        build_plan
    )


def test_one_module_is_built_as_it_is(tmp_path):
    assert arguments(plan(tmp_path, one_module())) == ()


def test_the_users_own_choice_of_modules_counts(tmp_path):
    build_plan = plan(tmp_path, many_modules())

    assert reactor._select_modules(build_plan, BuildOptions(flags=("-pl=library",))) == ()


def test_without_benchmarks_in_sources_everything_is_built(tmp_path):
    files = many_modules()
    files[f"benchmarks/{SOURCE_FOLDER}/Sums.java"] = "// @Benchmark of something else\n"

    build_plan = plan(tmp_path, files)

    assert arguments(build_plan) == ()
    assert build_plan.tested is None


@pytest.mark.parametrize("module", ["../outside", "/etc", "", "${module}", "absent", "."])
def test_odd_names_of_modules_lead_nowhere(module, tmp_path):
    files = {"pom.xml": pom("many", modules=(module,)), "loose/pom.xml": "<project><modules>"}

    build_plan = plan(tmp_path / "tree", {**files, f"loose/{SOURCE_FOLDER}/Sum.java": SUM})

    assert build_plan.folder == tmp_path / "tree"
    assert names(tmp_path / "tree", build_plan.modules) == [".", "loose"]


@pytest.mark.parametrize(
    ("element", "feature", "becomes"),
    [
        ("<source>1.6</source>", 17, "<source>1.7</source>"),
        ("<maven.compiler.target>7</maven.compiler.target>", 25, "<maven.compiler.target>8<"),
        ("<release>7</release>", 17, "<release>7</release>"),
        ("<jdk.version>1.5</jdk.version>", 21, "<jdk.version>1.8</jdk.version>"),
        ("<version>1.6</version>", 25, "<version>1.6</version>"),
        ("<source>src/1.6</source>", 25, "<source>src/1.6</source>"),
        ("<release>11</release>", 25, "<release>11</release>"),
    ],
)
def test_levels_that_the_compiler_no_longer_knows_are_raised(element, feature, becomes, tmp_path):
    write(tmp_path, {"pom.xml": f"<project><a>\xe4</a>{element}</project>"})

    raise_levels([MavenModule(tmp_path)], feature)

    assert becomes in (tmp_path / "pom.xml").read_text()
    assert "<a>\xe4</a>" in (tmp_path / "pom.xml").read_text()


@pytest.mark.parametrize(
    ("properties", "level"),
    [
        ("<maven.compiler.release>17</maven.compiler.release>", "17"),
        ("<java.version>21</java.version><release>${java.version}</release>", "21"),
        ("<release>${absent}</release>", "8"),
        ("", "8"),
    ],
)
def test_a_plug_in_that_knows_no_release_compiles_for_the_one_named(properties, level, tmp_path):
    write(tmp_path, {"pom.xml": f"<project>{properties}</project>"})

    assert choose_level([MavenModule(tmp_path)]) == level


def test_a_version_of_the_tree_that_is_not_the_trees_is_replaced(tmp_path):
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library",))
    old = dependency("${project.groupId}", "library", "0.9")
    files["benchmarks/pom.xml"] = pom("benchmarks", dependencies=(old, *JMH))
    old_java = "<maven.compiler.release>6</"
    files["benchmarks/pom.xml"] = files["benchmarks/pom.xml"].replace(
        "<maven.compiler.release>17</", old_java
    )
    build_plan = plan(tmp_path, files)

    reactor.adapt_project(build_plan, Jdk("java", "javac", "17", 17))

    (benchmarks,) = build_plan.outside
    changed = modules_below(tmp_path)[benchmarks]
    versions = {
        element.findtext("{*}artifactId"): element.findtext("{*}version")
        for element in list_dependencies(changed.root_element)
    }
    assert versions["library"] == "1"
    assert versions["jmh-core"] == "1.37"
    assert "<maven.compiler.release>7</" in (benchmarks / "pom.xml").read_text()


@pytest.mark.parametrize("linked", ["src", "src/test", "src/test/java"])
def test_nothing_that_links_lead_to_is_changed(linked, tmp_path):
    outside = write(
        tmp_path / "away",
        {
            "pom.xml": "<project><release>6</release></project>",
            "java/A.java": "",
            "test/java/A.java": "",
            "A.java": "",
        },
    )
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library",))
    top = write(tmp_path / "tree", files)
    (top / "other").mkdir()
    (top / "other/pom.xml").symlink_to(outside / "pom.xml")
    (top / "bench-audit-pom.xml").symlink_to(outside / "pom.xml")
    shutil.rmtree(top / "library/src")
    (top / "library" / linked).parent.mkdir(parents=True, exist_ok=True)
    (top / "library" / linked).symlink_to(outside)
    before = everything(outside)

    reactor.adapt_project(plan_build(top, top, everything=False), Jdk("java", "javac", "17", 17))

    assert everything(outside) == before
    assert not (top / "bench-audit-pom.xml").is_symlink()


def test_what_lacks_is_said_with_a_file_and_a_profile(tmp_path):
    needed = f"<dependencies><dependency>{JMH[0]}</dependency></dependencies>"
    profile = f"<profile><id>measure</id>{needed}</profile>"
    files = one_module()
    files["pom.xml"] = files["pom.xml"].replace("<build>", f"<profiles>{profile}</profiles><build>")
    folder = write(tmp_path / "with", files)

    assert reactor.missing_benchmarks_reason(folder) == (
        f"{SOURCE_FOLDER}/Sums.java has some, but the build compiles none of them; "
        'try "profiles": ["measure"] of the subject'
    )
    assert "no source file" in reactor.missing_benchmarks_reason(
        write(tmp_path / "without", {"A.java": SUM})
    )


def test_a_benchmark_of_kotlin_and_one_behind_a_link_are_told_apart(tmp_path):
    files = one_module()
    files["src/main/kotlin/Sums.kt"] = files.pop(f"{SOURCE_FOLDER}/Sums.java")
    top = write(tmp_path / "tree", files)
    (tmp_path / "away.java").write_text(BENCHMARK)
    (top / "src/main/java/away.java").symlink_to(tmp_path / "away.java")

    assert "Sums.kt" in reactor.missing_benchmarks_reason(top)


FAILED = """[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.18:check (rat-check)
on project a: The plugin org.apache.rat:apache-rat-plugin:0.18 requires
Maven version 3.9 -> [Help 1]
"""


@pytest.mark.parametrize(
    "declared",
    [
        "",
        "<plugin><artifactId>apache-rat-plugin</artifactId><executions><execution>"
        "<id>rat-check</id><phase>validate</phase></execution></executions></plugin>",
    ],
)
def test_a_check_that_fails_though_it_is_skipped_is_left_out(declared, tmp_path):
    files = one_module()
    files["pom.xml"] = files["pom.xml"].replace("<plugins>", f"<plugins>{declared}")
    write(tmp_path, files)
    match = failed_check(FAILED)
    assert match is not None

    disable_check([tmp_path], CheckFailed("it failed", match))
    disable_check([tmp_path], CheckFailed("it failed", match))

    executions = list(
        MavenModule(tmp_path).root_element.iter("{http://maven.apache.org/POM/4.0.0}execution")
    )
    assert [execution.findtext("{*}id") for execution in executions] == ["rat-check"]
    assert [execution.findtext("{*}phase") for execution in executions] == ["none"]


NAMED = "<developers><developer><name>J&oslash;rn &amp; Zo&euml;</name></developer></developers>"
UNREADABLE = {
    "an unknown encoding": ('<?xml version="1.0" encoding="x-unknown"?>', ""),
    "an encoding of several bytes": ('<?xml version="1.0" encoding="utf-7"?>', ""),
    "an entity that nobody knows": ("", "<name>&nobody;</name>"),
    "too many levels": ("", f"{'<a>' * 5000}{'</a>' * 5000}"),
    "a file of another place": (
        '<!DOCTYPE project [<!ENTITY it SYSTEM "file:///etc/hostname">]>', "<name>&it;</name>"
    ),
}  # fmt: skip


def test_entities_of_html_are_read_as_maven_reads_them(tmp_path):
    files = many_modules()
    literal = "<description><![CDATA[&oslash;]]></description><!-- &oslash; <![CDATA[ -->"
    files["pom.xml"] = files["pom.xml"].replace("<modules>", f"{literal}{NAMED}<modules>")
    top = write(tmp_path, files)
    match = failed_check(FAILED)
    assert match is not None

    assert names(top, plan_build(top, top, everything=False).selected) == ["benchmarks"]
    disable_check([top], CheckFailed("it failed", match))

    root = MavenModule(top).root_element
    assert [element.text for element in root.iter() if "J" in (element.text or "")] == [
        "J\xf8rn & Zo\xeb"
    ]
    assert root.findtext("{*}description") == "&oslash;"
    assert [element.text for element in root.findall("{*}modules/{*}module")] == [
        "library",
        "benchmarks",
    ]


@pytest.mark.parametrize(("head", "inside"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_pom_that_is_not_read_whole_is_not_written(head, inside, tmp_path):
    text = head + one_module()["pom.xml"].replace("<modules>", f"{inside}<modules>")
    write(tmp_path, {"pom.xml": text})
    match = failed_check(FAILED)
    assert match is not None

    disable_check([tmp_path], CheckFailed("it failed", match))

    assert (tmp_path / "pom.xml").read_text() == text


@pytest.mark.parametrize(
    ("executions", "runs"),
    [(["rat-check"] * 20, 2), (["a", "b", "a"], 3), ([f"check-{n}" for n in range(20)], 11)],
)
def test_checks_are_left_out_one_by_one_and_not_without_end(executions, runs, tmp_path):
    top = write(tmp_path / "tree", one_module())
    left = iter(executions)

    def machine(_):
        message = FAILED.replace("rat-check", next(left))
        return CompletedProcess(exit_code=1, stdout=message.encode())

    host = FakeHost(machine)
    maven = Maven(home=HomeFolder(tmp_path / "home"), host=host, environment=())
    plan_ = plan_build(top, top, everything=False)

    with pytest.raises(CheckFailed):
        reactor.build_modules(top, maven, Jdk("java", "javac", "17", 17), BuildOptions(), plan_)

    assert len(host.jobs) == runs


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_a_class_path_that_the_project_brings_along_is_not_taken(kind, tmp_path):
    top = write(tmp_path / "tree", many_modules())
    outside = write(tmp_path / "away", {"bench-audit.classpath": "/etc/passwd"})
    target = top / "library/target"
    if kind == "file":
        write(target, {"bench-audit.classpath": "/etc/passwd"})
    elif kind == "folder":
        (target / "bench-audit.classpath").mkdir(parents=True)
    else:
        target.symlink_to(outside)

    def machine(_):
        write(top / "benchmarks/target", {"bench-audit.classpath": "/m2/a.jar:/m2/b.jar"})
        return CompletedProcess(exit_code=0)

    maven = Maven(home=HomeFolder(tmp_path / "home"), host=FakeHost(machine), environment=())
    plan_ = plan_build(top, top, everything=False)
    reactor.build_modules(top, maven, Jdk("java", "javac", "17", 17), BuildOptions(), plan_)

    texts = {str(entry) for source_set in reactor.source_sets(top) for entry in source_set.path}
    assert texts == {"/m2/a.jar", "/m2/b.jar"}
    assert (outside / "bench-audit.classpath").is_file()


@pytest.mark.parametrize("plugin", ["resources", "compiler", "dependency", "exec"])
def test_what_makes_classes_is_never_left_out(plugin):
    failed = FAILED.replace("apache-rat-plugin:0.18:check", f"maven-{plugin}-plugin:3.1:run")

    assert failed_check(failed) is None


@pytest.mark.parametrize(
    ("artifact", "goal"),
    [
        ("maven-enforcer-plugin", "enforce"),
        ("spotless-maven-plugin", "apply"),
        ("dependency-check-maven", "aggregate"),
        ("unheard-of-maven-plugin", "check"),
        ("xml-maven-plugin", "validate"),
    ],
)
def test_a_check_is_known_by_its_artifact_or_its_goal(artifact, goal):
    match = failed_check(FAILED.replace("apache-rat-plugin:0.18:check", f"{artifact}:9:{goal}"))

    assert match is not None
    assert match["artifact"] == artifact


@pytest.mark.parametrize(("artifact", "runs"), [("library", 2), ("elsewhere", 1)])
def test_jars_are_made_only_where_one_of_the_tree_is_missing(artifact, runs, tmp_path):
    top = write(tmp_path / "tree", many_modules())
    absent = f"[ERROR] Could not find artifact org.example.many:{artifact}:jar:all:1 in central\n"
    host = FakeHost(lambda _: CompletedProcess(exit_code=1, stdout=absent.encode()))
    maven = Maven(home=HomeFolder(tmp_path / "home"), host=host, environment=())
    plan_ = plan_build(top, top, everything=False)

    with pytest.raises(NotPublished):
        reactor.build_modules(top, maven, Jdk("java", "javac", "17", 17), BuildOptions(), plan_)

    assert len(host.jobs) == runs
    assert ("package" in host.jobs[-1].argv) == (runs == 2)
