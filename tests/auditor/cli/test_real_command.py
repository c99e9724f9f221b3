"""The program as people call it: a process of its own."""

import json
import os
import pty
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.store.schema import SCHEMA_VERSION
from auditor.store.sqlite import SqliteStore

SUBJECT = "go:example.org/ring@v1"


def call(folder, *arguments, **environment):
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    return subprocess.run(
        [sys.executable, "-m", "auditor", *arguments],
        cwd=folder,
        env={**inherited, "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def python(folder, program):
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def refused(folder, *arguments, code):
    answer = call(folder, *arguments)
    lines = answer.stderr.splitlines()
    assert (answer.returncode, answer.stdout, len(lines)) == (code, "", 1), answer
    return lines[0]


def test_help_is_on_stdout_and_lists_the_commands(tmp_path):
    answer = call(tmp_path, "--help")

    assert answer.returncode == 0
    assert [command for command in ("abs", "stability", "analyze", "report", "doctor")
            if f" {command} " not in answer.stdout] == []  # fmt: skip
    assert call(tmp_path).stdout == answer.stdout


@pytest.mark.parametrize("command", ["abs", "stability", "analyze", "report", "doctor"])
def test_every_command_has_help(tmp_path, command):
    answer = call(tmp_path, command, "--help")

    assert answer.returncode == 0
    assert answer.stdout.startswith(f"Usage: bench-audit {command}")


def test_help_loads_nothing_that_takes_time(tmp_path):
    program = (
        "import sys; from auditor.cli.main import main; main(['--help']);"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    answer = python(tmp_path, program)

    loaded = {name.partition(".")[0] for name in answer.stderr.split()}
    assert "click" in loaded
    assert (
        loaded & {"numpy", "scipy", "pandas", "rich", "msgspec", "jinja2", "git", "yaml"} == set()
    )


@pytest.mark.parametrize(
    ("program", "slow"),
    [
        ("from auditor.cli.main import main; main(['abs', '--help'])", {"numpy", "scipy"}),
        ("import auditor.abs.assemble", {"libcst", "scipy.optimize", "scipy.spatial"}),
    ],
)
def test_nobody_waits_for_a_library_that_comes_later_or_not_at_all(tmp_path, program, slow):
    answer = python(tmp_path, f"import sys; {program}; sys.stderr.write(' '.join(sys.modules))")

    loaded = set(answer.stderr.split())
    assert "auditor.config.load" in loaded
    assert loaded & slow == set()


def test_the_version_is_said(tmp_path):
    assert call(tmp_path, "--version").stdout.startswith("bench-audit ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["abz"], "error[usage]: no such command: abz; did you mean abs?"),
        (["zzz"], "error[usage]: no such command: zzz; there are abs, stability"),
        (["--nonsense"], "error[usage]: no such option '--nonsense'"),
        (["abs", "--formatt", "json"], "did you mean '--format'? (see bench-audit abs --help)"),
        (
            ["abs", "--formt", "json"],
            "'--format', '--host', '--rent'?) (see bench-audit abs --help)",
        ),
        (["abs", "--format", "xml"], "error[usage]: invalid value for '--format': 'xml' is not"),
        (["abs", "--runs", "many", SUBJECT], "invalid value for '--runs': 'many' is not a valid"),
        (["abs", "a", "b"], "got unexpected extra argument (b)"),
        (["abs", "absent.json"], "error[usage]: no such file or folder: absent.json"),
        (["abs", "go:example.org/ring"], "write go:MODULE@VERSION"),
        (
            ["abs", SUBJECT, "--runs", "0"],
            "error[usage]: 0 at runs must be a whole number of at least 1",
        ),
        (["abs", SUBJECT, "--slowdown", "x"], "--slowdown x is not a change: write 5%"),
        (["abs", SUBJECT, "--slowdown", "-1"], "--slowdown -1 is not a change: write 5%"),
        (["abs", SUBJECT, "--slowdown", "nan"], "--slowdown nan is not a change: write 5%"),
        (["abs", SUBJECT, "--slowdown", "60"], "--slowdown 60 is ambiguous: write 60% or 6000%"),
        (["abs", SUBJECT, "--budget", "10"], "'10' has no unit; write 10s"),
        (["abs", SUBJECT, "--budget", "0"], "'0' is not a duration; write a number and a unit"),
        (["abs", SUBJECT, "--budget", "0s"], "'0s' must be more than 0 and less than a"),
        (["abs", SUBJECT, "--budget", "-5m"], "'-5m' is not a duration; write a number and a unit"),
        (["abs", SUBJECT, "--budget", "soon"], "'soon' is not a duration; write a number and a"),
        (["abs", SUBJECT, "--benchmarks", "("], "'(' at benchmarks is not a regular expression"),
        (["abs", "-o", "out"], "is inside the subject"),
        (["report", SUBJECT], "holds no finished audit"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(tmp_path, arguments, message):
    assert message.lower() in refused(tmp_path, *arguments, code=2).lower()


def test_the_environment_can_stand_in_for_a_flag(tmp_path):
    answer = call(tmp_path, "abs", SUBJECT, BENCH_AUDIT_ABS_RUNS="0")

    assert (answer.returncode, answer.stderr) == (
        2,
        "error[usage]: 0 at runs must be a whole number of at least 1\n",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"runs": 2,\n "seed" 1}', "error[usage]: c.json is broken JSON at line 2, column 9:"),
        ('{"runs": "2"}', 'error[usage]: c.json: "2" at runs must be a whole number'),
        ('{"plan": {"fork": 5}}', "c.json: unknown key 'fork' in plan; did you mean 'forks'?"),
        ('{"host": "moon"}', '"moon" at host must be "local"'),
        ('{"subject": "nowhere"}', "c.json: no such folder:"),
        ('{"subject": "c.json"}', "is neither a folder nor a .jar"),
    ],
)
def test_a_wrong_file_is_one_line_and_exit_code_2(tmp_path, text, message):
    (tmp_path / "c.json").write_text(text)

    assert message in refused(tmp_path, "abs", "c.json", code=2)


def test_a_store_from_a_newer_version_is_exit_code_4(tmp_path):
    SqliteStore(tmp_path / "s.sqlite").close()
    connection = sqlite3.connect(tmp_path / "s.sqlite")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()

    line = refused(tmp_path, "report", SUBJECT, "--store", "s.sqlite", code=4)

    assert line.startswith("error[store]: ")
    assert "was written by another version" in line


def test_a_text_in_the_place_of_a_store_is_exit_code_2(tmp_path):
    (tmp_path / "s.sqlite").write_text("no database " * 100)

    line = refused(tmp_path, "report", SUBJECT, "--store", "s.sqlite", code=2)

    assert "s.sqlite is not a store: it is a text" in line


def test_a_damaged_store_is_exit_code_4(tmp_path):
    (tmp_path / "s.sqlite").write_bytes(b"SQLite format 3\0" + b"\1" * 999)

    line = refused(tmp_path, "report", SUBJECT, "--store", "s.sqlite", code=4)

    assert "s.sqlite is damaged or no store of bench-audit" in line


@pytest.mark.parametrize("output", ["file/out", "/proc/out"])
def test_a_folder_that_cannot_be_written_is_exit_code_4(tmp_path, output):
    (tmp_path / "file").write_text("")

    line = refused(tmp_path, "abs", SUBJECT, "-o", output, code=4)

    assert line.startswith("error[folder-unusable]: cannot write ")


def test_an_unsupported_platform_is_refused_in_one_line(tmp_path):
    program = (
        "import sys; from auditor.cli.main import main; sys.exit(main(['abs'], platform='win32'))"
    )
    answer = python(tmp_path, program)

    assert answer.returncode == 4
    assert answer.stderr.startswith("error[machine]: bench-audit runs on Linux and macOS, not on")
    assert answer.stderr.count("\n") == 1


def test_doctor_without_any_tool_says_how_to_get_them_and_is_exit_code_4(tmp_path):
    answer = call(tmp_path, "doctor", PATH=str(tmp_path), JAVA_HOME="")

    assert answer.returncode == 4
    assert "missing; Debian: apt install openjdk-17-jdk-headless; macOS: brew" in answer.stdout
    assert "Ready for: nothing" in answer.stdout


def test_doctor_as_json_is_one_document(tmp_path):
    answer = call(tmp_path, "doctor", "--format", "json", PATH=str(tmp_path), JAVA_HOME="")

    document = json.loads(answer.stdout)
    assert document["schema"] == "bench-audit/doctor/1"
    assert document["harnesses"] == dict.fromkeys(("go", "jmh", "pytest"), False)


def test_doctor_lists_all_jdks(tmp_path):
    jdk = tmp_path / ".jdks" / "made-up"
    (jdk / "bin").mkdir(parents=True)
    (jdk / "bin" / "javac").touch(mode=0o755)
    (jdk / "release").write_text('JAVA_VERSION="99.0.1"\n')

    document = json.loads(call(tmp_path, "doctor", "--format", "json").stdout)

    assert {"version": "99.0.1", "path": str(jdk)} in document["jdks"]
    assert f"JDK      99.0.1   {jdk}" in call(tmp_path, "doctor").stdout


def test_doctor_rates_the_machine_by_a_loop(tmp_path):
    answer = call(tmp_path, "doctor", "--probe", "--format", "json")

    probe = json.loads(answer.stdout)["probe"]
    assert probe["rating"] in {"quiet", "usable", "noisy"}
    assert probe["loops"] == 60
    assert probe["seconds"] > 0
    assert probe["worst"] >= 0


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["--tune"], 'pyperf, which tunes machines, is missing; install "bench-audit[tune]"', 4),
        (["--tune", "--restore"], "--tune and --restore undo each other; choose one", 2),
        (["--tune", "--probe"], "leave out --probe and --format", 2),
        (["--tune", "--format", "json"], "leave out --probe and --format", 2),
        (["--tune", "--host", "docker"], "--tune works only on this machine", 2),
        (["far.json", "--tune"], "--tune works only on this machine", 2),
        (["many.json", "--restore"], "--tune works only on this machine", 2),
        (["--host", "moon"], '"moon" at host must be', 2),
        (["nowhere.json"], "no such file or folder: nowhere.json", 2),
    ],
)
def test_what_doctor_cannot_do_is_one_line(tmp_path, words, message, code):
    (tmp_path / "far.json").write_text('{"host": "ssh:far"}')
    (tmp_path / "many.json").write_text(
        '{"dispatch": "dask", "dask": {"scheduler": "tcp://10.0.0.1:8786"}}'
    )
    assert message in refused(tmp_path, "doctor", *words, code=code)


def on_a_terminal(folder, *arguments, **environment):
    controller, terminal = pty.openpty()
    with os.fdopen(controller, "rb", buffering=0) as screen:
        process = subprocess.Popen(
            [sys.executable, "-m", "auditor", *arguments],
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "PATH": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        output = b""
        try:
            while piece := screen.read(65536):
                output += piece
        except OSError:  # Linux's way to say that the other end is closed
            pass
        process.wait(60)
    return output.decode()


def test_no_color_is_respected_on_a_terminal(tmp_path):
    coloured = on_a_terminal(tmp_path, "doctor", TERM="xterm", JAVA_HOME="")
    plain = on_a_terminal(tmp_path, "doctor", TERM="xterm", JAVA_HOME="", NO_COLOR="1")

    assert "\x1b[31m" in coloured
    assert "\x1b[31m" not in plain
    assert "missing" in plain


def test_a_reader_that_has_left_does_not_change_the_exit_code(tmp_path):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        answer = subprocess.run(
            [sys.executable, "-m", "auditor", "doctor"],
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path), "PATH": str(tmp_path), "JAVA_HOME": ""},
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert (answer.returncode, answer.stderr) == (4, "")


def redirected(folder, words, redirection):
    (folder / "mine").mkdir()
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "auditor", "lint", *words],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("words", [["--list"], ["mine", "--format", "json"]])
def test_a_result_that_found_no_space_is_one_line(tmp_path, words):
    answer = redirected(tmp_path, words, ">/dev/full")

    assert answer.returncode == 4
    assert answer.stderr == (
        "error[machine]: the output cannot be written: no space left on device; send it elsewhere\n"
    )


@pytest.mark.parametrize("words", [["--list"], ["mine", "--format", "json"]])
def test_a_result_for_nobody_is_none(tmp_path, words):
    answer = redirected(tmp_path, words, ">&-")

    assert (answer.returncode, answer.stderr) == (0, "")
