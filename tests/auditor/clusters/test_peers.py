"""Programs go from one worker of a real cluster to another."""

from pathlib import Path

import peers_work
import pytest
from dask_daemon import dask_cluster

from runners.programs import mark_built

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.subject

PROGRAM = bytes(range(256)) * 4096


@pytest.fixture
def client(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    with (
        dask_cluster(folder, str(Path(__file__).parent)) as cluster,
        distributed.Client(cluster.address, set_as_default=False) as client,
    ):
        for _ in range(2):
            cluster.add()
        client.wait_for_workers(2, timeout=60)
        yield client


def test_a_program_is_had_from_who_has_built_it_and_nothing_from_others(client, tmp_path):
    builder, requester = sorted(client.ncores())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "a.test").write_bytes(PROGRAM)
    (tmp_path / "bin" / "half.test").write_bytes(PROGRAM[:99])
    mark_built(tmp_path / "bin" / "a.test")
    client.run(peers_work.has, str(tmp_path), "d", workers=[builder])

    def fetch(*words, makers=(builder,)):
        return client.submit(
            peers_work.asks, *words, makers, workers=[requester], pure=False
        ).result(timeout=60)

    assert fetch("d", "bin/a.test") == PROGRAM
    assert fetch("d", "bin/a.test", makers=("tcp://127.0.0.1:9", builder)) == PROGRAM
    assert fetch("d", "bin/b.test") is None
    assert fetch("d", "bin/half.test") is None
    assert fetch("e", "bin/a.test") is None
    assert fetch("d", "bin/a.test", makers=()) is None
    assert fetch("d", "bin/a.test", makers=(requester,)) is None


def test_what_is_linked_with_another_c_library_is_built_here(client, tmp_path):
    builder, requester = sorted(client.ncores())
    (tmp_path / "a.test").write_bytes(PROGRAM)
    mark_built(tmp_path / "a.test")
    client.run(peers_work.has, str(tmp_path), "d", workers=[builder])
    words = ("d", "a.test", (builder,), "glibc 1.0")

    assert client.submit(peers_work.asks, *words, workers=[requester]).result(timeout=60) is None
