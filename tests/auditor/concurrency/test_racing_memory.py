"""What is remembered of two versions, and by which of our sources."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys

import pytest
from concurrencies import make_race_test, timed

import auditor.concurrency.judge
from auditor.concurrency import assemble
from auditor.config.concurrency import concurrency_request
from auditor.config.places import Places
from auditor.core.contracts.concurrency import ConcurrentTestSuite
from auditor.core.errors import ResolveFailed

JUDGES = {"host_load", "oracle"}
"""What says something of measurements that there are."""
SUITE = ConcurrentTestSuite(tests=(make_race_test(),), length=16, tried=(), methods=(), focus=())


def test_whatever_makes_tests_is_part_of_what_they_are_remembered_by():
    module_names = {
        iter_module.name for iter_module in pkgutil.iter_modules(auditor.concurrency.judge.__path__)
    }
    package = "auditor.concurrency.judge."
    makers = {maker.removeprefix(package) for maker in assemble.MAKERS if maker.startswith(package)}

    assert makers | JUDGES == module_names
    assert not makers & JUDGES
    assert all(importlib.import_module(maker) for maker in (*assemble.MAKERS, *assemble.RACERS))


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """What makes and races tests of a class, by sources that a test may change."""
    if shutil.which("javac") is None:
        pytest.skip("needs a JDK")
    package = tmp_path / "made_up_sources"
    package.mkdir()
    for name in ("__init__", "makers", "racers"):
        (package / f"{name}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, package.name, raising=False)  # that of another test
    monkeypatch.setattr(assemble, "MAKERS", ("made_up_sources.makers",))
    monkeypatch.setattr(assemble, "RACERS", ("made_up_sources.racers",))
    (tmp_path / "Pool.java").write_text("public class Pool { }")
    subprocess.run(["javac", "-d", tmp_path / "pool", tmp_path / "Pool.java"], check=True)
    options = {"subject": "Pool", "old": "pool", "new": "pool"}
    places = Places(
        output=tmp_path / "out", store=tmp_path / "store.sqlite", home=tmp_path / "home"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    racing_request = concurrency_request(options, tmp_path)
    with assemble.open_concurrency(racing_request, places, environment, None) as racing:
        yield racing, package


@pytest.mark.subject
def test_another_release_uses_no_tests_and_no_races_that_it_would_make_otherwise(opened, tmp_path):
    racing, package = opened
    guest = tmp_path / "guest.jar"
    memory = racing.make_run_store(guest)
    memory.save_suite(SUITE)
    memory.save_times(make_race_test(), timed())

    def left():
        now = racing.make_run_store(guest)
        return now.load_suite() is not None, now.load_times(make_race_test(), 8) is not None

    assert left() == (True, True)
    (package / "makers.py").write_text("# drawn otherwise\n")
    assert left() == (False, True)
    (package / "racers.py").write_text("# written otherwise\n")
    assert left() == (False, False)


@pytest.mark.subject
def test_without_what_reads_byte_code_tests_are_made_unfocused_and_not_taken_for_others(
    opened, tmp_path, monkeypatch
):
    racing, _ = opened

    def fails(**_):
        raise ResolveFailed("asm cannot be fetched: no network\nand more")

    monkeypatch.setattr(assemble, "prepare_guests", fails)
    focus, (caveat,) = racing._focus(tmp_path)

    assert focus == ()
    assert (caveat.slug, caveat.text.partition(": ")[2]) == (
        "unfocused", "asm cannot be fetched: no network",
    )  # fmt: skip
    guest = tmp_path / "guest.jar"
    racing.make_run_store(guest, [caveat]).save_suite(SUITE)
    assert racing.make_run_store(guest, [caveat]).load_suite() is not None
    assert racing.make_run_store(guest).load_suite() is None
