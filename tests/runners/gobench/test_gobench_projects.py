"""Go trees made ready without touching anything of the user's."""

import os
from pathlib import Path

import pytest
from gobench_making import lab
from subject_trees import make

from auditor.core.errors import BuildFailed, ResolveFailed, SubjectError, ToolMissing
from auditor.core.jobs import CompletedProcess
from auditor.core.outcome import Counted, NotBuilt
from runners.gobench import toolchain
from runners.gobench.golist import parse_packages
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare_placed
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.subjects.placed import PlacedSubject

pytestmark = pytest.mark.subject

_TEST = 'package {0}\n\nimport "testing"\n\nfunc BenchmarkF(b *testing.B) {{\n{1}\n}}\n'


def _module(tree, name="m", **files):
    return make(tree, go_dot_mod=f"module example.org/{name}\n", **files)


_LOOP = "\tfor i := 0; i < b.N; i++ {\n\t\tF()\n\t}"


def test_a_workspace_has_the_packages_of_all_its_modules(go_home, tmp_path):
    _module(tmp_path / "a", "a", a_dot_go="package a\n\nfunc F() int { return 1 }\n")
    _module(
        tmp_path / "b",
        "b",
        b_dot_go='package b\n\nimport "example.org/a"\n\nfunc F() int { return a.F() }\n',
        b_test_dot_go=_TEST.format("b", _LOOP),
    )
    make(tmp_path, go_dot_work="go 1.20\n\nuse ./a\n\nuse ./b\n")
    result = lab(tmp_path, go_home, os.environ)
    counted = result.counted("BenchmarkF", 21)

    assert set(result.methods) == {"example.org/a.F", "example.org/b.F"}
    assert isinstance(counted, Counted)
    assert dict(counted.windows[1].calls) == {"example.org/a.F": 21, "example.org/b.F": 21}


def test_a_workspace_around_our_folder_is_none_of_ours(go_home, tmp_path):
    make(tmp_path, go_dot_work="go 1.20\n")
    tree = _module(
        tmp_path / "tree",
        m_dot_go="package m\n\nfunc F() int { return 1 }\n",
        m_test_dot_go=_TEST.format("m", _LOOP),
    )

    assert lab(tree, go_home, os.environ).benchmark("BenchmarkF")


def test_a_workspace_of_the_copy_is_that_of_a_module_in_it(go_home, tmp_path):
    _module(tmp_path / "a", "a", a_dot_go="package a\n\nfunc G() int { return 1 }\n")
    _module(
        tmp_path / "b",
        "b",
        b_dot_go='package b\n\nimport "example.org/a"\n\nfunc F() int { return a.G() }\n',
        b_test_dot_go=_TEST.format("b", _LOOP),
    )
    make(tmp_path, go_dot_work="go 1.20\n\nuse ./a\n\nuse ./b\n")

    result = lab(tmp_path / "b", go_home, os.environ, top=tmp_path)

    assert [benchmark.name for benchmark in result.suite.benchmarks] == ["BenchmarkF"]


def test_a_module_that_its_workspace_does_not_use_is_built_without_it(go_home, tmp_path):
    tree = _module(
        tmp_path / "tree",
        m_dot_go="package m\n\nfunc F() int { return 1 }\n",
        m_test_dot_go=_TEST.format("m", _LOOP),
    )
    make(tmp_path, go_dot_work="go 1.20\n")

    assert lab(tree, go_home, os.environ, top=tmp_path).benchmark("BenchmarkF")


_CHECK = 'package {0}\n\nimport "testing"\n\nfunc TestF(t *testing.T) {{\n\t{1}\n}}\n'


def test_the_unit_tests_of_each_package_have_counts_of_their_own(go_home, tmp_path):
    """In one package they do not compile, in one they fail, in one they end the process."""
    bodies = {"a": "nonsense", "b": "F(); t.Fatal()", "c": "F(); panic(1)", "d": "F()"}
    for name, body in bodies.items():
        code = f"package {name}\n\nfunc F() int {{ return 1 }}\n"
        make(tmp_path / name, f_dot_go=code, f_test_dot_go=_CHECK.format(name, body))
    _module(tmp_path)
    benchmark = _TEST.format("e", "")
    make(tmp_path / "e", e_dot_go="package e\n", e_test_dot_go=benchmark)
    result = lab(tmp_path, go_home, os.environ)
    packages = GoBench().list_test_parts(result.suite.sources)
    ended = {package[-1]: result.called_by_tests(package) for package in packages}
    counted = {key: outcome for key, outcome in ended.items() if isinstance(outcome, Counted)}
    called = {
        key: [method for method, calls in outcome.windows[0].calls if calls]
        for key, outcome in counted.items()
    }

    assert packages == [f"example.org/m/{name}" for name in "abcde"]
    assert isinstance(ended["a"], NotBuilt)
    assert "undefined: nonsense" in ended["a"].message
    assert called == {**{key: [f"example.org/m/{key}.F"] for key in "bcd"}, "e": []}
    assert {key for key, outcome in counted.items() if outcome.missing} == {"b", "c"}


def test_nothing_is_missing_where_all_unit_tests_end_well(go_home, tmp_path):
    code = "package m\n\nfunc F() int { return 1 }\n"
    _module(tmp_path, m_dot_go=code, m_test_dot_go=_TEST.format("m", _LOOP))
    make(tmp_path, more_test_dot_go=_CHECK.format("m", "F()"))
    counted = lab(tmp_path, go_home, os.environ).called_by_tests("example.org/m")

    assert (dict(counted.windows[0].calls), counted.missing) == ({"example.org/m.F": 1}, "")


def test_vendored_dependencies_need_no_network(go_home, tmp_path):
    make(
        tmp_path,
        go_dot_mod="module example.org/m\n\ngo 1.20\n\nrequire example.org/dep v1.0.0\n",
        vendor__modules_dot_txt="# example.org/dep v1.0.0\n## explicit\nexample.org/dep\n",
        vendor__example_dot_org__dep__dep_dot_go="package dep\n\nfunc G() int { return 2 }\n",
        m_dot_go='package m\n\nimport "example.org/dep"\n\nfunc F() int { return dep.G() }\n',
        m_test_dot_go=_TEST.format("m", _LOOP),
    )
    result = lab(tmp_path, go_home, {**os.environ, "GOPROXY": "off"})

    assert list(result.methods) == ["example.org/m.F"]
    assert isinstance(result.counted("BenchmarkF", 21), Counted)


def test_build_tags_choose_the_sources(go_home, tmp_path):
    _module(
        tmp_path,
        m_dot_go="package m\n\nfunc F() int { return 1 }\n",
        more_dot_go="//go:build more\n\npackage m\n\nfunc More() {}\n",
        m_test_dot_go=_TEST.format("m", _LOOP),
    )
    plain, tagged = (
        lab(tmp_path, go_home, os.environ),
        lab(tmp_path, go_home, os.environ, tags="more"),
    )

    assert [module_lab.methods["example.org/m.More"].refusal for module_lab in (plain, tagged)] == [
        "left out by the build tags in force (//go:build more)",
        None,
    ]
    assert plain.project.digest != tagged.project.digest


def test_a_suite_that_does_not_compile_is_the_subjects_fault(go_home, tmp_path):
    _module(tmp_path, m_dot_go="package m\n", m_test_dot_go=_TEST.format("m", "\tnonsense"))

    with pytest.raises(BuildFailed, match="undefined: nonsense"):
        lab(tmp_path, go_home, os.environ)


def test_a_dependency_that_cannot_be_had_is_said_in_one_line(go_home, tmp_path):
    make(
        tmp_path,
        go_dot_mod="module example.org/m\n\nrequire example.org/none v1.0.0\n",
        m_dot_go='package m\n\nimport _ "example.org/none"\n',
    )

    with pytest.raises(ResolveFailed, match=r"example\.org/none"):
        lab(tmp_path, go_home, {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod"})


def test_benchmarks_of_an_unpublished_version_name_the_line_that_replaces_it(go_home, tmp_path):
    _module(tmp_path, m_dot_go="package m\n\nfunc F() int { return 1 }\n")
    bench = tmp_path / "bench"
    test = 'package bench\n\nimport "example.org/m"\n\nvar V = m.F()\n'
    _module(bench, "m/bench", b_dot_go=test, b_test_dot_go=_TEST.format("bench", _LOOP))
    with (bench / "go.mod").open("a") as file:
        file.write("\nrequire example.org/m v1.0.0\n")

    with pytest.raises(ResolveFailed, match=r"add to its go.mod: replace example.org/m => \.\."):
        lab(tmp_path, go_home, {**os.environ, "GOPROXY": "off"})


def test_a_workspace_is_called_as_its_folder_and_not_as_its_copy(go_home, tmp_path):
    _module(tmp_path / "a", "a", a_dot_go="package a\n")
    make(tmp_path, go_dot_work="go 1.20\n\nuse ./a\n")
    placed = PlacedSubject(
        root=tmp_path, tree=tmp_path, name="ring", revision="1", digest_of_tree="d"
    )

    project = prepare_placed(
        placed, home=go_home, host=LocalHost(SystemClock()), environment=os.environ.items()
    )

    assert project.name == "ring"


def test_a_module_for_a_newer_go_needs_that_tool(tmp_path):
    stderr = b"go: go.mod requires go >= 1.99.0 (running go 1.26.8; GOTOOLCHAIN=local)\n"

    with pytest.raises(ToolMissing, match=r"needs Go 1\.99\.0 or newer, and go is 1\.26\.8; inst"):
        parse_packages(CompletedProcess(exit_code=1, stderr=stderr), tmp_path)


def test_a_folder_without_a_module_is_no_subject(go_home, tmp_path):
    with pytest.raises(SubjectError, match=r"no go\.mod"):
        lab(tmp_path, go_home, os.environ)


@pytest.mark.parametrize("folder", ["/proc/nowhere", __file__])
def test_without_go_the_tool_is_missing(go_home, tmp_path, folder):
    with pytest.raises(ToolMissing, match="go was not found on PATH"):
        lab(_module(tmp_path), go_home, {**os.environ, "PATH": folder})


def test_an_old_go_is_refused(tmp_path):
    class OldGo:
        """A machine whose Go is from before sub-benchmarks could be skipped."""

        def run_process(self, job):
            return CompletedProcess(exit_code=0, stdout=b'{"GOVERSION": "go1.19.2"}')

    with pytest.raises(ToolMissing, match=r"go1\.19\.2 is too old"):
        toolchain.read_go_settings(OldGo(), {}, tmp_path)


def test_all_that_go_writes_is_in_folders_of_ours(ring, go_home):
    environment = dict(ring.project.environment)

    for name in ("GOCACHE", "GOMODCACHE", "GOPATH", "GOTMPDIR", "XDG_CONFIG_HOME"):
        assert Path(environment[name]).is_relative_to(go_home.root)


def test_the_users_settings_and_caches_are_read(go_home, tmp_path):
    user_variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "GOMODCACHE": str(tmp_path / "mod"),
        "GOPROXY": "https://mirror.example.org",
        "GOFLAGS": "-tags=more",
    }
    (tmp_path / "home").mkdir()
    _module(tmp_path / "tree", m_dot_go="package m\n")
    environment = dict(lab(tmp_path / "tree", go_home, user_variables).project.environment)

    assert environment["GOPROXY"] == (
        f"file://{tmp_path}/mod/cache/download,https://mirror.example.org"
    )
    assert environment["GOFLAGS"] == "-tags=more -modcacherw"
    assert list((tmp_path / "home").iterdir()) == []
    assert not (tmp_path / "mod").exists()
