"""Trials on real workers of Dask: one at a time on each, and none lost with a worker."""

import itertools
import math
import signal
import threading
import time
from collections import Counter, defaultdict

import cluster_work
import dask
import pytest
from dask_daemon import dask_cluster

from auditor.core.errors import BuildFailed, MachineError
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.suite import Benchmark
from runners.dispatch import cluster as clusters
from runners.dispatch.cluster import ClusterDispatcher
from runners.hosts.clock import SystemClock

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.subject


@pytest.fixture
def noted(tmp_path):
    """The folder where workers write down what they do."""
    folder = tmp_path / "noted"
    folder.mkdir()
    return folder


@pytest.fixture
def cluster(tmp_path):
    """A scheduler without workers yet."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with dask_cluster(folder, cluster_work.__file__.rpartition("/")[0]) as result:
        yield result


@pytest.fixture
def client(cluster):
    """A connection to it."""
    with distributed.Client(cluster.address, set_as_default=False) as result:
        yield result


def trial(name, repetition=1, subject="s"):
    return Trial(
        subject=subject,
        purpose=Purpose.SUITE,
        benchmark=Benchmark(group="g", name=name),
        schedule=Schedule(
            arms=(Arm(ArmName.PLAIN),), blocks=(Block(Phase.MEASUREMENT, 0),), seconds=0.05
        ),
        repetition=repetition,
        seed=1,
        timeout_seconds=60,
    )


class Crew:
    """Workers that are given a folder to write into; some are not wanted."""

    def __init__(self, client, noted, unwanted=()):
        self._client = client
        self._noted = noted
        self._unwanted = unwanted
        self.gave = Counter()
        self.homes = {}
        self.ends = False
        self.silent = {}
        self.losses = 0

    def send_subject(self, worker, subject):
        if self.losses:
            self.losses -= 1
            raise ConnectionError("a worker is gone")
        self.gave[worker, subject] += 1
        return (str(self._noted),)

    def find_home_worker(self, benchmark):
        return self.homes.get(benchmark)

    def explain_refusal(self, worker):
        if self.silent.get(worker, 0):
            self.silent[worker] -= 1
            raise TimeoutError(f"{worker} does not answer")
        return f"{worker} is not wanted" if worker in self._unwanted else ""

    def require_usable(self):
        if self.ends:
            raise MachineError("the money is gone")

    def stop_trials(self):
        self._client.run(cluster_work.stop)


def dispatcher(  # noqa: PLR0917 what a test changes
    client, crew, work=cluster_work.ran, told=None, patience=60.0, allowed=lambda _trial: True
):
    return ClusterDispatcher(
        client,
        work,
        crew if isinstance(crew, Crew) else Crew(client, crew),
        clock=SystemClock(),
        on_caveat=(told if told is not None else []).append,
        allowed=allowed,
        patience_seconds=patience,
    )


def ready(cluster, client, workers, noted):
    for _ in range(workers):
        cluster.add(STOPPED=str(noted.parent / "stopped"))
    client.wait_for_workers(workers, timeout=60)


def lines(noted):
    """Return what each worker has written: (word, benchmark, repetition, time)."""
    return {
        path.name: [line.split() for line in path.read_text().splitlines()]
        for path in noted.iterdir()
    }


def test_a_worker_is_told_who_has_built_the_program_of_a_trial(cluster, client, noted):
    ready(cluster, client, 2, noted)
    crew = dispatcher(client, noted, cluster_work.telling)

    (first,) = crew.run_trials([trial("a")])
    one, other = sorted(crew.run_trials([trial("a", 2), trial("b")]), key=lambda run: run.trial.id)
    if one.trial.benchmark.name == "b":
        one, other = other, one

    assert (first.outcome.reason, one.outcome.reason) == ("", "")
    assert one.revision == first.revision != other.revision
    assert other.outcome.reason == first.revision


def test_a_worker_that_cannot_do_what_others_can_is_refused_and_its_trials_are_theirs(
    cluster, client, noted
):
    ready(cluster, client, 2, noted)
    told = []
    wanted = [trial(name, run) for run in (1, 2) for name in "abcd"]

    result = list(dispatcher(client, noted, cluster_work.unusable_for_one, told).run_trials(wanted))

    assert {run.trial.id for run in result} == {one.id for one in wanted}
    assert len(result) == len(wanted)
    assert [(one.slug, one.text) for one in told] == [("worker-refused", "this machine has no Go")]
    (done,) = lines(noted).values()
    begun = [(name, run) for word, name, run, _ in done if word == "begun"]
    assert sorted(begun, key=lambda one: one[0]) == [(n, r) for n in "abcd" for r in "12"]


def test_a_reason_of_all_workers_ends_it(cluster, client, noted):
    ready(cluster, client, 2, noted)
    wanted = [trial(name) for name in "abcd"]

    with pytest.raises(MachineError, match="this machine has no Go"):
        list(dispatcher(client, noted, cluster_work.unusable).run_trials(wanted))


@pytest.mark.parametrize("flaps", [False, True])
def test_workers_that_take_nothing_end_it_although_they_come_again(cluster, client, noted, flaps):
    ready(cluster, client, 1, noted)
    crew = Crew(client, noted)
    crew.losses = math.inf
    one = dispatcher(client, crew, patience=1.5)
    there, looks = one._there, itertools.count()
    if flaps:
        one._there = lambda: set() if next(looks) % 2 else there()

    with pytest.raises(MachineError, match="cannot be sent to workers: a worker is gone"):
        list(one.run_trials([trial("a")]))

    assert not crew.gave


def test_each_trial_is_run_once_and_a_benchmark_stays_where_it_is(cluster, client, noted):
    ready(cluster, client, 2, noted)
    wanted = [trial(name, run) for run in (1, 2, 3) for name in "abcd"]

    result = list(dispatcher(client, noted).run_trials(wanted))

    assert sorted(one.trial.id for one in result) == sorted(one.id for one in wanted)
    homes = defaultdict(set)
    for one in result:
        homes[one.trial.benchmark.name].add(one.host.name)
    assert all(len(home) == 1 for home in homes.values())
    assert len(set.union(*homes.values())) == 2


def test_both_sides_of_a_benchmark_are_run_on_one_machine_in_their_order(cluster, client, noted):
    ready(cluster, client, 2, noted)
    crew = Crew(client, noted)
    wanted = [
        trial(name, run, side) for run in (1, 2) for name in "abcd" for side in ("old", "new")
    ]

    result = list(dispatcher(client, crew).run_trials(wanted))

    assert sorted(crew.gave.values()) == [1] * 4
    homes, sides = defaultdict(set), defaultdict(list)
    for one in result:
        name = one.trial.benchmark.name
        homes[name].add(one.host.name)
        sides[name].append((one.trial.repetition, one.trial.subject))
    assert all(len(home) == 1 for home in homes.values())
    assert list(sides.values()) == [[(1, "old"), (1, "new"), (2, "old"), (2, "new")]] * 4


def test_a_benchmark_goes_to_the_machine_that_has_measured_it_before(cluster, client, noted):
    ready(cluster, client, 2, noted)
    crew = Crew(client, noted)
    before = max(client.ncores())
    crew.homes = {"g.b": before, "g.c": before, "g.d": before, "g.e": "tcp://nobody"}

    result = list(
        dispatcher(client, crew).run_trials(trial(name, run) for run in (1, 2) for name in "abcde")
    )

    homes = defaultdict(set)
    for one in result:
        homes[one.trial.benchmark.name].add(one.host.name)
    assert homes["b"] == homes["c"] == homes["d"] != homes["a"] == homes["e"]


def test_a_worker_does_one_trial_at_a_time(cluster, client, noted):
    ready(cluster, client, 2, noted)

    list(dispatcher(client, noted).run_trials(trial(name) for name in "abcdefgh"))

    for line in lines(noted).values():
        words = [word for word, *_ in line]
        assert words == ["begun", "ended"] * (len(line) // 2)


def test_workers_are_busy_at_the_same_time_where_trials_of_a_benchmark_follow_each_other(
    cluster, client, noted
):
    ready(cluster, client, 2, noted)
    wanted = [trial(name, run) for name in "ab" for run in range(30)]

    result = list(dispatcher(client, noted).run_trials(wanted))

    assert len(result) == 60
    spans = []
    for line in lines(noted).values():
        assert len({name for _, name, *_ in line}) == 1
        spans.append((float(line[0][3]), float(line[-1][3])))
    both = min(end for _, end in spans) - max(begin for begin, _ in spans)
    assert both > 0.6 * max(end - begin for begin, end in spans)


def test_what_is_known_and_not_begun_when_the_time_is_up_is_left_out(cluster, client, noted):
    ready(cluster, client, 1, noted)
    time_is_up = threading.Event()
    running = dispatcher(client, noted, allowed=lambda _: not time_is_up.is_set()).run_trials(
        trial("a", run) for run in range(20)
    )

    found = [next(running)]
    time_is_up.set()
    found += list(running)

    assert 1 <= len(found) <= 3
    assert [one.trial.repetition for one in found] == list(range(len(found)))


def test_what_a_lost_worker_had_is_begun_anew_elsewhere(cluster, client, noted):
    ready(cluster, client, 2, noted)
    told = []
    wanted = [trial(name, run) for run in (1, 2, 3, 4) for name in "abcd"]
    running = dispatcher(client, noted, told=told).run_trials(wanted)

    found = [next(running)]
    victim = cluster.workers[0]
    victim.kill()
    found += list(running)

    assert sorted(one.trial.id for one in found) == sorted(one.id for one in wanted)
    assert [one.slug for one in told] == ["worker-lost"]
    ended = [
        tuple(rest[:2]) for line in lines(noted).values() for word, *rest in line if word == "ended"
    ]
    assert len(set(ended)) == len(wanted)
    assert found[-1].host.name == str(cluster.workers[1].pid)


def test_a_new_worker_gets_its_share(cluster, client, noted):
    ready(cluster, client, 1, noted)
    running = dispatcher(client, noted).run_trials(trial(f"b{n}") for n in range(60))

    found = [next(running)]
    cluster.add(STOPPED="")
    found += list(running)

    assert len(found) == 60
    assert len({one.host.name for one in found}) == 2


def test_what_a_lost_worker_has_made_and_nobody_has_is_made_anew(cluster, client, noted):
    ready(cluster, client, 2, noted)
    wanted = [trial(name) for name in "abcdefgh"]
    running = dispatcher(client, noted).run_trials(wanted)

    found = [next(running)]
    time.sleep(0.5)  # both workers have ended what they had
    for worker in cluster.workers:
        if str(worker.pid) != found[0].host.name:
            worker.kill()
            worker.wait()
    while len(client.ncores()) == 2:
        time.sleep(0.05)
    found += list(running)

    assert sorted(one.trial.id for one in found) == sorted(one.id for one in wanted)
    assert {one.host.name for one in found} == {found[0].host.name}


def test_what_workers_were_given_is_given_anew_when_all_that_had_it_are_gone(
    cluster, client, noted
):
    ready(cluster, client, 1, noted)
    crew = Crew(client, noted)
    wanted = [trial(name) for name in "abcdef"]
    running = dispatcher(client, crew).run_trials(wanted)

    found = [next(running)]
    cluster.workers[0].kill()
    cluster.add(STOPPED="")
    found += list(running)

    assert sorted(one.trial.id for one in found) == sorted(one.id for one in wanted)
    assert found[-1].host.name == str(cluster.workers[1].pid)
    assert sorted(crew.gave.values()) == [1, 1]


def begun(noted, number=1):
    """Wait until so many trials have begun; returns all that has been written."""
    until = time.monotonic() + 60
    while sum(word == "begun" for line in lines(noted).values() for word, *_ in line) < number:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_scheduler_that_is_lost_ends_it_in_one_line(cluster, client, noted):
    ready(cluster, client, 1, noted)
    told, crew = [], Crew(client, noted)
    crew.stop_trials = lambda: told.append("stopped")

    def lose():
        begun(noted)
        cluster.lose_scheduler()

    losing = threading.Thread(target=lose)
    losing.start()
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),  # 30, to be sure
        pytest.raises(MachineError, match="the scheduler stopped answering; measurements"),
    ):
        list(dispatcher(client, crew, cluster_work.slow).run_trials([trial("a")]))
    losing.join()

    assert told == ["stopped"]


def test_a_client_that_has_given_its_scheduler_up_ends_it_in_one_line_too(
    cluster, client, noted, monkeypatch
):
    """It waits a while for one, and closes itself then, as where we were building meanwhile."""
    ready(cluster, client, 1, noted)
    crew = Crew(client, noted)
    crew.stop_trials = lambda: None
    made = dispatcher(client, crew)
    client.close()

    with pytest.raises(MachineError, match="the scheduler stopped answering; measurements"):
        list(made.run_trials([trial("a")]))


def test_a_connection_that_is_cut_has_cost_no_worker(cluster, client, noted):
    """More often than a trial may lose workers."""
    ready(cluster, client, 1, noted)
    cuts = 5

    def cut():
        for number in range(cuts):
            begun(noted, number + 1)
            client.loop.add_callback(client.scheduler_comm.comm.abort)

    cutting = threading.Thread(target=cut)
    cutting.start()
    (run,) = dispatcher(client, noted, cluster_work.lasting).run_trials([trial("a")])
    cutting.join()

    assert run.trial.benchmark.name == "a"
    (written,) = lines(noted).values()
    assert [word for word, *_ in written].count("begun") > cuts > clusters._ATTEMPTS


def test_a_worker_that_cannot_be_used_is_named_once_and_left_alone(cluster, client, noted):
    ready(cluster, client, 2, noted)
    unwanted = next(iter(client.ncores()))
    told = []

    result = list(
        dispatcher(client, Crew(client, noted, {unwanted}), told=told).run_trials(
            trial(f"b{n}") for n in range(20)
        )
    )

    assert len(result) == 20
    assert len({one.host.name for one in result}) == 1
    assert [(one.slug, one.text) for one in told] == [
        ("worker-refused", f"{unwanted} is not wanted")
    ]


def test_a_worker_that_does_not_answer_yet_is_asked_again(cluster, client, noted, monkeypatch):
    monkeypatch.setattr(clusters, "_AGAIN_SECONDS", 0.1)
    ready(cluster, client, 2, noted)
    crew = Crew(client, noted)
    late = next(iter(client.ncores()))
    crew.silent[late] = 2
    told = []

    result = list(dispatcher(client, crew, told=told).run_trials(trial(f"b{n}") for n in range(60)))

    assert len({one.host.name for one in result}) == 2
    assert [(one.slug, one.text) for one in told] == [
        ("worker-silent", f"{late} does not answer; it is asked again every few seconds")
    ]


def test_a_worker_that_is_lost_while_others_are_given_what_they_need_ends_nothing(
    cluster, client, noted
):
    ready(cluster, client, 1, noted)
    crew = Crew(client, noted)
    crew.losses = 2

    result = list(dispatcher(client, crew).run_trials([trial("a"), trial("b")]))

    assert [one.trial.benchmark.name for one in result] == ["a", "b"]
    assert (crew.losses, sorted(crew.gave.values())) == (0, [1])


def test_workers_that_can_be_given_nothing_are_left_after_a_while(cluster, client, noted):
    ready(cluster, client, 1, noted)
    crew = Crew(client, noted)
    crew.losses = math.inf

    with pytest.raises(MachineError, match="cannot be sent to workers: a worker is gone"):
        list(dispatcher(client, crew, patience=0.5).run_trials([trial("a")]))


def test_a_trial_that_ends_its_workers_is_not_given_to_all_of_them(cluster, client, noted):
    ready(cluster, client, 4, noted)

    with pytest.raises(MachineError, match=r"g\.a lost 3 workers and may have crashed them"):
        list(dispatcher(client, noted, cluster_work.deadly).run_trials([trial("a")]))
    assert len(lines(noted)) == 3


def test_one_that_others_run_before_on_the_same_worker_is_not_either(cluster, client, noted):
    ready(cluster, client, 4, noted)
    told = []
    names = ["a", "b", "c", "d"] * 4 + [cluster_work.DEADLY]
    others = (trial(name, run) for run in range(100, 120) for name in "abcd")
    wanted = itertools.chain((trial(name, run) for run, name in enumerate(names)), others)

    with pytest.raises(MachineError, match=r"g\.deadly lost 3 workers and may have crashed them"):
        list(dispatcher(client, noted, cluster_work.deadly_for_one, told).run_trials(wanted))
    assert [one.slug for one in told] == ["worker-lost"] * 2
    begun = [
        (line[-2][0], line[-1][1])  # what was before it has ended
        for line in lines(noted).values()
        if line[-1][1] == cluster_work.DEADLY
    ]
    assert begun == [("ended", cluster_work.DEADLY)] * 3


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (cluster_work.broken, BuildFailed, "it does not build"),
        (cluster_work.faulty, MachineError, r"tcp://.* failed: ZeroDivisionError: oh"),
    ],
)
def test_what_a_worker_raises_is_raised_here(cluster, client, noted, work, error, message):  # noqa: PLR0917 a table
    ready(cluster, client, 1, noted)

    with pytest.raises(error, match=message):
        list(dispatcher(client, noted, work).run_trials([trial("a"), trial("b")]))


def test_no_more_is_handed_out_than_keeps_all_busy(cluster, client, noted):
    ready(cluster, client, 2, noted)
    taken = itertools.count()

    def source():
        for number in range(10**6):
            next(taken)
            yield trial(f"b{number}")

    running = dispatcher(client, noted).run_trials(source())
    for _ in range(10):
        next(running)
    running.close()

    assert next(taken) < 10 + 2 * 4 + 2
    assert (noted.parent / "stopped").read_text() == "stopped\n" * 2


def test_all_trials_of_one_benchmark_are_not_known_at_once_either(cluster, client, noted):
    ready(cluster, client, 2, noted)
    taken = itertools.count()

    def source():
        for number in range(10**6):
            next(taken)
            yield trial("a", number)

    running = dispatcher(client, noted).run_trials(source())
    for _ in range(5):
        next(running)
    running.close()

    assert 100 < next(taken) <= 5 + 2 * 64 + 2


def test_a_cluster_without_workers_is_left_after_a_while(cluster, client, noted):
    with pytest.raises(MachineError, match="the cluster has had no worker for 1 s"):
        list(dispatcher(client, noted, patience=1.0).run_trials([trial("a")]))


def test_a_ceiling_also_ends_the_wait_for_a_result(cluster, client, noted, monkeypatch):
    monkeypatch.setattr(clusters, "_FETCH_SECONDS", 2.0)
    ready(cluster, client, 2, noted)
    crew = Crew(client, noted)
    crew.stop_trials = lambda: None  # one that is halted stops nothing
    running = dispatcher(client, crew).run_trials([trial(name) for name in "abcdefgh"])
    result = next(running)
    time.sleep(0.5)  # both workers have ended what they had
    for worker in cluster.workers:
        if str(worker.pid) != result.host.name:
            worker.send_signal(signal.SIGSTOP)
    gone = threading.Timer(2.0, setattr, (crew, "ends", True))  # when it is waited for
    gone.start()

    with pytest.raises(MachineError, match="the money is gone"):
        list(running)
    gone.join()


def test_a_ceiling_ends_what_runs(cluster, client, noted):
    ready(cluster, client, 2, noted)
    crew = Crew(client, noted)
    running = dispatcher(client, crew, cluster_work.lasting).run_trials(
        trial(f"b{number}") for number in range(10**6)
    )
    next(running)
    crew.ends = True

    with pytest.raises(MachineError, match="the money is gone"):
        list(running)

    assert (noted.parent / "stopped").read_text() == "stopped\n" * 2
