"""Benchmarks in a Go module of their own: which module is run, and which one is audited."""

import json
import os
import shutil
import subprocess
import zipfile
from dataclasses import replace

import pytest
from gobench_making import lab
from growth import growth

from auditor.core.outcome import Counted
from runners.gobench.harness import GoBench
from runners.gobench.project import NO_WORKSPACE, choose_modules, prepare_project
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.subjects.gopath import GENERATED_HEADER

LIBRARY = "package cut\n\nfunc Cut(n int) int { return n / 2 }\n"
HELPER = "package bench\n\nfunc Sizes() int { return 8 }\n"
BENCHMARK = """package bench

import (
	"testing"

	"example.org/cut"
)

func BenchmarkCut(b *testing.B) {
	for i := 0; i < b.N; i++ {
		cut.Cut(Sizes())
	}
}
"""
NESTED = """module example.org/cut/benchmarks

go 1.21

require example.org/cut v0.0.0

replace example.org/cut => {}
"""
WITH_DEPENDENCY = """module example.org/cut

go 1.21

require example.net/dep v1.0.0
"""
SECOND = "package cut\n\nfunc Other() int { return 1 }\n"
OWN_TEST = """package cut

import (
	"testing"

	"example.net/dep"
)

func TestCut(t *testing.T) {
	for range [3]int{} {
		Cut(dep.Size())
	}
	Other()
}

func BenchmarkOther(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Other()
	}
}
"""
EMPTY_BENCHMARK = 'package m\n\nimport "testing"\n\nfunc BenchmarkOwn(b *testing.B) {}\n'


def write(tree, files):
    for name, content in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content)
    return tree


def benchmark_module(tree, folder="benchmarks", replaced="../"):
    return write(
        tree,
        {
            f"{folder}/go.mod": NESTED.format(replaced),
            f"{folder}/helper.go": HELPER,
            f"{folder}/cut_test.go": BENCHMARK,
        },
    )


def library(tree, **more):
    module = {"go.mod": "module example.org/cut\n\ngo 1.21\n", "cut.go": LIBRARY}
    return write(tree, module | more)


@pytest.mark.subject
@pytest.mark.parametrize("inside", [".", "benchmarks"])
def test_the_library_around_a_benchmark_module_is_audited(go_home, tmp_path, inside):
    tree = benchmark_module(library(tmp_path / "cut"))

    result = lab(tree / inside, go_home, os.environ, top=tree)
    counted = result.counted("BenchmarkCut", 21)

    assert set(result.methods) == {"example.org/cut.Cut"}
    assert isinstance(counted, Counted)
    assert dict(counted.windows[1].calls) == {"example.org/cut.Cut": 21}
    assert (result.project.notes == ()) == (inside == "benchmarks")


@pytest.mark.subject
def test_tests_of_the_library_run_in_its_own_module_and_hold_no_benchmark_of_the_suite(
    go_home, tmp_path
):
    proxy, folder = tmp_path / "proxy", tmp_path / "cut"
    published(proxy, "example.net/dep", "v1.0.0", "package dep\n\nfunc Size() int { return 3 }\n")
    environment = {**os.environ, "GOPROXY": proxy.as_uri(), "GOSUMDB": "off", "GOFLAGS": ""}
    tree = benchmark_module(library(folder, **{"cut_test.go": OWN_TEST, "other.go": SECOND}))
    write(tree, {"go.mod": WITH_DEPENDENCY})
    own_cache = {"GOMODCACHE": str(tmp_path / "mod"), "GOFLAGS": "-modcacherw"}
    subprocess.run(("go", "mod", "tidy"), cwd=tree, env=environment | own_cache, check=True)

    result = lab(tree / "benchmarks", go_home, environment, top=tree)
    parts = GoBench().list_test_parts(result.suite.sources)
    shutil.rmtree(proxy)  # what is needed has been fetched before
    counted = result.called_by_tests("example.org/cut")

    assert [benchmark.name for benchmark in result.suite.benchmarks] == ["BenchmarkCut"]
    assert parts == ["example.org/cut", "example.org/cut/benchmarks"]
    assert isinstance(counted, Counted), counted
    calls = {"example.org/cut.Cut": 3, "example.org/cut.Other": 1}
    assert dict(counted.windows[0].calls) == calls


@pytest.mark.subject
def test_the_library_beside_a_benchmark_module_is_audited(go_home, tmp_path):
    library(tmp_path / "lib")
    benchmark_module(tmp_path, "bench", "../lib")

    result = lab(tmp_path / "bench", go_home, os.environ, top=tmp_path)

    assert set(result.methods) == {"example.org/cut.Cut"}
    assert isinstance(result.counted("BenchmarkCut", 21), Counted)


@pytest.mark.subject
def test_a_vendored_workspace_is_built_as_it_is(go_home, tmp_path):
    write(
        benchmark_module(library(tmp_path / "cut")),
        {
            "benchmarks/go.mod": "module example.org/cut/benchmarks\n\ngo 1.22\n",
            "go.work": "go 1.22\n\nuse .\n\nuse ./benchmarks\n",
            "vendor/modules.txt": "## workspace\n",
        },
    )

    result = lab(tmp_path / "cut", go_home, os.environ)

    assert set(result.methods) == {"example.org/cut.Cut"}
    assert isinstance(result.counted("BenchmarkCut", 21), Counted)


def test_the_module_with_most_benchmarks_that_uses_the_one_at_the_top_is_taken(tmp_path):
    many = EMPTY_BENCHMARK + "".join(
        f"func BenchmarkOwn{index}(b *testing.B) {{}}\n" for index in range(5)
    )
    tree = write(
        benchmark_module(library(tmp_path)),
        {"other/go.mod": "module example.org/other\n", "other/m_test.go": many},
    )

    choice = choose_modules(tree, tree)

    assert choice.benchmarks == tree / "benchmarks"
    assert (choice.libraries, choice.root) == ((tree,), tree)
    assert choice.notes == (
        "the module at the top has no benchmarks; auditing the module benchmarks (go, 1 "
        "benchmark); not audited: other (go, 6 benchmarks)",
    )


def test_benchmarks_at_the_top_are_taken_and_the_others_named(tmp_path):
    tree = benchmark_module(library(tmp_path, **{"m_test.go": EMPTY_BENCHMARK}))

    choice = choose_modules(tree, tree)

    assert (choice.benchmarks, choice.libraries) == (tree, (tree,))
    assert "benchmarks (go, 1 benchmark)" in choice.notes[0]


def test_no_other_module_is_taken_for_a_client(tmp_path):
    tree = benchmark_module(library(tmp_path))

    assert choose_modules(tree, tree, chooses=False).benchmarks == tree


def test_a_module_with_an_api_of_its_own_is_its_own_library(tmp_path):
    tree = library(tmp_path / "cut")
    plugin = {"plugin/go.mod": NESTED.format("../"), "plugin/m_test.go": BENCHMARK}
    write(tree, {**plugin, "plugin/helper.go": HELPER})

    choice = choose_modules(tree / "plugin", tree)

    assert (choice.libraries, choice.root) == ((tree / "plugin",), tree / "plugin")


def test_a_folder_that_is_not_part_of_the_copy_is_no_library(tmp_path):
    library(tmp_path / "elsewhere")
    tree = benchmark_module(tmp_path / "copy", "bench", "../../elsewhere")

    assert choose_modules(tree / "bench", tree).root == tree / "bench"


def test_a_workspace_without_the_module_is_not_its_build(tmp_path):
    tree = write(benchmark_module(library(tmp_path)), {"go.work": "go 1.21\n\nuse .\n"})

    assert choose_modules(tree / "benchmarks", tree).workspace == NO_WORKSPACE
    assert choose_modules(tree, tree, chooses=False).workspace == str(tree / "go.work")


def test_a_published_version_of_the_module_above_is_said(tmp_path):
    tree = benchmark_module(library(tmp_path), replaced="v1.2.3")

    choice = choose_modules(tree / "benchmarks", tree)

    assert choice.notes == (
        "the module benchmarks measures a published version of example.org/cut; to audit the "
        "folder above, add to its go.mod: replace example.org/cut => ..",
    )


def published(proxy, module, version, source):
    """Write a version of a module into a folder that Go takes for a proxy."""
    folder = proxy / module / "@v"
    text = f"module {module}\n\ngo 1.16\n"
    write(
        folder,
        {
            f"{version}.mod": text,
            f"{version}.info": json.dumps({"Version": version, "Time": "2024-01-01T00:00:00Z"}),
            "list": f"{version}\n",
        },
    )
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as archive:
        archive.writestr(f"{module}@{version}/go.mod", text)
        archive.writestr(f"{module}@{version}/dep.go", source)


@pytest.mark.subject
def test_a_tree_without_a_module_gets_the_newest_versions_and_keeps_them(go_home, tmp_path):
    proxy, tree = without_a_module(tmp_path)
    environment = {**os.environ, "GOPROXY": proxy.as_uri(), "GOSUMDB": "off", "GOFLAGS": ""}

    result = lab(tree, go_home, environment)
    published(proxy, "example.org/dep", "v1.3.0", "package dep\n\nfunc One() int { return 3 }\n")
    second_lab = lab(tree, go_home, environment)

    assert [benchmark.name for benchmark in result.suite.benchmarks] == ["BenchmarkTwo"]
    assert result.project.notes[-1].endswith("requires the newest versions: example.org/dep v1.2.0")
    assert second_lab.project.digest == result.project.digest
    assert second_lab.project.notes == result.project.notes
    assert "require" not in (tree / "go.mod").read_text()


def without_a_module(folder):
    """Make a proxy with a module, and a tree that needs it, whose go.mod is one of ours."""
    proxy = folder / "proxy"
    published(proxy, "example.org/dep", "v1.2.0", "package dep\n\nfunc One() int { return 1 }\n")
    return proxy, write(
        folder / "old",
        {
            "go.mod": f"{GENERATED_HEADER}\n\nmodule example.org/old\n\ngo 1.16\n",
            "old.go": 'package old\n\nimport "example.org/dep"\n\n'
            "func Two() int { return dep.One() + 1 }\n",
            "old_test.go": 'package old\n\nimport "testing"\n\n'
            "func BenchmarkTwo(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tTwo()\n\t}\n}\n",
        },
    )


def prepared(tmp_path, home, host, flags=""):
    proxy, tree = without_a_module(tmp_path)
    environment = {**os.environ, "GOPROXY": proxy.as_uri(), "GOSUMDB": "off", "GOFLAGS": flags}
    return prepare_project(
        tree, name=None, revision="", home=home, host=host, environment=environment, options={}
    )


@pytest.mark.subject
def test_blanks_and_quotes_in_the_path_of_our_folder_and_in_the_users_flags_stay(tmp_path):
    home = HomeFolder(tmp_path / "a user's home")

    project = prepared(tmp_path, home, LocalHost(), "'-ldflags=-s -w'")

    assert project.notes[-1].endswith("requires the newest versions: example.org/dep v1.2.0")


class FailingTidy(LocalHost):
    """A machine whose `go mod tidy` is called wrongly."""

    def run_process(self, job):
        return super().run_process(
            replace(job, argv=(*job.argv, "x")) if "tidy" in job.argv else job
        )


@pytest.mark.subject
def test_why_no_versions_could_be_chosen_is_said(tmp_path):
    project = prepared(tmp_path, HomeFolder(tmp_path / "home"), FailingTidy())

    assert "`go mod tidy` failed: go: 'go mod tidy' accepts no arguments" in project.notes[-1]


def test_links_that_lead_nowhere_are_no_sources(tmp_path):
    files = {"other/go.mod": "module example.org/other\n", "other/m_test.go": EMPTY_BENCHMARK}
    tree = write(library(tmp_path), files)
    for folder in (tree, tree / "other"):
        (folder / "a.go").symlink_to("missing.go")

    assert choose_modules(tree, tree).benchmarks == tree / "other"


def test_the_time_grows_with_the_size_of_a_source_not_with_its_square(tmp_path):
    tree = benchmark_module(library(tmp_path), "loads", "../")

    def choose(size):
        write(tree, {"loads/helper.go": "package bench\n" + "func (\n" * size})
        choose_modules(tree / "loads", tree)

    assert growth(choose, 4_000, 32_000) < 24
