"""Which change of a Go tree makes a benchmark's program, or what it may read, another one."""

import os

import pytest

from auditor.core.subject import Method, Span
from runners.gobench.closures import settings_lines
from runners.gobench.project import prepare_project
from runners.gobench.readable import CopiedTree, read_hints
from runners.hosts.local import LocalHost

_TEST = """package {0}_test

import (
	"testing"

	"example.org/m/{0}"
)

func BenchmarkF(b *testing.B) {{
	for i := 0; i < b.N; i++ {{
		{0}.F()
	}}
}}
"""
FILES = {
    "go.mod": "module example.org/m\n\ngo 1.21\n",
    "README.md": "hello\n",
    "Makefile": "all:\n",
    "base/base.go": "package base\n\nfunc F() int { return 1 }\n",
    "base/base_test.go": _TEST.format("base"),
    "left/left.go": (
        'package left\n\nimport (\n\t_ "embed"\n\n\t"example.org/m/base"\n)\n\n'
        "//go:embed words.txt\nvar words string\n\n"
        "func F() int { return base.F() + len(words) }\n"
    ),
    "left/words.txt": "one\n",
    "left/left_test.go": _TEST.format("left"),
    "right/right.go": "package right\n\nfunc F() int { return 2 }\n",
    "right/right_windows.go": "package right\n\nfunc G() int { return 2 }\n",
    "right/tagged.go": "//go:build special\n\npackage right\n\nfunc H() int { return 2 }\n",
    "right/testdata/in.json": "{}\n",
    "right/testdata/sample.go": "package sample\n",
    "right/right_test.go": _TEST.format("right"),
    "spare/spare.go": "package spare\n\nfunc F() int { return 3 }\n",
}
PLAIN = "package left\n\nfunc F() int { return 1 }\n"
ALL = {"base", "left", "right"}


@pytest.fixture
def digests(go_home, tmp_path):
    """Return what makes a project of the files above, with changes, and tells the digests."""

    def compute_digests(changes=(), tags="", **environment):
        project = _project(go_home, tmp_path, FILES | dict(changes), tags, environment)
        unit_digests = {
            unit.rpartition("/")[2]: closure.digest for unit, closure in project.closures
        }
        return unit_digests | {"whole": project.content}

    return compute_digests


def _project(go_home, folder, files, tags="", environment=()):
    tree = folder / f"tree-{len(list(folder.iterdir()))}"
    for name, text in files.items():
        if text is not None:
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return prepare_project(
        tree,
        name=None,
        revision="r",
        home=go_home,
        host=LocalHost(),
        environment=os.environ | dict(environment),
        options={"tags": tags} if tags else {},
    )


def _changed(before, after):
    return {name for name in before if before[name] != after[name]}


def _more(name, text="\n// more\n"):
    return {name: FILES.get(name, "") + text}


@pytest.mark.subject
def test_a_tree_in_another_folder_is_the_same(digests):
    assert digests() == digests()


@pytest.mark.subject
@pytest.mark.parametrize(
    ("changes", "affected_units"),
    [
        (_more("right/right.go"), {"right"}),
        (_more("right/right_test.go"), {"right"}),
        (_more("base/base.go"), {"base", "left"}),
        (_more("base/base_test.go"), {"base"}),
        (_more("left/words.txt"), ALL),
        (_more("right/testdata/in.json"), ALL),
        (_more("right/testdata/sample.go"), ALL),
        (_more("left/new.txt"), ALL),
        ({"left/words.txt": None, "left/left.go": PLAIN}, ALL),
        (_more("right/new.go", "package right\n"), {"right"}),
        (_more("spare/spare.go"), set()),
        (_more("right/right_windows.go"), set()),
        (_more("right/tagged.go"), set()),
        (_more("README.md"), set()),
        (_more("Makefile"), set()),
        (_more(".github/workflows/ci.yml", "on: push\n"), set()),
        (_more("go.mod", "// a comment\n"), set()),
        (_more("go.mod", "godebug panicnil=1\n"), ALL),
        ({"go.mod": FILES["go.mod"].replace("1.21", "1.20")}, ALL),
    ],
)
def test_a_change_matters_to_those_that_are_built_of_it_or_may_read_it(
    digests, changes, affected_units
):
    result = _changed(digests(), digests(changes))

    assert result - {"whole"} == affected_units
    assert ("whole" in result) == bool(affected_units or "spare/spare.go" in changes)


@pytest.mark.subject
@pytest.mark.parametrize(
    "setting",
    [{"tags": "special"}, {"GOGC": "off"}, {"GOFLAGS": "-trimpath"}, {"CGO_ENABLED": "0"}],
)
def test_what_decides_the_build_or_the_run_matters_to_all(digests, setting):
    assert _changed(digests(), digests(**setting)) == {*ALL, "whole"}


@pytest.mark.subject
@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ('const page = "../README.md"', _more("README.md")),
        ('const source = "../right/right.go"', _more("right/right.go")),
        ('import "path/filepath"\n\nvar all, _ = filepath.Glob("../*")', _more("README.md")),
        ('import "os"\n\nvar all, _ = os.ReadDir("../right")', _more("right/right.go")),
        ('import _ "embed"\n\n//go:embed README.md\nvar own string', _more("left/README.md", "b")),
    ],
)
def test_what_a_program_names_or_can_list_counts_for_it_as_well(digests, code, changes):
    left_files = {"left/more.go": f"package left\n\n{code}\n", "left/README.md": "a"}

    result = _changed(digests(left_files), digests(left_files | changes))

    assert "left" in result
    assert "base" not in result


@pytest.mark.subject
@pytest.mark.parametrize(
    ("path", "affected_units"), [("", {"base"}), ('\nconst top = ".."\n', {"base", "left"})]
)
def test_what_only_another_package_can_list_counts_where_a_path_leads_up(
    digests, path, affected_units
):
    walks = {
        "base/base.go": 'package base\n\nimport "os"\n\n'
        'func F() int {\n\tfound, _ := os.ReadDir("..")\n\treturn len(found)\n}\n'
    }

    walks |= {"left/more.go": f"package left\n{path}"}

    first_digests = digests(walks)

    assert (
        _changed(first_digests, digests(walks | _more("README.md"))) - {"whole"} == affected_units
    )
    assert (
        _changed(first_digests, digests(walks | _more("spare/spare.go"))) - {"whole"}
        == affected_units
    )


@pytest.mark.subject
def test_another_version_of_a_dependency_matters_to_those_that_need_it(digests):
    def with_version(number):
        needed = 'package left\n\nimport "example.org/dep"\n\nfunc F() int { return dep.F() }\n'
        return {
            "go.mod": FILES["go.mod"] + "\nrequire example.org/dep v1.0.0\n"
            f"\nreplace example.org/dep => ./dep{number}\n",
            "left/left.go": needed,
            **{
                name: text
                for version in (1, 2)
                for name, text in {
                    f"dep{version}/go.mod": "module example.org/dep\n",
                    f"dep{version}/dep.go": f"package dep\n\nfunc F() int {{ return {version} }}\n",
                }.items()
            },
        }

    result = _changed(digests(with_version(1)), digests(with_version(2)))

    assert result == {"left", "whole"}


@pytest.mark.subject
def test_a_program_holds_what_is_compiled_into_it(go_home, tmp_path):
    closure = _project(go_home, tmp_path, FILES).find_group_inputs("example.org/m/left")

    assert closure.files == {
        "base/base.go", "left/left.go", "left/left_test.go", "left/words.txt"
    }  # fmt: skip
    assert closure.may_contain(_method("base/base.go"))
    assert not closure.may_contain(_method("right/right.go"))


def _method(file):
    return Method(language="go", id="F", owner="m", name="F", parameters=(), span=Span(file, 1, 1))


@pytest.mark.subject
def test_a_package_that_needs_a_broken_one_is_told_by_everything(go_home, tmp_path):
    broken = {"base/base.go": 'package base\n\nimport "example.org/m/gone"\n'}
    project = _project(go_home, tmp_path, FILES | broken)

    assert dict(project.closures).keys() == {"example.org/m/right"}
    assert project.find_group_inputs("example.org/m/left").digest == project.digest


def test_lines_that_choose_dependencies_decide_nothing_by_themselves():
    text = (
        "module m // a\n\ngo 1.22\n\ntoolchain go1.23.1\nrequire (\n\ta v1.0.0\n)\n"
        "godebug (\n\tdefault=go1.21 // b\n)\nreplace a => b v1.0.0\nfuture x\n"
    )

    assert list(settings_lines(text)) == [
        "go 1.22", "toolchain go1.23.1", "godebug default=go1.21", "future x"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (b'import "os"\nvar a, _ = os.ReadFile("x")', False),
        (b'import "os"\nvar a, _ = os.ReadDir(".")', True),
        (b'import "os/exec"', True),
        (b'import "C"', True),
        (b'var a = "C"', False),
        (b'import "example.org/walk"\nvar a = chi.Walk(r)', False),
        (b'import "path/filepath"\nvar a = filepath.Join("a")', False),
        (b'import fp "path/filepath"\nvar a = fp.WalkDir("a", f)', True),
    ],
)
def test_code_that_can_list_a_folder_is_known_by_its_imports_and_names(text, lists):
    assert read_hints(text).lists == lists


def test_data_is_whatever_is_no_code_and_no_text_for_people(tmp_path):
    files = ("a.go", "a.txt", "LICENSE", "x/README", "x/testdata/README", "odd name.go", "_x/a.go")
    (tmp_path / "a.go").write_text("package a\n")
    tree = CopiedTree(tmp_path, dict.fromkeys(files, "1"))

    assert list(tree.list_readable_files(frozenset(["a.go"]))) == [
        "_x/a.go", "a.txt", "odd name.go", "x/testdata/README"
    ]  # fmt: skip


def test_where_a_link_leads_counts_as_data(tmp_path):
    tree = CopiedTree(tmp_path, {"b/l": "link b/l\0../docs", "docs/README": "1", "x/README": "1"})

    assert list(tree.list_readable_files(frozenset())) == ["b/l", "docs/README"]
