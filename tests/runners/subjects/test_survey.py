"""Which suites lie below a folder, and what is said where a folder has none."""

import pytest
from growth import growth
from subject_trees import make

from auditor.core.request import (
    DistributionSpec,
    FolderSpec,
    GitSpec,
    GoModuleSpec,
    JarSpec,
)
from runners.subjects import placed
from runners.subjects.suite_detection import detect_suite
from runners.subjects.survey import (
    choose_kind,
    describe_candidates,
    describe_unbuilt,
    explain_missing_benchmarks,
    find_suites,
    list_suites,
)

GO_TEST = 'package m\n\nimport "testing"\n\nfunc BenchmarkM(b *testing.B) {}\n'
PYTHON_TEST = "def test_a(benchmark): pass\ndef test_b(benchmark): pass\n"
JMH = "class B {\n  @Benchmark\n  void a() {}\n}\n"


def monorepo(tmp_path):
    return make(
        tmp_path / "mono",
        py__pyproject_dot_toml="",
        py__test_a_dot_py=PYTHON_TEST,
        py__inner__setup_dot_py="",
        py__inner__test_b_dot_py=PYTHON_TEST,
        svc__go_dot_mod="module example.org/svc\n",
        svc__m_test_dot_go=GO_TEST,
        svc__sub__go_dot_mod="module example.org/sub\n",
        svc__sub__m_test_dot_go=GO_TEST,
        jvm__pom_dot_xml="<project/>",
        jvm__B_dot_java=JMH,
        empty__go_dot_mod="module example.org/empty\n",
        vendor__x__go_dot_mod="module example.org/x\n",
        vendor__x__m_test_dot_go=GO_TEST,
    )


def test_a_virtual_environment_of_any_name_has_no_suite(tmp_path):
    make(tmp_path / "env311", pyvenv_dot_cfg="", x__setup_dot_py="", x__test_a_dot_py=PYTHON_TEST)
    assert find_suites(tmp_path) == ()

    (tmp_path / "env311" / "pyvenv.cfg").unlink()
    assert [folder.path for folder in find_suites(tmp_path)] == ["env311/x"]


def test_suites_of_all_languages_are_found_those_with_most_benchmarks_first(tmp_path):
    folders = find_suites(monorepo(tmp_path))

    assert [(folder.path, folder.suite.harness) for folder in folders] == [
        ("py", "pytest"),
        ("jvm", "jmh"),
        ("svc", "go"),
        ("svc/sub", "go"),
    ]
    assert [suite.path for suite in find_suites(monorepo(tmp_path), "go")] == ["svc", "svc/sub"]
    assert list_suites(folders[:1]) == f"py (pytest, {folders[0].suite.benchmarks} benchmarks)"


def test_a_module_below_a_folder_with_an_underscore_has_a_suite(tmp_path):
    make(
        tmp_path,
        go_dot_mod="module example.org/top\n",
        _benchmark__go__go_dot_mod="module example.org/bench\n",
        _benchmark__go__m_test_dot_go=GO_TEST,
        _vendor__x__go_dot_mod="module example.org/x\n",
        _vendor__x__m_test_dot_go=GO_TEST,
    )

    assert [folder.path for folder in find_suites(tmp_path)] == ["_benchmark/go"]


def test_the_command_for_the_first_candidate_is_said(tmp_path):
    candidates_text = describe_candidates(monorepo(tmp_path), "a b")

    assert candidates_text.endswith(": bench-audit abs 'a b/py'")
    assert "svc (go, 1 benchmark)" in candidates_text


def test_of_a_revision_the_command_names_the_folder_in_it(tmp_path):
    tree = monorepo(tmp_path)

    no_benchmarks_hint_text = explain_missing_benchmarks(tree, GitSpec(str(tree), "HEAD@{1}"), "go")

    assert no_benchmarks_hint_text.startswith("looked for functions BenchmarkX(b *testing.B)")
    assert no_benchmarks_hint_text.endswith(f"bench-audit abs 'git:{tree}/py@HEAD@{{1}}'")


def test_another_language_in_the_same_folder_is_chosen_by_its_harness(tmp_path):
    mixed_folder = make(
        tmp_path / "both", go_dot_mod="module m\n", pom_dot_xml="<project/>", B_dot_java=JMH
    )

    assert describe_candidates(mixed_folder, "both").endswith("bench-audit abs both --harness jmh")


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"test_a_dot_py": PYTHON_TEST}, "of pytest, but no pyproject.toml or setup.py says"),
        ({"src__B_dot_java": JMH}, "1 benchmark of jmh, but no pom.xml or build.gradle builds"),
        ({"src__B_dot_java": JMH, "build_dot_sbt": ""}, "1 benchmark of jmh, but sbt builds it"),
    ],
)
def test_benchmarks_that_nothing_builds_are_named_with_what_is_missing(files, text, tmp_path):
    folder = make(tmp_path / "bare", **files)

    assert text in describe_unbuilt(folder)
    assert text in describe_candidates(folder, "bare")


def test_the_suite_in_a_folder_with_benchmarks_is_chosen_and_the_first_of_several(tmp_path):
    folder = make(
        tmp_path,
        go_dot_mod="module m\n",
        pyproject_dot_toml="",
        test_a_dot_py=PYTHON_TEST,
        tools__go_dot_mod="module m/tools\n",
        tools__m_test_dot_go=GO_TEST,
    )

    assert (choose_kind(folder), find_suites(folder)[0].kind) == ("python", "python")

    make(folder, m_test_dot_go=GO_TEST)

    assert (choose_kind(folder), find_suites(folder)[0].kind) == ("go", "go")


def test_nothing_below_is_said(tmp_path):
    assert "no benchmarks" in describe_candidates(make(tmp_path / "none", README="x"), "none")


@pytest.mark.parametrize(
    "subject",
    [
        GoModuleSpec("example.org/mono", "v1.2.3"),
        DistributionSpec("mono", "1.0"),
        GitSpec("https://example.org/mono", "v1"),
        GitSpec("git@example.org:mono", "v1"),
    ],
)
def test_no_command_is_made_up_for_a_folder_that_cannot_be_named(tmp_path, subject):
    text = explain_missing_benchmarks(monorepo(tmp_path), subject, "go")

    assert "there are some in py (pytest" in text
    assert "bench-audit abs" not in text
    assert "name a checkout" not in text


@pytest.mark.parametrize(
    "subject", [GoModuleSpec("example.org/top", "v1.0.0"), DistributionSpec("top", "1.0")]
)
def test_an_archive_without_benchmarks_leads_to_the_repository(subject, tmp_path):
    make(tmp_path, go_dot_mod="module example.org/top\n")

    assert "name a checkout, or git:URL@REVISION" in explain_missing_benchmarks(
        tmp_path, subject, "go"
    )
    assert "git:URL" not in explain_missing_benchmarks(tmp_path, FolderSpec(tmp_path), "go")


def test_scripts_that_no_harness_runs_are_named(tmp_path):
    scripts = {"bench.py": "", "tests/benchmark_set.py": "", "pack/core.py": ""}
    for name, text in scripts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "setup.py").touch()

    for_python, for_java = (
        explain_missing_benchmarks(tmp_path, FolderSpec(tmp_path), harness)
        for harness in ("pytest", "jmh")
    )

    assert "; no harness runs bench.py, tests/benchmark_set.py: what it measures" in for_python
    assert "bench.py" not in for_java


def test_a_jar_has_no_folders(tmp_path):
    text = explain_missing_benchmarks(monorepo(tmp_path), JarSpec(tmp_path / "a.jar"), "jmh")

    assert text == "looked for methods with @Benchmark"


def test_the_suite_that_has_just_failed_is_not_offered_again(tmp_path):
    project_folder = make(tmp_path / "own", go_dot_mod="module m\n", m_test_dot_go=GO_TEST)

    assert explain_missing_benchmarks(project_folder, FolderSpec(project_folder), "go").endswith(
        "there are no others of Go, JMH or Python below it"
    )
    assert "--harness go" in explain_missing_benchmarks(
        project_folder, FolderSpec(project_folder), "pytest"
    )


def test_build_tags_that_hold_all_benchmarks_back_are_named(tmp_path):
    folder = make(
        tmp_path,
        go_dot_mod="module m\n",
        m_test_dot_go=f"//go:build slow && linux\n\n{GO_TEST}",
        n_test_dot_go=f"// +build bench\n\n{GO_TEST}",
    )

    assert (
        'they are behind build tags bench, slow: add "tags": ["bench", "slow"]'
        in explain_missing_benchmarks(folder, FolderSpec(folder), "go")
    )


def test_nor_is_the_module_below_that_was_taken(tmp_path):
    tree = monorepo(tmp_path)

    text = explain_missing_benchmarks(tree, FolderSpec(tree), "go", [tree / "svc"])

    assert "svc/sub (go" in text
    assert "svc (go" not in text


@pytest.mark.parametrize(
    "suite", [{"zz__go_dot_mod": "module z\n", "zz__m_test_dot_go": GO_TEST}, {}]
)
def test_how_far_was_looked_is_said_where_that_is_not_all(tmp_path, monkeypatch, suite):
    tree = make(tmp_path / "large", a__b__c="", d__e__f="", **suite)
    description = describe_candidates(tree, "large")
    monkeypatch.setattr(placed, "MOST_FOLDERS", 3)

    assert "folders" not in description
    assert describe_candidates(tree, "large").endswith("below it in the first 3 folders")


def test_the_time_grows_with_the_size_of_a_pom_not_with_its_square(tmp_path):
    def read(size):
        detect_suite(make(tmp_path / "m", pom_dot_xml="<profile>" * size))

    assert growth(read, 2_000, 16_000) < 24


def test_profiles_hold_benchmarks_back_where_only_they_have_jmh(tmp_path):
    profile = "<profile>\n<id> bench </id>jmh-core</profile>"
    plain_profile = "<profile><id>other</id></profile>"
    profile_folder = make(
        tmp_path / "held", pom_dot_xml=f"<project>{plain_profile}{profile}</project>"
    )
    free = make(tmp_path / "free", pom_dot_xml=f"<project>{profile}jmh-core</project>")

    assert detect_suite(profile_folder).profiles == ("bench",)
    assert detect_suite(free).profiles == ()
