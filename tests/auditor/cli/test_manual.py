"""The manual page and the completions, read by the programs that they are for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.cli.main import COMMANDS, main

ROOT = Path(__file__).parents[3]
PROGRAM = (
    "#!/bin/sh\nexec '{python}' -c 'import sys; from auditor.cli.main import main; {run}' \"$@\"\n"
)
RUN = 'sys.argv[0] = "bench-audit"; sys.exit(main())'


@pytest.fixture
def printed(capsys):
    def call(*words):
        assert main(words) == 0
        return capsys.readouterr().out

    return call


def test_the_manual_names_every_command_with_its_options(printed):
    page = printed("--man")

    commands = [line[5:-1] for line in page.splitlines() if line.startswith(".SS ")]
    command_names = {name for name, entry in COMMANDS.items() if entry.purpose}
    assert {name.split()[0] for name in commands} == command_names
    assert len(commands) == len(set(commands)) > len(command_names)
    assert page.count(r"\fB\-\-fail\-on\fR certain|likely|possible") == 1
    assert "CONFIG_OR_SUBJECT" in page


def test_the_manual_is_roff_without_a_warning(printed, tmp_path):
    page = printed("--man")
    if not (formatter := shutil.which("groff")):
        assert not [line for line in page.splitlines() if line.startswith("'")]
        return
    (tmp_path / "page.1").write_text(page)

    formatted = subprocess.run(
        (formatter, "-man", "-Kutf8", "-Tutf8", "-P-cbou", "-ww", tmp_path / "page.1"),
        capture_output=True,
        check=True,
    )

    assert formatted.stderr == b""
    assert b"bench-audit lint [OPTIONS]" in formatted.stdout


def completed(program, script, line):
    """Return what bash offers at the end of a line."""
    words = line.split(" ")
    shell_code = (
        f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
        f'_bench_audit_completion {program}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    shell = subprocess.run(
        ("bash", "-c", shell_code),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "error" not in shell.stderr
    return shell.stdout.split()


def test_bash_completes_commands_and_options(printed, tmp_path):
    program, script = tmp_path / "bench-audit", tmp_path / "completion.bash"
    program.write_text(PROGRAM.format(python=sys.executable, run=RUN))
    program.chmod(0o755)
    # Outside of an interactive shell there is nothing to register with.
    script.write_text(printed("--completion", "bash").replace("_completion_setup;", ""))

    assert completed(program, script, "bench-audit do") == ["doctor"]
    assert completed(program, script, "bench-audit lint --fail") == ["--fail-on"]
    assert completed(program, script, "bench-audit lint --fail-on c") == ["certain"]
    assert completed(program, script, "bench-audit nonsense --f") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(printed, shell):
    assert f"_BENCH_AUDIT_COMPLETE={shell}_complete" in printed("--completion", shell)


def test_another_shell_is_refused(capsys):
    assert main(["--completion", "csh"]) == 2
    assert "bash" in capsys.readouterr().err
