"""Go trees made ready without touching anything of the user's."""

import os
from pathlib import Path

import pytest
from gobench_making import lab

from auditor.core.errors import BuildFailed, ResolveFailed, SubjectError, ToolMissing
from auditor.core.jobs import Completed
from auditor.core.outcome import Counted
from runners.gobench import toolchain

pytestmark = pytest.mark.subject

_TEST = 'package {0}\n\nimport "testing"\n\nfunc BenchmarkF(b *testing.B) {{\n{1}\n}}\n'


def _write(tree, **files):
    for name, content in files.items():
        path = tree / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tree


def _module(tree, name="m", **files):
    return _write(tree, go_DOT_mod=f"module example.org/{name}\n", **files)


_LOOP = "\tfor i := 0; i < b.N; i++ {\n\t\tF()\n\t}"


def test_a_workspace_has_the_packages_of_all_its_modules(go_home, tmp_path):
    _module(tmp_path / "a", "a", a_DOT_go="package a\n\nfunc F() int { return 1 }\n")
    _module(
        tmp_path / "b",
        "b",
        b_DOT_go='package b\n\nimport "example.org/a"\n\nfunc F() int { return a.F() }\n',
        b_test_DOT_go=_TEST.format("b", _LOOP),
    )
    _write(tmp_path, go_DOT_work="go 1.20\n\nuse ./a\n\nuse ./b\n")
    found = lab(tmp_path, go_home, os.environ)
    counted = found.counted("BenchmarkF", 21)

    assert set(found.methods) == {"example.org/a.F", "example.org/b.F"}
    assert isinstance(counted, Counted)
    assert dict(counted.windows[1].calls) == {"example.org/a.F": 21, "example.org/b.F": 21}


def test_vendored_dependencies_need_no_network(go_home, tmp_path):
    _write(
        tmp_path,
        go_DOT_mod="module example.org/m\n\ngo 1.20\n\nrequire example.org/dep v1.0.0\n",
        vendor__modules_DOT_txt="# example.org/dep v1.0.0\n## explicit\nexample.org/dep\n",
        vendor__example_DOT_org__dep__dep_DOT_go="package dep\n\nfunc G() int { return 2 }\n",
        m_DOT_go='package m\n\nimport "example.org/dep"\n\nfunc F() int { return dep.G() }\n',
        m_test_DOT_go=_TEST.format("m", _LOOP),
    )
    found = lab(tmp_path, go_home, {**os.environ, "GOPROXY": "off"})

    assert list(found.methods) == ["example.org/m.F"]
    assert isinstance(found.counted("BenchmarkF", 21), Counted)


def test_build_tags_choose_the_sources(go_home, tmp_path):
    _module(
        tmp_path,
        m_DOT_go="package m\n\nfunc F() int { return 1 }\n",
        more_DOT_go="//go:build more\n\npackage m\n\nfunc More() {}\n",
        m_test_DOT_go=_TEST.format("m", _LOOP),
    )
    plain, tagged = (
        lab(tmp_path, go_home, os.environ),
        lab(tmp_path, go_home, os.environ, tags="more"),
    )

    assert set(tagged.methods) - set(plain.methods) == {"example.org/m.More"}
    assert plain.project.digest != tagged.project.digest


def test_a_suite_that_does_not_compile_is_the_subjects_fault(go_home, tmp_path):
    _module(tmp_path, m_DOT_go="package m\n", m_test_DOT_go=_TEST.format("m", "\tnonsense"))

    with pytest.raises(BuildFailed, match="undefined: nonsense"):
        lab(tmp_path, go_home, os.environ)


def test_a_dependency_that_cannot_be_had_is_said_in_one_line(go_home, tmp_path):
    _write(
        tmp_path,
        go_DOT_mod="module example.org/m\n\nrequire example.org/none v1.0.0\n",
        m_DOT_go='package m\n\nimport _ "example.org/none"\n',
    )

    with pytest.raises(ResolveFailed, match=r"example\.org/none"):
        lab(tmp_path, go_home, {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod"})


def test_a_folder_without_a_module_is_no_subject(go_home, tmp_path):
    with pytest.raises(SubjectError, match=r"no go\.mod"):
        lab(tmp_path, go_home, os.environ)


def test_without_go_the_tool_is_missing(go_home, tmp_path):
    with pytest.raises(ToolMissing, match="go"):
        lab(_module(tmp_path), go_home, {**os.environ, "PATH": "/nowhere"})


def test_an_old_go_is_refused(tmp_path):
    class OldGo:
        """A machine whose Go is from before sub-benchmarks could be skipped."""

        def run(self, job):
            return Completed(exit_code=0, stdout=b'{"GOVERSION": "go1.19.2"}')

    with pytest.raises(ToolMissing, match=r"go1\.19\.2 is too old"):
        toolchain.settings(OldGo(), {}, tmp_path)


def test_all_that_go_writes_is_in_folders_of_ours(ring, go_home):
    environment = dict(ring.project.environment)

    for name in ("GOCACHE", "GOMODCACHE", "GOPATH", "GOTMPDIR", "XDG_CONFIG_HOME"):
        assert Path(environment[name]).is_relative_to(go_home.root)


def test_the_users_settings_and_caches_are_read(go_home, tmp_path):
    mine = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "GOMODCACHE": str(tmp_path / "mod"),
        "GOPROXY": "https://mirror.example.org",
        "GOFLAGS": "-tags=more",
    }
    (tmp_path / "home").mkdir()
    _module(tmp_path / "tree", m_DOT_go="package m\n")
    environment = dict(lab(tmp_path / "tree", go_home, mine).project.environment)

    assert environment["GOPROXY"] == (
        f"file://{tmp_path}/mod/cache/download,https://mirror.example.org"
    )
    assert environment["GOFLAGS"] == "-tags=more -modcacherw"
    assert list((tmp_path / "home").iterdir()) == []
    assert not (tmp_path / "mod").exists()
