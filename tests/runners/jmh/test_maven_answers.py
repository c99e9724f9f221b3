"""What is made of Maven's and Java's answers; no toolchain is needed."""

import zipfile

import pytest
from fake_host import FakeHost

from auditor.core.errors import (
    BuildFailed,
    ResolveFailed,
    SourceUnreadable,
    ToolMissing,
    UsageError,
)
from auditor.core.jobs import CompletedProcess
from auditor.core.request import MavenSpec
from runners.home import HomeFolder
from runners.jmh.build.maven import Maven, NotPublished, user_repository, with_repository
from runners.jmh.build.poms import without_build
from runners.jmh.classes import benchmark_classes, benchmark_list, digest_class_path, split_classes
from runners.jmh.jdk import find_jdk, java_environment
from runners.jmh.project import prepare_artifact

LIST = (
    "JMH S 13 org.ex.Things S 37 org.ex.jmh_generated.Things_a_jmhTest S 1 a S 10 Throughput E\n"
    "JMH S 13 org.ex.Others S 37 org.ex.jmh_generated.Others_b_jmhTest S 1 b S 10 Throughput E\n"
)


JVM_OPTION_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")


def says(stderr=b"", stdout=b"", code=0):
    return FakeHost(lambda job: CompletedProcess(exit_code=code, stdout=stdout, stderr=stderr))


def failing(text, tmp_path):
    maven = Maven(
        home=HomeFolder(tmp_path), host=says(stdout=text.encode(), code=1), environment=()
    )
    maven.run_goals("compile", cwd=tmp_path, activity="ring")


@pytest.mark.parametrize(
    ("message", "least"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "21" 2023-09-19 LTS', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
    ],
)
def test_a_jdk_is_known_by_what_it_says(message, least):
    jdk = find_jdk(says(stderr=message.encode()), ())

    assert str(least) in jdk.version
    assert (jdk.java, jdk.javac) == ("java", "javac")


def test_java_home_counts_before_path():
    host = says(stderr=b'openjdk version "17.0.1"')

    assert find_jdk(host, (("JAVA_HOME", "/jdk"),)).javac == "/jdk/bin/javac"
    assert {job.argv[0] for job in host.jobs} == {"/jdk/bin/java", "/jdk/bin/javac"}


@pytest.mark.parametrize("message", ['openjdk version "11.0.2"', 'java version "1.8.0_292"'])
def test_an_old_jdk_is_refused_with_what_to_do(message):
    with pytest.raises(ToolMissing, match=r"too old; install a JDK 17 or newer"):
        find_jdk(says(stderr=message.encode()), ())


def test_a_missing_jdk_is_said_with_what_to_do():
    def absent(job):
        raise ToolMissing(f"{job.argv[0]} was not found on PATH")

    with pytest.raises(ToolMissing, match="java was not found; install a JDK 17"):
        find_jdk(FakeHost(absent), ())


def test_a_missing_maven_is_said_with_what_to_do(tmp_path):
    def absent(job):
        raise ToolMissing(f"{job.argv[0]} was not found on PATH")

    with pytest.raises(ToolMissing, match=r"install Maven 3\.8"):
        Maven(home=HomeFolder(tmp_path), host=FakeHost(absent), environment=()).run_goals(
            "compile", cwd=tmp_path, activity="ring"
        )


def test_variables_that_change_every_java_process_or_are_pips_do_not_reach_the_subject():
    changing = (("JAVA_TOOL_OPTIONS", "-Xmx1g"), ("CLASSPATH", "."))
    variables = (*changing, ("PATH", "/bin"), ("PIP_INDEX_URL", "https://me:secret@example.org"))

    assert java_environment(variables) == (("PATH", "/bin"),)


def test_a_local_repository_of_ours_is_used(tmp_path):
    host = says()
    Maven(home=HomeFolder(tmp_path), host=host, environment=(("HOME", "/h"),)).run_goals(
        "compile", cwd=tmp_path, activity="ring"
    )

    assert f"-Dmaven.repo.local={tmp_path}/cache/maven" in host.jobs[0].argv
    assert ("MAVEN_OPTS", "-Duser.home=/h") in host.jobs[0].environment


def test_what_java_is_told_of_proxies_and_trust_stores_reaches_maven_but_not_the_subject(tmp_path):
    variables = tuple((name, "-Djavax.net.ssl.trustStore=/t") for name in JVM_OPTION_VARIABLES)
    host = says(stderr=b'openjdk version "17.0.1"')

    Maven(home=HomeFolder(tmp_path), host=host, environment=variables).run_goals(
        "x", cwd=tmp_path, activity="ring"
    )
    find_jdk(host, variables)

    mvn, *java = host.jobs
    assert {*variables} <= {*mvn.environment}
    assert [job.environment for job in java] == [(), ()]


def test_a_compile_error_keeps_the_compilers_lines(tmp_path):
    text = "[ERROR] COMPILATION ERROR :\n[ERROR] /t/A.java:[3,1] ';' expected\n[ERROR] [Help 1] x\n"

    with pytest.raises(BuildFailed, match=r"A\.java:\[3,1\] ';' expected") as failure:
        failing(text, tmp_path)

    assert "Help" not in str(failure.value)


def test_a_network_that_is_off_is_not_a_name_that_is_wrong(tmp_path):
    transfer_error = (
        "\x1b[0m[ERROR] Could not transfer artifact g:a:pom:1 from/to central "
        "(https://repo.example/m2): transfer failed -> [Help 1]\n"
    )
    absent = "[ERROR] Could not find artifact g:a:jar:1 in central (https://repo.example)\n"

    with pytest.raises(
        ResolveFailed, match=r"cannot fetch g:a:pom:1 from https://repo\.example/m2"
    ):
        failing(transfer_error, tmp_path)
    with pytest.raises(NotPublished, match="no repository has g:a:jar:1"):
        failing(absent, tmp_path)


def test_an_artifact_that_was_never_published_is_a_usage_error(tmp_path):
    def answer(job):
        if job.argv[0] == "mvn":
            content = (
                b"[ERROR] Could not find artifact g:a:jar:9 in central (https://repo.example)\n"
            )
            return CompletedProcess(exit_code=1, stdout=content)
        return CompletedProcess(exit_code=0, stderr=b'openjdk version "17.0.1"')

    spec = MavenSpec(group="g", artifact="a", version="9")
    with pytest.raises(UsageError, match="maven:g:a:9: no repository has g:a:jar:9"):
        prepare_artifact(spec, home=HomeFolder(tmp_path), host=FakeHost(answer), environment=())


def test_an_extra_that_is_no_artifact_is_a_usage_error(tmp_path):
    spec = MavenSpec(group="g", artifact="a", version="9", extra=("jmh-core",))
    with pytest.raises(UsageError, match="not GROUP:ARTIFACT:VERSION: 'jmh-core'"):
        prepare_artifact(
            spec,
            home=HomeFolder(tmp_path),
            host=says(stderr=b'openjdk version "17.0.1"'),
            environment=(),
        )


def test_the_users_repository_is_where_their_settings_say(tmp_path):
    assert user_repository(str(tmp_path)) is None
    (tmp_path / ".m2" / "repository").mkdir(parents=True)
    assert user_repository(str(tmp_path)) == tmp_path / ".m2" / "repository"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">'
        "<localRepository>${user.home}/elsewhere</localRepository></settings>"
    )
    assert user_repository(str(tmp_path)) == tmp_path / "elsewhere"


def test_the_installations_settings_are_kept_beside_the_borrowed_repository(tmp_path):
    settings = tmp_path / "settings.xml"
    settings.write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors><mirror><id>m</id>'
        "</mirror></mirrors><profiles><profile><id>p</id></profile></profiles></settings>"
    )

    text = with_repository(settings, tmp_path).decode()

    assert "<id>m</id>" in text
    assert "<id>p</id>" in text
    assert text.count(tmp_path.as_uri()) == 2
    assert with_repository(tmp_path / "absent", tmp_path).count(b"<activeProfile>") == 2


def test_a_published_pom_is_read_without_its_plugins(tmp_path):
    path = tmp_path / "a.pom"
    path.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><packaging>bundle</packaging>'
        "<build>x</build><reporting>x</reporting><dependencies>kept</dependencies>"
        "<profiles><profile><id>p</id><build>x</build></profile></profiles></project>"
    )

    text = without_build(path).decode()

    assert "kept" in text
    assert "<id>p</id>" in text
    assert not any(word in text for word in ("bundle", "build", "reporting"))


def test_a_published_pom_may_have_entities_of_html(tmp_path):
    path = tmp_path / "a.pom"
    path.write_text("<project><name>J&oslash;rn</name></project>")

    assert "<name>J\xf8rn</name>" in without_build(path).decode()


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0" encoding="x-unknown"?><project/>',
        '<?xml version="1.0" encoding="utf-7"?><project/>',
        f"<project>{'<a>' * 5000}{'</a>' * 5000}</project>",
    ],
    ids=["unknown", "several bytes", "deep"],
)
def test_a_published_pom_that_cannot_be_read_is_refused_in_one_line(text, tmp_path):
    path = tmp_path / "a.pom"
    path.write_text(text)

    with pytest.raises(SourceUnreadable) as failure:
        without_build(path)

    assert "\n" not in str(failure.value)


@pytest.mark.parametrize("encoding", ["x-unknown", "utf-7"])
def test_settings_of_an_unknown_encoding_are_mavens_to_refuse(encoding, tmp_path):
    path = tmp_path / ".m2/settings.xml"
    (tmp_path / ".m2/repository").mkdir(parents=True)
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><settings/>')

    assert user_repository(str(tmp_path)) == tmp_path / ".m2/repository"
    assert b"bench-audit-borrowed" in with_repository(path, tmp_path)


def test_benchmark_classes_are_read_from_the_list():
    assert benchmark_classes(LIST) == {"org.ex.Things", "org.ex.Others"}


@pytest.mark.parametrize("packed", [False, True])
def test_benchmarks_and_library_in_one_place_are_parted(packed, tmp_path):
    files = {
        "META-INF/BenchmarkList": LIST,
        "META-INF/MANIFEST.MF": "m",
        "org/ex/Things.class": "b",
        "org/ex/Things$State.class": "b",
        "org/ex/Thingsum.class": "l",
        "org/ex/jmh_generated/Things_a_jmhTest.class": "b",
    }
    place = tmp_path / "classes"
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    if packed:
        jar = tmp_path / "classes.jar"
        with zipfile.ZipFile(jar, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        place = jar

    suite_classes = benchmark_classes(benchmark_list(place) or "")
    benchmarks, library = split_classes(place, tmp_path / "split", suite_classes)

    assert benchmark_list(benchmarks) == LIST
    library_files = {p.relative_to(library).as_posix() for p in library.rglob("*") if p.is_file()}
    assert library_files == {"META-INF/MANIFEST.MF", "org/ex/Thingsum.class"}


def test_a_digest_covers_content_order_and_toolchain(tmp_path):
    first, second = tmp_path / "a.jar", tmp_path / "b.jar"
    first.write_bytes(b"a")
    second.write_bytes(b"b")
    digest_text = digest_class_path([first, second], "17")

    assert digest_class_path([first, second], "17") == digest_text
    assert digest_class_path([second, first], "17") != digest_text
    assert digest_class_path([first, second], "21") != digest_text
