"""Two versions of a class under threads: what a terminal, a folder and a gate get."""

import io
from dataclasses import replace

import pytest
from concurrencies import document, full_verdict, lane, verdict
from msgspec import ValidationError
from rich.console import Console

from auditor.concurrency import document as concurrency_document
from auditor.concurrency import terminal
from auditor.core.errors import Exit, FolderUnusable

SLOWER, FASTER, CALM, OPEN = (1.4, 1.5, 1.4), (0.5, 0.6, 0.7), (1.0, 1.0, 1.0), (None, None, 1.0)
VERDICTS = {
    "regression": verdict(lane(2, *CALM), lane(8, *SLOWER)),
    "improvement": verdict(lane(8, *FASTER)),
    "none": verdict(lane(2, *CALM), lane(8, *OPEN)),
    "open": verdict(lane(2, *OPEN)),
    "opposed": verdict(lane(2, *SLOWER), lane(8, *FASTER)),
    "empty": verdict(),
}


def printed(result, width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(terminal.build_table(document(result)))
    return console.export_text()


def test_a_terminal_shows_the_answer_first_and_a_row_for_each_number_of_threads():
    lines = printed(full_verdict(), 140).splitlines()

    assert lines[1].startswith("Busy machine: Regression: the new version is slower in 3 of 4")
    rows = [line.split() for line in lines]
    assert ["▲", "8", "regression", "3", "0", "1", "0", "0.65", "0.65", "…", "0.66", "1"] in rows
    assert [row[0] for row in rows if row[1:3] == ["3", "+"]] == ["3", "5", "4", "2", "1"]


def test_of_what_was_left_out_a_terminal_shows_the_first():
    result = full_verdict()
    dropped = tuple((f"call {number} failed", 9) for number in range(9))
    many = replace(result, suite=replace(result.suite, dropped=dropped))

    text = printed(many, 140)

    assert "call 4 failed: 9 times" in text
    assert "and 4 more in the report" in text
    assert "call 5" not in text


def test_findings_stand_on_one_line_where_a_terminal_is_narrow():
    lines = printed(full_verdict(), 80).splitlines()

    assert [line.split()[1] for line in lines if "regression" in line] == ["4", "8"]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", VERDICTS)
def test_whatever_there_is_can_be_shown(name):
    assert terminal.concurrency_words.format_headline(document(VERDICTS[name]))[:40] in printed(
        VERDICTS[name], 200
    )


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("regression", Exit.GATE_FAILED, "gate failed: regression with 8 threads: old fas"),
        ("improvement", Exit.OK, "gate passed: no regression"),
        ("none", Exit.OK, "gate passed: no regression; inconclusive with 8 threads"),
        ("open", Exit.NO_VERDICT, "gate undecided: too few tests are conclusive, 1 of 3"),
        ("opposed", Exit.NO_VERDICT, "gate undecided: the new version is slower in 3 of 3"),
        ("empty", Exit.NO_VERDICT, "gate undecided: no test was run"),
    ],
)
def test_a_gate_fails_for_a_regression_and_is_undecided_where_nothing_is_known(name, code, message):
    exit_code, lines = terminal.judge_gate(document(VERDICTS[name]), fail_on_regression=True)

    assert exit_code is code
    assert lines[0].startswith(message)


def test_a_gate_never_says_regression_without_votes_and_interval():
    _, (line,) = terminal.judge_gate(document(verdict(lane(8, *SLOWER))), fail_on_regression=True)

    assert "old faster in 3, new in 0, neither in 0" in line
    assert "interval 1.42 … 1.45" in line


@pytest.mark.parametrize("name", VERDICTS)
def test_without_a_gate_nothing_fails(name):
    assert terminal.judge_gate(document(VERDICTS[name]), fail_on_regression=False) == (Exit.OK, [])


def test_result_page_and_sources_are_kept(tmp_path):
    result = full_verdict()
    terminal.write_results(tmp_path, document(result), result.suite.files)

    file_names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert file_names == {
        "concurrency.json", "concurrency.html", "concurrency.md", "suite/PoolTest1.java",
        "suite/Main.java",
    }  # fmt: skip
    assert concurrency_document.parse_document(
        (tmp_path / "concurrency.json").read_bytes()
    ) == document(result)
    assert (tmp_path / "suite" / "Main.java").read_text() == "class Main {}\n"


def test_tests_of_an_earlier_call_go_once_the_new_result_is_written(tmp_path):
    suite = tmp_path / "suite"
    suite.mkdir()
    for name, text in (
        ("Race1.java", terminal.MADE_BY),
        ("Race2.java", terminal.MADE_BY),
        ("RaceMine.java", ""),
    ):
        (suite / name).write_text(text)

    with pytest.raises(ValidationError):
        terminal.write_results(tmp_path, None, ())
    assert sorted(path.name for path in suite.iterdir()) == [
        "Race1.java", "Race2.java", "RaceMine.java",
    ]  # fmt: skip

    terminal.write_results(tmp_path, document(), [("Race2.java", "new")])
    assert {path.name: path.read_text() for path in suite.iterdir()} == {
        "Race2.java": "new",
        "RaceMine.java": "",
    }


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderUnusable, match="cannot write"):
        terminal.write_results(tmp_path / "file", document(), ())
