"""Which suites lie below a folder, and what is said where a folder has none."""

from subject_trees import make

from runners.subjects.survey import candidates, instead, named, suites

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


def test_suites_of_all_languages_are_found_those_with_most_benchmarks_first(tmp_path):
    found = suites(monorepo(tmp_path))

    assert [(one.path, one.seen.harness) for one in found] == [
        ("py", "pytest"),
        ("jvm", "jmh"),
        ("svc", "go"),
        ("svc/sub", "go"),
    ]
    assert [one.path for one in suites(monorepo(tmp_path), "go")] == ["svc", "svc/sub"]
    assert named(found[:1]) == f"py (pytest, {found[0].seen.benchmarks} benchmarks)"


def test_the_command_for_the_first_candidate_is_said(tmp_path):
    said = candidates(monorepo(tmp_path), "a b")

    assert said.endswith(": bench-audit abs 'a b/py'")
    assert "svc (go, 1 benchmark)" in said


def test_of_a_revision_the_command_names_the_folder_in_it(tmp_path):
    said = instead(monorepo(tmp_path), "git:/x/mono@v1", "go")

    assert said.startswith("looked for functions BenchmarkX(b *testing.B)")
    assert said.endswith("bench-audit abs git:/x/mono/py@v1")


def test_another_language_in_the_same_folder_is_chosen_by_its_harness(tmp_path):
    both = make(
        tmp_path / "both", go_dot_mod="module m\n", pom_dot_xml="<project/>", B_dot_java=JMH
    )

    assert candidates(both, "both").endswith("bench-audit abs both --harness jmh")


def test_nothing_below_is_said(tmp_path):
    assert "no benchmarks" in candidates(make(tmp_path / "none", README="x"), "none")
