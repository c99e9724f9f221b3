"""Notes of what is rented, with commands that are really run; machines are files."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_cloud import LIST

from auditor.core.errors import MachineError
from auditor.core.hosts import RentedSpec
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.rented import ledger as ledgers
from runners.rented.ledger import RentalLedger

REMOVE = """
cd "$1"; shift
echo "${WORD-} $*" >> .asked
[ ! -e .broken ] || { echo "the cloud is closed" >&2; exit 3; }
[ -e .slow ] && rm .slow || rm -- "$@"
"""


class Clock(SystemClock):
    """One that goes a hundred times as fast."""

    def monotonic(self):
        return super().monotonic() * 100


@pytest.fixture(autouse=True)
def prompt(monkeypatch):
    """A cloud where no machine comes late."""
    monkeypatch.setattr(ledgers, "_LATE_SECONDS", 0.0)


@pytest.fixture
def cloud(tmp_path):
    folder = tmp_path / "cloud"
    folder.mkdir()
    return folder


@pytest.fixture
def ledger(tmp_path):
    variables = {"PATH": os.environ["PATH"], "WORD": "sesame"}
    return RentalLedger(tmp_path / "notes", LocalHost(), Clock(), variables)


def spec(cloud):
    return RentedSpec(
        cluster="a.Cloud",
        options={},
        workers=2,
        listed_by=("sh", "-c", LIST, "sh", str(cloud)),
        removed_by=("sh", "-c", REMOVE, "sh", str(cloud), "{machines}"),
        environment=(),
        hourly=None,
        most_seconds=60.0,
    )


def looked(ledger):
    reports = []
    ledger.report_notes(lambda *report: reports.append(report))
    return reports


def notes(tmp_path):
    return list((tmp_path / "notes").glob("*"))


def test_machines_are_removed_and_no_others(ledger, cloud, tmp_path):
    (cloud / "other-1").touch()

    with ledger.open_rental(spec(cloud)) as number:
        (cloud / f"{number}-1").touch()
        (cloud / f"{number}-2").touch()
        ((note, ended, _),) = looked(ledger)
        assert (note.id, note.cluster, ended) == (number, "a.Cloud", False)
        assert ledger.list_machines(note) == (f"{number}-1", f"{number}-2")

    assert [path.name for path in cloud.glob("*-*")] == ["other-1"]
    assert notes(tmp_path) == []


def test_an_audit_that_fails_leaves_none_either(ledger, cloud, tmp_path):
    def failing():
        with ledger.open_rental(spec(cloud)) as number:
            (cloud / f"{number}-1").touch()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()

    assert list(cloud.glob("*-*")) == []
    assert notes(tmp_path) == []


def test_one_that_goes_slowly_is_waited_for_and_asked_again(ledger, cloud):
    (cloud / ".slow").touch()

    with ledger.open_rental(spec(cloud)) as number:
        (cloud / f"{number}-1").touch()

    assert (cloud / ".asked").read_text() == f" {number}-1\n" * 2


def test_commands_get_the_variables_that_are_named_and_no_others(ledger, cloud):
    with ledger.open_rental(replace(spec(cloud), environment=("WORD",))) as number:
        (cloud / f"{number}-1").touch()
    with ledger.open_rental(spec(cloud)) as second:
        (cloud / f"{second}-1").touch()

    assert (cloud / ".asked").read_text() == f"sesame {number}-1\n {second}-1\n"


def test_one_that_comes_when_the_audit_has_ended_is_removed_too(
    ledger, cloud, tmp_path, monkeypatch
):
    monkeypatch.setattr(ledgers, "_LATE_SECONDS", 10.0)

    with ledger.open_rental(spec(cloud)) as number:
        late = threading.Timer(0.3, (cloud / f"{number}-1").touch)
        late.start()
    late.join()

    assert (cloud / ".asked").read_text() == f" {number}-1\n"
    assert list(cloud.glob("*-*")) == []
    assert notes(tmp_path) == []


def test_what_cannot_be_removed_is_not_forgotten(ledger, cloud, tmp_path):
    (cloud / ".broken").touch()
    with pytest.raises(MachineError, match="the cloud is closed"):  # noqa: SIM117 two blocks
        with ledger.open_rental(spec(cloud)) as number:
            (cloud / f"{number}-1").touch()
    removals = []

    with pytest.raises(MachineError, match="run bench-audit hosts clean"):
        ledger.remove_leftovers(lambda note, machines: removals.append((note.id, machines)))
    (cloud / ".broken").unlink()
    ledger.remove_leftovers(lambda note, machines: removals.append((note.id, machines)))

    assert removals == [(number, (f"{number}-1",))]
    assert list(cloud.glob("*-*")) == []
    assert notes(tmp_path) == []


def test_one_that_stays_is_said(ledger, cloud):
    changed_spec = replace(spec(cloud), removed_by=("true", "{machines}"))

    with pytest.raises(MachineError, match=r"-1 of a\.Cloud still exist"):  # noqa: SIM117
        with ledger.open_rental(changed_spec) as number:
            (cloud / f"{number}-1").touch()
    assert len(looked(ledger)) == 1


def test_a_running_audit_is_left_alone(ledger, cloud):
    with ledger.open_rental(spec(cloud)) as number:
        (cloud / f"{number}-1").touch()
        ledger.remove_leftovers(lambda *_: pytest.fail("it runs"))
        assert (cloud / f"{number}-1").exists()


def test_a_note_that_is_damaged_does_not_keep_others_from_being_cleaned(ledger, cloud, tmp_path):
    (cloud / ".broken").touch()
    with pytest.raises(MachineError), ledger.open_rental(spec(cloud)) as number:
        (cloud / f"{number}-1").touch()
    (cloud / ".broken").unlink()
    (tmp_path / "notes" / "00000000.json").write_text('{"id": 3')

    reports = []
    with pytest.raises(MachineError, match=r"00000000\.json is damaged; look in your cloud"):
        ledger.report_notes(lambda note, *details: reports.append((note.id, *details)))
    assert reports == [(number, True, (f"{number}-1",))]
    with pytest.raises(MachineError, match=r"00000000\.json is damaged; look in your cloud"):
        ledger.remove_leftovers(lambda *_: None)
    assert list(cloud.glob("*-*")) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"environment": ("NOWHERE",)}, "NOWHERE, which sh needs, is not set"),
        ({"listed_by": ("echo", "--all", "{id}")}, "lists '--all', which is not the name"),
        ({"listed_by": ("false", "{id}")}, "may still be rented: false failed"),
    ],
)
def test_what_cannot_be_listed_is_said(ledger, cloud, changed, message):
    with (
        pytest.raises(MachineError, match=message),
        ledger.open_rental(replace(spec(cloud), **changed)),
    ):
        pass


def test_the_lock_ends_with_its_process_and_not_before(ledger, cloud, tmp_path):
    """However it ends: here by a signal that nobody can catch."""
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[3]);"
        "from test_ledger import *; from pathlib import Path;"
        "environment = {'PATH': '/bin:/usr/bin'};"
        "ledger = RentalLedger(Path(sys.argv[1]), LocalHost(), SystemClock(), environment);"
        "renting = ledger.open_rental(spec(Path(sys.argv[2])));"
        "number = renting.__enter__(); (Path(sys.argv[2]) / (number + '-1')).touch();"
        "print(number, flush=True); time.sleep(600)"
    )
    tests_folder = Path(__file__).parent
    words = (sys.executable, "-c", code, str(tmp_path / "notes"), str(cloud), str(tests_folder))
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        number = process.stdout.readline().strip()
        assert [ended for _, ended, _ in looked(ledger)] == [False]
        process.kill()
    removals = []

    ledger.remove_leftovers(lambda note, machines: removals.append((note.id, machines)))

    assert removals == [(number, (f"{number}-1",))]
    assert list(cloud.glob("*-*")) == []
