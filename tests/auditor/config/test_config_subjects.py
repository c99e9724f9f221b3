import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.config import load_config
from auditor.config.places import choose_places
from auditor.config.quantities import parse_duration
from auditor.config.sections import SubjectSection
from auditor.config.subjects import build_slug, describe_subject, parse_subject
from auditor.core.errors import UsageError
from auditor.core.request import BuildOptions, FolderSpec, GitSpec, GoModuleSpec, JarSpec, MavenSpec

BASE_FOLDER = Path("/some/where")


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("git:.@HEAD", GitSpec("/some/where", "HEAD")),
        ("git:../lib@v1.2", GitSpec("/some/lib", "v1.2")),
        ("git:.@HEAD@{1}", GitSpec("/some/where", "HEAD@{1}")),
        ("git:/a/b@feature/x", GitSpec("/a/b", "feature/x")),
        ("git:https://example.org/a.git@v1", GitSpec("https://example.org/a.git", "v1")),
        ("git:https://me@example.org/a@main", GitSpec("https://me@example.org/a", "main")),
        ("git:git@example.org:a/b.git@1a2b3c", GitSpec("git@example.org:a/b.git", "1a2b3c")),
        ("go:github.com/google/uuid@v1.6.0", GoModuleSpec("github.com/google/uuid", "v1.6.0")),
        ("go:example.org/x@latest", GoModuleSpec("example.org/x", "latest")),
        (
            "maven:org.apache.commons:commons-text:1.11.0",
            MavenSpec(group="org.apache.commons", artifact="commons-text", version="1.11.0"),
        ),
        (
            SubjectSection(maven="g:a:1", extra=("x:y:2",)),
            MavenSpec(group="g", artifact="a", version="1", extra=("x:y:2",)),
        ),
        (SubjectSection(git=".@v1"), GitSpec("/some/where", "v1")),
        (SubjectSection(go="m/n@v1"), GoModuleSpec("m/n", "v1")),
        ("/", FolderSpec(Path("/"))),
    ],
)
def test_a_subject_is_read_as_meant(subject, expected):
    assert parse_subject(subject, BASE_FOLDER) == expected


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("git:.", "has no revision"),
        ("git:git@example.org:a/b", "has no revision"),
        ("git:https://me@example.org/a", "has no revision"),
        ("git:.@--upload-pack=x", "has no revision"),
        ("git:--x@y", "has no revision"),
        ("go:github.com/google/uuid", "write go:MODULE@VERSION"),
        ("go:@v1", "write go:MODULE@VERSION"),
        ("go:a@b@c", "write go:MODULE@VERSION"),
        ("go:../../x@v1", "write go:MODULE@VERSION"),
        ("maven:a:b", "not GROUP:ARTIFACT:VERSION"),
        ("maven:a:..:1", "not GROUP:ARTIFACT:VERSION"),
        ("maven:a/b:c:1", "not GROUP:ARTIFACT:VERSION"),
        (SubjectSection(maven="a:b:1", extra=("x",)), "extra dependency x is not"),
        (SubjectSection(maven="a:b:1", profiles=("x",)), "path or git, not with maven"),
        (SubjectSection(go="m/n@v1", profiles=("x",)), "path or git, not with go"),
        (SubjectSection(path="a.jar", profiles=("x",)), "not with a jar, which is built already"),
        (
            SubjectSection(maven="a:b:1", flags=("-x",)),
            "flags at subject works only with path or git",
        ),
        (SubjectSection(path="a.jar", flags=("-x",)), "not with a jar, which is built already"),
        (SubjectSection(path="a.jar", gradle="g"), "not with a jar, which is built already"),
        (SubjectSection(go="m/n@v1", jdk="21"), "jdk at subject is for JMH suites, not for go"),
        ("absent", "no such folder: /some/where/absent"),
        ("absent.jar", "no such file: /some/where/absent.jar"),
        ("npm:left-pad", "known prefixes are git:, go:, maven:, pypi:"),
        ("pypi:pluggy", "write pypi:NAME@VERSION"),
        ("pypi:--index-url@1", "write pypi:NAME@VERSION"),
        ("pypi:a@-1", "write pypi:NAME@VERSION"),
        ("pypi:a/b@1", "write pypi:NAME@VERSION"),
        ("/proc/version", "is neither a folder nor a .jar; name the project's folder"),
    ],
)
def test_a_subject_that_cannot_be_meant_is_refused(subject, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_subject(subject, BASE_FOLDER)


@pytest.mark.parametrize(
    "subject",
    [
        "git:https://me:hunter2@example.org/a@main",
        "git:https://:hunter2@example.org/a@main",
        "git:https://ghp_hunter2hunter2hunter2@example.org/a@main",
        "git:https://ghp_hunter2hunter2hunter2:@example.org/a@main",
        "git:https://glpat-hunter2hunter.01.2@example.org/a@main",
        "git:https://hunter2%2Fhunter2%2Fhunter2@example.org/a@main",
        "git:https://example.org/a.git?private_token=hunter2@main",
        "git:https://example.org/a.git?ref=b&apiKey=hunter2@main",
        "git:https://me:hunter2@example.org/a",
        "https://me:hunter2@example.org/a",
        SubjectSection(git="ssh://me:hunter2@example.org/a@main"),
    ],
)
def test_a_password_in_a_url_is_refused_and_not_repeated(subject):
    with pytest.raises(UsageError, match="contains a password or token") as error:
        parse_subject(subject, BASE_FOLDER)

    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("python", ["python", "clients"])
@pytest.mark.parametrize(
    "requirement",
    ["x @ git+https://me:hunter2@example.org/x", "--index-url=https://example.org/?key=hunter2"],
)
def test_a_password_in_a_requirement_is_refused_and_not_repeated(tmp_path, python, requirement):
    section = {"requirements": ["pytest>=8", requirement]}
    setting = section if python == "python" else [{"path": ".", "python": section}]

    with pytest.raises(UsageError, match="contains a password or token") as error:
        load_config(".", {python: setting}, tmp_path)

    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--url=https://me:hunter2@example.org/x", "contains a password or token"),
        ("tests/test_a.py", "tests/test_a.py', which is no option; write an option and its value"),
    ],
)
def test_a_password_or_a_place_in_an_option_of_pytest_is_refused(tmp_path, option, message):
    options = {"pytest_options": ["--runslow", option]}

    with pytest.raises(UsageError, match=message):
        load_config(".", {"python": options}, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://me@example.org/a",
        "ssh://git@example.org:22/a",
        "git@example.org:a/b",
        "https://[::1]:80/a?ref=b",
    ],
)
def test_a_user_in_a_url_is_no_secret(url):
    assert parse_subject(f"git:{url}@main", BASE_FOLDER) == GitSpec(url, "main")


@pytest.mark.parametrize("subject", ["b.jar", SubjectSection(path="b.jar")])
def test_a_jar_is_a_subject(subject, tmp_path):
    (tmp_path / "b.jar").write_bytes(b"")

    jar_spec = parse_subject(subject, tmp_path)

    assert jar_spec == JarSpec(tmp_path / "b.jar")
    assert describe_subject(jar_spec) == str(tmp_path / "b.jar")
    assert build_slug(jar_spec).startswith("b.jar-")
    assert load_config("b.jar", {}, tmp_path).subject == jar_spec


@pytest.mark.parametrize("key", ["path", "git"])
def test_what_the_build_is_told_is_kept_in_the_configuration_that_is_stored(key, tmp_path):
    message = {"path": ".", "git": "https://example.org/a@v1"}[key]
    tools = {"jdk": "21", "gradle": "/g/gradle"}
    subject = {key: message, "profiles": ["one", "!two"], "flags": ["-Dx=y"], **tools}
    (tmp_path / "c.json").write_text(json.dumps({"subject": subject}))

    config = load_config("c.json", {}, tmp_path)
    (tmp_path / "again.json").write_text(config.text)

    assert config.build == BuildOptions(("one", "!two"), ("-Dx=y",), **tools)
    reloaded_config = load_config("again.json", {}, tmp_path)
    assert (reloaded_config.subject, reloaded_config.build) == (config.subject, config.build)


@pytest.mark.parametrize("subject", [{"maven": "a:b:1", "extra": ["c:d:2"]}, {"path": "b.jar"}])
def test_a_jdk_is_kept_with_what_is_built_already(subject, tmp_path):
    (tmp_path / "b.jar").touch()
    (tmp_path / "c.json").write_text(json.dumps({"subject": {**subject, "jdk": "/opt/jdk"}}))

    config = load_config("c.json", {}, tmp_path)
    (tmp_path / "again.json").write_text(config.text)

    reloaded_config = load_config("again.json", {}, tmp_path)
    assert reloaded_config.build == config.build == BuildOptions(jdk="/opt/jdk")
    assert reloaded_config.subject == config.subject


@given(st.text(max_size=40))
def test_no_text_does_anything_but_be_read_or_refused(text):
    for prefix in ("git:", "go:", "maven:", ""):
        try:
            parse_subject(prefix + text, BASE_FOLDER)
        except UsageError:
            continue


@pytest.mark.parametrize("subject", ["git:/a@v1", "go:m/n@v1", "maven:g:a:1", "/"])
def test_a_described_subject_can_be_read_again(subject):
    assert describe_subject(parse_subject(subject, BASE_FOLDER)) == subject


def test_a_folder_name_is_readable_and_not_shared():
    go_module_spec = GoModuleSpec("github.com/google/uuid", "v1.6.0")
    namesake_spec = GoModuleSpec("example.org/uuid", "v1.6.0")

    assert build_slug(go_module_spec).startswith("uuid-v1.6.0-")
    assert build_slug(go_module_spec) != build_slug(namesake_spec)
    assert build_slug(GitSpec("https://example.org/a b/lib.git", "feature/x")).startswith(
        "lib-feature-x-"
    )
    assert "/" not in build_slug(FolderSpec(Path("/")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("50ms", 0.05), ("1s", 1), ("1.5s", 1.5), ("10m", 600), ("1h30m", 5400), ("200us", 2e-4)],
)
def test_a_duration_is_read(text, expected):
    assert parse_duration(text) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "5", "ms", "-1s", "1 s", "1s\n", "0s", "1d", "9999999h", "1.s"]
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match=r"duration|must be|no unit; write 5s"):
        parse_duration(text)


def test_results_and_caches_go_to_the_folders_that_the_system_names(tmp_path):
    config = load_config("go:m/n@v1", {}, tmp_path)

    default = choose_places(config, {"HOME": "/h"})
    named = choose_places(config, {"XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c"})
    relative = choose_places(config, {"HOME": "/h", "XDG_STATE_HOME": "s"})

    folder = build_slug(config.subject)
    assert default.output.parent == Path("/h/.local/state/bench-audit") / folder
    assert default.store == default.output.parent / "store.sqlite"
    assert default.home == Path("/h/.cache/bench-audit")
    assert named.output.parent == Path("/s/bench-audit") / folder
    assert named.home == Path("/c/bench-audit")
    assert relative.output == default.output


def test_a_folder_and_a_configuration_of_it_have_one_store(tmp_path):
    (tmp_path / "ring").mkdir()
    (tmp_path / "c.json").write_text('{"subject": "ring"}')

    folder, configured = (
        choose_places(load_config(argument, {}, tmp_path), {"HOME": "/h"})
        for argument in ("ring", "c.json")
    )

    assert folder.store == configured.store


def test_audits_of_a_subject_share_the_store_and_no_result(tmp_path):
    first, same, changed_places = (
        choose_places(load_config("go:m/n@v1", changes, tmp_path), {"HOME": "/h"})
        for changes in ({}, {}, {"slowdown": 0.9})
    )

    assert first == same
    assert first.store == changed_places.store
    assert first.output != changed_places.output


def test_without_a_home_one_has_to_be_named(tmp_path):
    with pytest.raises(UsageError, match="neither XDG_STATE_HOME nor HOME"):
        choose_places(load_config("go:m/n@v1", {}, tmp_path), {})


def test_nothing_of_ours_but_results_goes_into_the_subject(tmp_path):
    config = load_config(".", {}, tmp_path)

    inside = choose_places(config, {"HOME": "/h"}, output=tmp_path / "out")
    assert (inside.output, inside.store.parts[:2]) == (tmp_path / "out", ("/", "h"))
    with pytest.raises(UsageError, match=r"store .* is inside the subject"):
        choose_places(config, {"HOME": "/h"}, store=tmp_path / "s.sqlite")
    with pytest.raises(UsageError, match="set XDG_CACHE_HOME"):
        choose_places(config, {"HOME": "/h", "XDG_CACHE_HOME": str(tmp_path)})
