import os

import pytest
from fake_host import FakeHost
from subject_trees import committed, everything, git, make, names

from auditor.core.errors import SubjectError, UsageError
from auditor.core.request import FolderSpec, MavenSpec
from runners.home import HomeFolder
from runners.subjects.missing_files import describe_missing_files
from runners.subjects.place import place_subject
from runners.subjects.placed import KINDS, detect_kind, is_of_kind
from runners.subjects.tree_entries import list_changed_files

GO = "module example.org/ring\n\ngo 1.21\n"


def refuse(job):
    raise AssertionError(f"nothing should be run: {job}")


def placed(spec, tmp_path):
    return place_subject(
        spec, home=HomeFolder(tmp_path / "home"), host=FakeHost(refuse), environment=()
    )


def test_the_harness_is_known_by_the_project_file(tmp_path):
    assert detect_kind(make(tmp_path / "a", go_dot_mod=GO)) == "go"
    assert detect_kind(make(tmp_path / "b", go_dot_work="go 1.21\n")) == "go"
    assert detect_kind(make(tmp_path / "c", pom_dot_xml="<project/>")) == "jmh"
    assert detect_kind(make(tmp_path / "d", README="hello")) is None


def test_a_plain_folder_is_copied_without_what_builds_made(tmp_path):
    folder = make(
        tmp_path / "ring",
        pom_dot_xml="<project/>",
        src__A_dot_java="class A {}",
        target__A_dot_class="x",
        _dot_git_ignored="kept",
    )
    make(folder, node_modules__x="x", env311__pyvenv_dot_cfg="home = /usr", env311__a_dot_py="")

    tree = placed(FolderSpec(folder), tmp_path).tree

    assert names(tree) == {"pom.xml", "src/A.java", ".git_ignored"}


def test_a_folder_called_target_is_kept_where_nothing_builds_into_it(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, target__target_dot_go="package target\n")

    assert "target/target.go" in names(placed(FolderSpec(folder), tmp_path).tree)


def test_uncommitted_and_new_files_are_part_of_the_subject_and_ignored_ones_are_not(tmp_path):
    folder = committed(
        tmp_path / "ring", go_dot_mod=GO, a_dot_go="package ring\n", b_dot_go="package ring\n"
    )
    make(folder, _dot_gitignore="*.log\n", new_dot_go="package ring // new\n", x_dot_log="noise")
    make(folder, a_dot_go="package ring // changed\n")
    (folder / "b.go").unlink()

    tree = placed(FolderSpec(folder), tmp_path).tree

    assert names(tree) == {".gitignore", "go.mod", "a.go", "new.go"}
    assert (tree / "a.go").read_text() == "package ring // changed\n"


def test_nothing_of_the_users_is_written_to(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, a_dot_go="package ring\n")
    # An index that does not know the file's new time: `git status` would write it anew.
    os.utime(folder / "a.go", (1, 1))
    before = everything(folder)

    placed(FolderSpec(folder), tmp_path)

    assert everything(folder) == before


def test_a_folder_that_its_repository_ignores_is_copied_by_itself(tmp_path):
    top = committed(tmp_path / "top", go_dot_mod=GO, _dot_gitignore="/drafts/\n")
    lib = make(top / "drafts" / "lib", go_dot_mod=GO, a_dot_go="package lib\n")
    make(lib, __pycache____a_dot_pyc="x")

    assert names(placed(FolderSpec(lib), tmp_path).tree) == {"go.mod", "a.go"}
    assert describe_missing_files(FolderSpec(lib)) == ""


def test_ignored_build_files_are_named(tmp_path):
    folder = committed(tmp_path / "ring", a_dot_txt="", _dot_gitignore="pom.xml\n")
    make(folder, pom_dot_xml="<project/>")

    with pytest.raises(SubjectError, match="git ignores the build files of"):
        placed(FolderSpec(folder), tmp_path)


def test_a_repositorys_own_settings_run_no_program(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, _dot_gitattributes="* filter=evil\n")
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "core.sshCommand"):
        git(folder, "config", key, str(script))
    make(folder, new_dot_go="package ring\n")

    placed(FolderSpec(folder), tmp_path)

    assert not (tmp_path / "ran").exists()


def test_a_project_of_another_language_around_it_is_none_of_its_build(tmp_path):
    inner = make(tmp_path / "top" / "ring", go_dot_mod=GO, a_dot_go="package ring\n")
    make(tmp_path / "top", pyproject_dot_toml="", other_dot_py="x = 1\n")

    result = placed(FolderSpec(inner), tmp_path)

    assert result.root == result.tree
    assert names(result.tree) == {"go.mod", "a.go"}


def test_the_workspace_around_the_suite_that_is_audited_is_copied(tmp_path):
    top = committed(
        tmp_path / "repository",
        pyproject_dot_toml="",
        ring__go_dot_mod=GO,
        ring__pyproject_dot_toml="",
        ring__test_a_dot_py="def test_a(benchmark): pass\n",
    )

    subject = placed(FolderSpec(top / "ring"), tmp_path)

    assert subject.tree == subject.root / "ring"


def test_a_folder_may_be_of_several_kinds(tmp_path):
    folder = make(tmp_path, go_dot_mod=GO, pyproject_dot_toml="")

    assert [is_of_kind(folder, kind) for kind in KINDS] == [True, False, True]
    assert is_of_kind(make(tmp_path / "plain", ring_dot_go="package ring\n"), "go")


def test_equal_content_is_placed_once_and_changed_content_anew(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, a_dot_go="package ring\n")

    first, second = (placed(FolderSpec(folder), tmp_path) for _ in range(2))
    make(folder, a_dot_go="package ring // changed\n")
    third = placed(FolderSpec(folder), tmp_path)

    assert first == second
    assert third.digest_of_tree != first.digest_of_tree
    assert third.tree != first.tree


def test_a_copy_that_a_benchmark_has_spoilt_is_made_anew(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, a_dot_go="package ring\n")
    first = placed(FolderSpec(folder), tmp_path)
    (first.tree / "a.go").write_text("spoilt")

    second = placed(FolderSpec(folder), tmp_path)

    assert second == first
    assert (second.tree / "a.go").read_text() == "package ring\n"


def test_files_of_the_copy_that_have_changed_are_told(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, a="a", b="b", c="c", d="d", e="e")
    (folder / "link").symlink_to("a")
    (folder / "other").symlink_to("a")
    subject = placed(FolderSpec(folder), tmp_path)

    assert list_changed_files(subject) == []

    make(subject.root, a="A", new="beside it")
    (subject.root / "b").chmod(0o755)
    (subject.root / "c").unlink()
    (subject.root / "d").unlink()
    (subject.root / "d").mkdir()
    (subject.root / "link").unlink()
    (subject.root / "link").symlink_to("b")

    assert sorted(list_changed_files(subject)) == ["a", "b", "c", "d", "link"]


def test_an_executable_file_stays_one_and_makes_another_digest(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, run="#!/bin/sh\n")
    plain = placed(FolderSpec(folder), tmp_path)
    (folder / "run").chmod(0o755)

    runnable = placed(FolderSpec(folder), tmp_path)

    assert os.access(runnable.tree / "run", os.X_OK)
    assert runnable.digest_of_tree != plain.digest_of_tree


def test_what_only_looks_like_a_result_is_kept_as_a_link_is(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, their_dot_json='{"schema": "other/1"}')
    (folder / "link.json").symlink_to("their.json")

    assert names(placed(FolderSpec(folder), tmp_path).tree) == {"go.mod", "their.json", "link.json"}


def test_a_configuration_and_results_of_ours_make_no_other_subject(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, a_dot_json='{"budget": "8m"}')
    spec = FolderSpec(folder, configuration=folder / "a.json")
    before = placed(spec, tmp_path)
    make(
        folder,
        a_dot_json='{"budget": "9m"}',
        last_dot_json='{\n "schema": "bench-audit/abs/1",\n "subject": "ring"}',
        page_dot_html='<head>\n<meta name="generator" content="bench-audit">',
    )
    for name in ("bench-audit.json", ".bench-audit.toml", "bench-audit-nightly.yaml"):
        (folder / name).write_text("of another audit")

    assert placed(spec, tmp_path) == before
    assert names(before.tree) == {"go.mod"}
    make(folder, other_dot_json='{"name": "bench-audit/abs/1"}', their_dot_html="<head>")
    (folder / "bench-audited.json").write_text("theirs")
    foreign_files = {"other.json", "their.html", "bench-audited.json"}
    assert names(placed(spec, tmp_path).tree) == {"go.mod", *foreign_files}


def test_links_that_leave_the_tree_bring_nothing_into_the_copy(tmp_path):
    make(tmp_path / "outside", data="theirs")
    folder = make(tmp_path / "ring", go_dot_mod=GO, data="ours")
    (folder / "inside").symlink_to("data")
    (folder / "absolute").symlink_to(folder / "data")
    (folder / "leaving").symlink_to(tmp_path / "outside" / "data")
    (folder / "folder").symlink_to("../outside")
    (folder / "environment").symlink_to("/proc/self/environ")
    (folder / "processes").symlink_to("/proc/self")
    (folder / "broken").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe")

    tree = placed(FolderSpec(folder), tmp_path).tree

    assert names(tree) == {"go.mod", "data", "inside", "absolute"}
    assert (tree / "absolute").resolve() == (tree / "data").resolve()


def test_links_to_the_rest_of_the_repository_become_files_but_not_its_git_folder(tmp_path):
    make(tmp_path / "outside", data="theirs")
    top = committed(
        tmp_path / "repository", ring__go_dot_mod=GO, shared__data="ours", linked__data="tracked"
    )
    ring = top / "ring"
    (ring / "data").symlink_to("../shared/data")
    (ring / "folder").symlink_to("../shared")
    (ring / "config").symlink_to("../.git/config")
    (ring / "outside").symlink_to("../../outside")

    subject = placed(FolderSpec(ring), tmp_path)

    assert names(subject.tree) == {"go.mod", "data", "folder/data"}
    assert (subject.tree / "data").read_text() == "ours"
    assert not (subject.tree / "data").is_symlink()


def test_a_tracked_folder_that_is_a_link_now_is_not_read_through(tmp_path):
    make(tmp_path / "outside", data="theirs")
    top = committed(tmp_path / "ring", go_dot_mod=GO, deep__data="ours")
    (top / "deep" / "data").unlink()
    (top / "deep").rmdir()
    (top / "deep").symlink_to("../outside")

    assert names(placed(FolderSpec(top), tmp_path).tree) == {"go.mod"}


def test_a_folder_like_a_bare_repository_does_not_decide_what_is_copied(tmp_path):
    """Its configuration names a work tree above the clone."""
    victim = committed(
        tmp_path / "victim", private__key="theirs", clone__bench__go_dot_mod=f"{GO}// ../y\n"
    )
    bench = victim / "clone" / "bench"
    git(victim, "init", "--quiet", "--bare", str(bench))
    make(bench, config="[core]\nbare = false\nrepositoryformatversion = 0\nworktree = ../../..\n")
    (victim / ".git").rename(victim / "clone" / ".git")

    with pytest.raises(SubjectError, match=r"git cannot read the repository of .*bench"):
        placed(FolderSpec(bench), tmp_path)


def test_a_repository_whose_work_tree_lies_elsewhere_is_one_line(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    make(tmp_path / "elsewhere", data="theirs")
    git(folder, "config", "core.worktree", str(tmp_path / "elsewhere"))

    with pytest.raises(SubjectError, match=r"another work tree, .*elsewhere; remove core.worktree"):
        placed(FolderSpec(folder), tmp_path)


def test_a_subject_inside_a_workspace_is_copied_with_it(tmp_path):
    top = committed(
        tmp_path / "repository",
        README="hello",
        work__go_dot_work="go 1.21\nuse ./ring\n",
        work__ring__go_dot_mod=GO,
    )

    subject = placed(FolderSpec(top / "work" / "ring"), tmp_path)

    assert names(subject.root) == {"go.work", "ring/go.mod"}
    assert subject.tree == subject.root / "ring"


def test_a_subject_that_names_its_neighbours_is_copied_with_the_repository(tmp_path):
    top = committed(
        tmp_path / "repository",
        other__go_dot_mod="module example.org/other\n",
        ring__go_dot_mod=f"{GO}replace example.org/other => ../other\n",
    )

    subject = placed(FolderSpec(top / "ring"), tmp_path)

    assert names(subject.root) == {"other/go.mod", "ring/go.mod"}


def test_a_change_that_no_build_sees_makes_no_new_subject(tmp_path):
    top = committed(tmp_path / "repository", README="hello", ring__go_dot_mod=GO)
    before = placed(FolderSpec(top / "ring"), tmp_path)
    make(top, README="changed")

    assert placed(FolderSpec(top / "ring"), tmp_path) == before


def test_submodules_are_copied_with_their_uncommitted_changes(tmp_path):
    inner = committed(tmp_path / "inner", data="inner")
    top = committed(tmp_path / "ring", go_dot_mod=GO)
    git(top, "submodule", "--quiet", "add", str(inner), "sub")
    make(top, sub__new="new")

    assert names(placed(FolderSpec(top), tmp_path).tree) >= {"go.mod", "sub/data", "sub/new"}


def test_our_own_folder_inside_the_subject_is_not_part_of_it(tmp_path):
    folder = committed(tmp_path, go_dot_mod=GO)

    first, second = (placed(FolderSpec(folder), tmp_path) for _ in range(2))

    assert first == second
    assert names(first.tree) == {"go.mod"}


def test_what_is_no_project_is_refused_in_one_line(tmp_path):
    make(tmp_path / "empty", README="hello")

    with pytest.raises(UsageError, match="no such folder"):
        placed(FolderSpec(tmp_path / "absent"), tmp_path)
    with pytest.raises(UsageError, match="not a folder"):
        placed(FolderSpec(tmp_path / "empty" / "README"), tmp_path)
    with pytest.raises(SubjectError, match=r"no go\.mod, .*, pyproject\.toml or setup\.py"):
        placed(FolderSpec(tmp_path / "empty"), tmp_path)


def test_a_repository_that_is_elsewhere_is_refused_in_one_line(tmp_path):
    lost = make(tmp_path / "lost", _dot_git="gitdir: /nowhere/worktrees/a\n")
    (lost / "go.mod").write_text("module a\n")

    with pytest.raises(SubjectError, match=r"git cannot read the repository of .*nowhere"):
        placed(FolderSpec(lost), tmp_path)


def test_artifacts_get_a_folder_for_each_choice_of_extras(tmp_path):
    plain = MavenSpec(group="g", artifact="a", version="1")
    more = MavenSpec(group="g", artifact="a", version="1", extra=("h:b:2",))

    first, second = placed(plain, tmp_path), placed(more, tmp_path)

    assert (first.name, first.revision) == ("g:a", "1")
    assert first.tree.is_dir()
    assert first.tree != second.tree


@pytest.mark.parametrize(
    ("replacement", "copied"),
    [
        ("../lib", {"bench/go.mod", "lib/go.mod"}),
        (
            "../../",
            {
                *("m/bench/go.mod", "go.mod", "lib.go", "m/lib/go.mod", "m/other/x.go"),
                "apart/go.mod",
            },
        ),
        ("../none", {"go.mod"}),
        ("../other", {"go.mod"}),
        ("../../apart", {"go.mod"}),
        ("/lib", {"go.mod"}),
    ],
)
def test_a_module_that_a_folder_takes_from_elsewhere_is_copied_with_it(
    tmp_path, replacement, copied
):
    replaced = f"{GO}\nreplace example.org/lib => {replacement}\n"
    folder = make(
        tmp_path / "m", bench__go_dot_mod=replaced, lib__go_dot_mod=GO, other__x_dot_go=""
    )
    make(tmp_path / "apart", go_dot_mod=GO)
    if replacement == "../../":
        make(tmp_path, go_dot_mod=GO, lib_dot_go="package lib\n")

    result = place_subject(
        FolderSpec(folder / "bench"),
        home=HomeFolder(tmp_path / "home"),
        host=FakeHost(refuse),
        environment=(),
    )

    assert (result.tree / "go.mod").read_text() == replaced
    assert names(result.root) == copied


def test_a_module_outside_of_the_repository_is_not_copied(tmp_path):
    replaced = f"{GO}\nreplace example.org/lib => ../../lib\n"
    folder = committed(tmp_path / "m", bench__go_dot_mod=replaced, _dot_gitignore="log\n")
    make(folder, log="ignored")
    make(tmp_path / "lib", go_dot_mod=GO)

    result = placed(FolderSpec(folder / "bench"), tmp_path)

    assert names(result.root) == {".gitignore", "bench/go.mod"}
