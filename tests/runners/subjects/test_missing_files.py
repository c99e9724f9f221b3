import pytest
from subject_trees import committed, make

from auditor.core.errors import BuildFailed, NoBenchmarks, NothingSelected, UsageError
from auditor.core.request import FolderSpec, GitSpec, MavenSpec
from runners.subjects.missing_files import describe_missing_files, name_missing_files

GO = "module example.org/ring\n\ngo 1.21\n"


def test_ignored_sources_are_named_and_what_tools_make_is_not(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, _dot_gitignore="*.pb.go\n*.json\nbuild/\n")
    make(folder, build__a_dot_go="x", __pycache____a_dot_pyc="x", data__a_dot_json="{}")
    make(folder, gen_dot_pb_dot_go="package ring\n")

    assert describe_missing_files(FolderSpec(folder)) == (
        "2 git-ignored files are not in the copy (gen.pb.go, data/a.json): un-ignore them, or "
        "generate them in the build"
    )
    (folder / "data" / "a.json").unlink()
    assert describe_missing_files(GitSpec(str(folder), "HEAD")) == (
        "1 git-ignored file is not in the copy (gen.pb.go): commit it, or generate it in the build"
    )


def test_a_virtual_environment_is_no_missing_file(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, _dot_gitignore="env/\n")
    make(folder, env__pyvenv_dot_cfg="", env__lib__a_dot_py="")

    assert describe_missing_files(FolderSpec(folder)) == ""


def test_nothing_is_missing_without_a_repository_or_without_a_folder(tmp_path):
    assert describe_missing_files(FolderSpec(make(tmp_path / "ring", go_dot_mod=GO))) == ""
    assert describe_missing_files(GitSpec("https://example.org/ring.git", "main")) == ""
    assert (
        describe_missing_files(MavenSpec(group="org.example", artifact="ring", version="1")) == ""
    )


def test_a_module_outside_of_the_repository_is_named(tmp_path):
    make(tmp_path / "sib", go_dot_mod="module example.org/sib\n")
    folder = committed(tmp_path / "ring", go_dot_mod=f"{GO}\nreplace example.org/sib => ../sib\n")

    assert "(../sib): move it" in describe_missing_files(FolderSpec(folder))


@pytest.mark.parametrize(
    ("failure", "is_named"),
    [
        (BuildFailed("no Gen"), True),
        (NoBenchmarks("no Gen"), True),
        (NothingSelected("no match"), False),
        (UsageError("no option"), False),
    ],
)
def test_the_message_of_a_build_or_listing_that_fails_names_ignored_files(
    failure, is_named, tmp_path
):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, _dot_gitignore="*.pb.go\n")
    make(folder, gen_dot_pb_dot_go="package ring\n")

    with (
        pytest.raises(type(failure)) as caught,
        name_missing_files(lambda: FolderSpec(folder)),
    ):
        raise failure

    assert ("(gen.pb.go): un-ignore it" in str(caught.value)) == is_named
