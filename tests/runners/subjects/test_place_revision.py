import pytest
from fake_host import FakeHost
from subject_trees import committed, everything, git, make, names

from auditor.core.errors import ResolveFailed, SubjectError, UsageError
from auditor.core.request import FolderSpec, GitSpec
from runners.home import HomeFolder
from runners.subjects.place import place_subject
from runners.subjects.repository import GitFailed, Repository

GO = "module example.org/ring\n\ngo 1.21\n"


def refuse(job):
    raise AssertionError(f"nothing should be run: {job}")


def placed(repository, revision, tmp_path):
    return place_subject(
        GitSpec(str(repository), revision),
        home=HomeFolder(tmp_path / "home"),
        host=FakeHost(refuse),
        environment=(),
    )


def test_a_revision_is_read_as_it_was_committed_and_nothing_is_written_to(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, a_dot_go="package ring\n")
    first = git(folder, "rev-parse", "HEAD")
    make(folder, a_dot_go="package ring // later\n", new_dot_go="package ring\n")
    before = everything(folder)

    subject = placed(folder, "main", tmp_path)

    assert (subject.name, subject.revision) == ("ring", first)
    assert names(subject.tree) == {"go.mod", "a.go"}
    assert (subject.tree / "a.go").read_text() == "package ring\n"
    assert everything(folder) == before


def test_a_result_of_ours_is_no_part_of_a_revision(tmp_path):
    folder = committed(
        tmp_path / "ring", go_dot_mod=GO, last_dot_json='{"schema": "bench-audit/abs/1"}'
    )

    assert names(placed(folder, "main", tmp_path).tree) == {"go.mod"}


def test_a_configuration_is_no_part_of_a_revision_nor_of_the_folder(tmp_path):
    """So the folder as it is and its last commit have the same content."""
    folder = committed(tmp_path / "ring", go_dot_mod=GO, audit_dot_json='{"subject": "."}')
    make(folder, audit_dot_json='{"subject": ".", "budget": "9m"}')
    home, path = HomeFolder(tmp_path / "home"), (folder / "audit.json").resolve()
    specs = [GitSpec(str(folder), "HEAD", path), FolderSpec(folder, path)]

    digests = {
        place_subject(spec, home=home, host=FakeHost(refuse), environment=()).digest_of_tree
        for spec in specs
    }

    assert len(digests) == 1


def test_branches_tags_abbreviations_and_expressions_name_a_revision(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    git(folder, "tag", "-m", "one", "v1")
    first = git(folder, "rev-parse", "HEAD")
    make(folder, a_dot_go="package ring\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "second")

    for revision in ("v1", first[:10], "main~1", "HEAD^"):
        assert placed(folder, revision, tmp_path).revision == first
    assert placed(folder.as_uri(), "v1", tmp_path).revision == first
    assert placed(folder.as_uri(), first[:10], tmp_path).revision == first


def test_the_last_tag_is_known_where_there_is_history(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    before = placed(folder, "main", tmp_path).tag
    git(folder, "tag", "v1.2")
    git(folder, "commit", "-qm", "second", "--allow-empty")
    git(folder, "tag", "stable")

    assert before == ""
    assert placed(folder, "main", tmp_path).tag == "v1.2"
    assert placed(folder.as_uri(), "v1.2", tmp_path).tag == "v1.2"
    common = {"home": HomeFolder(tmp_path / "home"), "host": FakeHost(refuse), "environment": ()}
    assert place_subject(FolderSpec(folder), **common).tag == "v1.2"


def test_a_commit_that_no_branch_leads_to_can_be_had(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    git(folder, "checkout", "-q", "--detach")
    git(folder, "commit", "-q", "--allow-empty", "-m", "aside")
    aside = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "main")

    assert placed(folder, aside, tmp_path).revision == aside


def test_a_bare_repository_and_a_subfolder_can_be_named(tmp_path):
    folder = committed(tmp_path / "work", inner__go_dot_mod=GO, go_dot_work="go 1.21\n")
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare.git")

    assert placed(tmp_path / "bare.git", "main", tmp_path).name == "bare"
    subject = placed(folder / "inner", "main", tmp_path)
    assert names(subject.tree) == {"go.mod"}
    assert subject.root == subject.tree.parent


def test_hooks_filters_and_settings_of_a_repository_do_not_run(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO, _dot_gitattributes="* filter=evil\n")
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    keys = (
        "core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "core.sshCommand",
        "uploadpack.packObjectsHook", "core.gitProxy", "core.askPass", "credential.helper",
    )  # fmt: skip
    for key in keys:
        git(folder, "config", key, str(script))
    for hook in ("post-checkout", "pre-auto-gc", "post-merge", "reference-transaction"):
        (folder / ".git" / "hooks" / hook).write_text(script.read_text())
        (folder / ".git" / "hooks" / hook).chmod(0o755)

    placed(folder, "main", tmp_path)

    assert not (tmp_path / "ran").exists()


def marking(folder):
    """Return a program that leaves a file `ran`, and that file."""
    script, ran = folder / "evil.sh", folder / "ran"
    script.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    script.chmod(0o755)
    return script, ran


def configured(monkeypatch, path, **settings):
    """Make these the settings of git's user; `__` in a name stands for a dot."""
    for key, value in settings.items():
        git(path.parent, "config", "--file", str(path), key.replace("__", "."), value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))


def test_hooks_that_the_user_has_for_all_repositories_do_not_run(tmp_path, monkeypatch):
    script, ran = marking(tmp_path)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    script.rename(hooks / "reference-transaction")
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    configured(monkeypatch, tmp_path / "gitconfig", core__hooksPath=str(hooks))

    placed(folder, "main", tmp_path)

    assert not ran.exists()


def test_an_address_that_stands_for_a_program_runs_none(tmp_path, monkeypatch):
    script, ran = marking(tmp_path)
    rewritten = {f"url.ext::{script}__insteadOf": "https://ring.invalid/"}
    configured(monkeypatch, tmp_path / "gitconfig", protocol__ext__allow="always", **rewritten)

    with pytest.raises(ResolveFailed, match="'ext' not allowed"):
        placed("https://ring.invalid/ring", "main", tmp_path)

    assert not ran.exists()


def test_signatures_are_not_verified_by_what_a_repository_names(tmp_path):
    script, ran = marking(tmp_path)
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    git(folder, "config", "log.showSignature", "true")
    git(folder, "config", "gpg.program", str(script))
    plain = git(folder, "cat-file", "commit", "HEAD")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    (tmp_path / "commit").write_text(plain.replace("\n\n", f"\n{signature}\n\n", 1) + "\n")
    signed = git(folder, "hash-object", "-t", "commit", "-w", str(tmp_path / "commit"))

    commits = list(Repository.from_folder(folder).list_commits(signed, 5))

    assert [commit.id for commit in commits] == [signed]
    assert not ran.exists()


def test_what_a_repository_lacks_is_not_fetched_by_a_program_that_it_names(tmp_path):
    script, ran = marking(tmp_path)
    folder = committed(tmp_path / "ring", go_dot_mod=GO)
    make(folder, go_dot_mod=f"{GO}// later\n")
    git(folder, "commit", "--quiet", "-am", "later")
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", str(tmp_path)),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", str(script)),
    ):
        git(folder, "config", key, value)
    tree = git(folder, "rev-parse", "HEAD~1^{tree}")
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()

    with pytest.raises(GitFailed):
        list(Repository.from_folder(folder).list_commits("HEAD", 5))

    assert not ran.exists()


def test_links_that_leave_the_tree_are_left_out(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, deep__data="x")
    (folder / "deep" / "inside").symlink_to("../go.mod")
    (folder / "deep" / "leaving").symlink_to("../../../etc/passwd")
    (folder / "absolute").symlink_to("/etc")
    committed(folder)

    tree = placed(folder, "main", tmp_path).tree

    assert names(tree) == {"go.mod", "deep/data", "deep/inside"}
    assert (tree / "deep" / "inside").read_text() == GO


def test_executable_files_stay_executable(tmp_path):
    folder = make(tmp_path / "ring", go_dot_mod=GO, run="#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    committed(folder)

    tree = placed(folder, "main", tmp_path).tree

    assert (tree / "run").stat().st_mode & 0o100
    assert not (tree / "go.mod").stat().st_mode & 0o100


def test_a_submodule_is_read_from_where_it_is_checked_out(tmp_path):
    inner = committed(tmp_path / "inner", data="inner")
    top = committed(tmp_path / "ring", go_dot_mod=GO)
    git(top, "submodule", "--quiet", "add", str(inner), "sub")
    git(top, "commit", "-qm", "with a submodule")
    make(inner, data="later")

    assert (placed(top, "main", tmp_path).tree / "sub" / "data").read_text() == "inner"


def test_a_submodule_cannot_name_a_folder_of_this_machine(tmp_path):
    inner = committed(tmp_path / "inner", data="inner")
    top = committed(tmp_path / "ring", go_dot_mod=GO)
    git(top, "submodule", "--quiet", "add", str(inner), "sub")
    git(top, "commit", "-qm", "with a submodule")
    git(top, "submodule", "--quiet", "deinit", "--force", "sub")

    with pytest.raises(ResolveFailed, match="the submodule sub cannot be fetched"):
        placed(top, "main", tmp_path)


def test_a_revision_that_a_shallow_clone_lacks_is_answered_with_how_to_fetch_it(tmp_path):
    origin = committed(tmp_path / "origin", go_dot_mod=GO)
    git(origin, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "shallow")

    with pytest.raises(UsageError, match=r"no revision 'HEAD~1' in .*shallow.*fetch-depth: 0"):
        placed(tmp_path / "shallow", "HEAD~1", tmp_path)
    with pytest.raises(UsageError, match=r"no revision 'HEAD~2' in (?!.*fetch-depth)"):
        placed(origin, "HEAD~2", tmp_path)


def test_an_unknown_revision_is_answered_with_near_names(tmp_path):
    folder = committed(tmp_path / "ring", go_dot_mod=GO)

    with pytest.raises(UsageError, match=r"no revision 'mian' in .*did you mean main"):
        placed(folder, "mian", tmp_path)
    with pytest.raises(UsageError, match="no revision '--help'"):
        placed(folder, "--help", tmp_path)


def test_what_is_no_repository_or_cannot_be_reached_is_said_in_one_line(tmp_path):
    with pytest.raises(UsageError, match="no git repository"):
        placed(tmp_path, "main", tmp_path)
    with pytest.raises(UsageError, match="no git repository"):
        placed("ext::sh -c true", "main", tmp_path)
    with pytest.raises(ResolveFailed, match="cannot fetch main of") as failure:
        placed("https://127.0.0.1:9/ring.git", "main", tmp_path)
    assert "\n" not in str(failure.value)


def test_a_revision_without_a_project_is_refused(tmp_path):
    folder = committed(tmp_path / "ring", README="hello")

    with pytest.raises(SubjectError, match="is not a project"):
        placed(folder, "main", tmp_path)
