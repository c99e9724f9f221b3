"""`-o`: a folder or files by their endings, also inside of the project that is audited."""

import json
import shutil
import webbrowser
from pathlib import Path

import pytest
from cli_acting import Stage

from auditor.cli.outputs import ENDINGS
from auditor.config.places import IGNORED
from runners.home import HomeFolder
from runners.subjects.folder import place_folder

SUBJECT = "go:example.org/ring@v1"


@pytest.fixture
def stage(tmp_path):
    return Stage(str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    path = tmp_path / "ring"
    path.mkdir()
    (path / "go.mod").write_text("module example.org/ring\n")
    (path / "ring.go").write_text("package ring\n")
    monkeypatch.chdir(path)
    return path


def digest(stage, tmp_path):
    """Return the digest of the subject that the last command audited: what the store goes by."""
    return place_folder(stage.opened[-1][0].subject, HomeFolder(tmp_path / "copies")).digest_of_tree


def test_a_file_of_each_ending_is_written_and_named(stage, tmp_path, capsys):
    files = [tmp_path / f"r{ending}" for ending in ENDINGS]

    words = [word for file in files for word in ("-o", str(file))]
    assert stage.call("abs", SUBJECT, *words, "-o", str(tmp_path / "out")) == 0

    errors = capsys.readouterr().err
    assert all(f"written: {file}\n" in errors for file in files)
    as_json, page, text, table, sarif = (file.read_text() for file in files)
    assert as_json == (tmp_path / "out/result.json").read_text()
    assert page == (tmp_path / "out/report.html").read_text()
    assert text.startswith("#")
    assert table.startswith("method,benchmark,")
    assert json.loads(sarif)["version"] == "2.1.0"


def test_files_alone_leave_the_folder_where_it_was(stage, tmp_path):
    stage.call("stability", SUBJECT, "-o", str(tmp_path / "r.html"))

    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    assert stage.opened[-1][1].output.is_relative_to(tmp_path / "home/.local/state")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "r.txt"), "r.txt is a file; -o takes a folder, or a file that ends in .json .html"),
        (("-o", "a", "-o", "b"), "-o names two folders, a and b; name one"),
        (("-o", "d.json"), "d.json is a folder, but its name ends like a file; -o takes a folder"),
        (("-o", "r.sarif"), "this command does not write .sarif files: r.sarif; -o takes a folder"),
    ],
)
def test_what_is_no_output_is_said_before_anything_runs(stage, project, capsys, words, message):
    (project / "r.txt").write_text("mine")
    (project / "d.json").mkdir()

    assert stage.call("stability", ".", *words) == 2
    assert message in capsys.readouterr().err
    assert stage.opened == []


@pytest.mark.parametrize("words", [("-o", "out"), ("-o", "r.csv", "-o", "r.md", "-o", "sub/out")])
def test_results_inside_of_the_project_do_not_change_the_key_of_the_store(
    stage, project, tmp_path, words
):
    stage.call("abs", ".")
    plain = digest(stage, tmp_path)

    for _ in range(2):
        assert stage.call("abs", ".", *words) == 0
        assert digest(stage, tmp_path) == plain
    output_paths = [Path(word) for word in words if word != "-o"]
    assert all(path.exists() for path in output_paths)
    folder = next(path for path in output_paths if not path.suffix)
    assert (folder / ".gitignore").read_text() == IGNORED
    shutil.rmtree(folder)
    (project / "other.go").write_text("package ring\n")
    stage.call("abs", ".", *words)
    assert digest(stage, tmp_path) != plain


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (".", "is the folder of the project; name a new folder in it, such as"),
        ("src", "src holds files of the project; name a new folder"),
    ],
)
def test_a_folder_of_the_project_is_not_taken_for_results(stage, project, capsys, output, message):
    (project / "src").mkdir()
    (project / "src/a.go").write_text("package src\n")

    assert stage.call("abs", ".", "-o", output) == 2
    assert message in capsys.readouterr().err
    assert not (project / "src/.gitignore").exists()


@pytest.mark.parametrize(
    ("opens", "message"), [(True, ""), (False, "there is no browser here; open")]
)
def test_open_shows_the_page(tmp_path, monkeypatch, capsys, opens, message):
    opened_uris = []
    monkeypatch.setattr(webbrowser, "open", lambda uri: opened_uris.append(uri) or opens)

    Stage(str(tmp_path / "home")).call("abs", SUBJECT, "--open", "-o", str(tmp_path / "out"))

    assert opened_uris == [(tmp_path / "out/report.html").as_uri()]
    assert message in capsys.readouterr().err
