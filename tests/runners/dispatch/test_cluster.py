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
def notes(tmp_path):
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

    def __init__(self, client, notes, unwanted=()):
        self._client = client
        self._notes = notes
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
        return (str(self._notes),)

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
    client, crew, work=cluster_work.ran, caveats=None, patience=60.0, allowed=lambda _trial: True
):
    return ClusterDispatcher(
        client,
        work,
        crew if isinstance(crew, Crew) else Crew(client, crew),
        clock=SystemClock(),
        on_caveat=(caveats if caveats is not None else []).append,
        allowed=allowed,
        patience_seconds=patience,
    )


def ready(cluster, client, workers, notes):
    for _ in range(workers):
        cluster.add(STOPPED=str(notes.parent / "stopped"))
    client.wait_for_workers(workers, timeout=60)


def lines(notes):
    """Return what each worker has written: (word, benchmark, repetition, time)."""
    return {
        path.name: [line.split() for line in path.read_text().splitlines()]
        for path in notes.iterdir()
    }


def test_a_worker_is_told_who_has_built_the_program_of_a_trial(cluster, client, notes):
    ready(cluster, client, 2, notes)
    crew = dispatcher(client, notes, cluster_work.telling)

    (first,) = crew.run_trials([trial("a")])
    run_a, run_b = sorted(
        crew.run_trials([trial("a", 2), trial("b")]), key=lambda run: run.trial.id
    )
    if run_a.trial.benchmark.name == "b":
        run_a, run_b = run_b, run_a

    assert (first.outcome.reason, run_a.outcome.reason) == ("", "")
    assert run_a.revision == first.revision != run_b.revision
    assert run_b.outcome.reason == first.revision


def test_a_worker_that_cannot_do_what_others_can_is_refused_and_its_trials_are_theirs(
    cluster, client, notes
):
    ready(cluster, client, 2, notes)
    caveats = []
    trials = [trial(name, run) for run in (1, 2) for name in "abcd"]

    result = list(
        dispatcher(client, notes, cluster_work.unusable_for_one, caveats).run_trials(trials)
    )

    assert {run.trial.id for run in result} == {planned_trial.id for planned_trial in trials}
    assert len(result) == len(trials)
    assert [(caveat.slug, caveat.text) for caveat in caveats] == [
        ("worker-refused", "this machine has no Go")
    ]
    (worker_lines,) = lines(notes).values()
    started_trials = [(name, run) for word, name, run, _ in worker_lines if word == "begun"]
    assert sorted(started_trials, key=lambda trial_key: trial_key[0]) == [
        (n, r) for n in "abcd" for r in "12"
    ]


def test_a_reason_of_all_workers_ends_it(cluster, client, notes):
    ready(cluster, client, 2, notes)
    trials = [trial(name) for name in "abcd"]

    with pytest.raises(MachineError, match="this machine has no Go"):
        list(dispatcher(client, notes, cluster_work.unusable).run_trials(trials))


@pytest.mark.parametrize("flaps", [False, True])
def test_workers_that_take_nothing_end_it_although_they_come_again(cluster, client, notes, flaps):
    ready(cluster, client, 1, notes)
    crew = Crew(client, notes)
    crew.losses = math.inf
    cluster_dispatcher = dispatcher(client, crew, patience=1.5)
    list_workers, looks = cluster_dispatcher._list_workers, itertools.count()
    if flaps:
        cluster_dispatcher._list_workers = lambda: set() if next(looks) % 2 else list_workers()

    with pytest.raises(MachineError, match="cannot be sent to workers: a worker is gone"):
        list(cluster_dispatcher.run_trials([trial("a")]))

    assert not crew.gave


def test_each_trial_is_run_once_and_a_benchmark_stays_where_it_is(cluster, client, notes):
    ready(cluster, client, 2, notes)
    trials = [trial(name, run) for run in (1, 2, 3) for name in "abcd"]

    result = list(dispatcher(client, notes).run_trials(trials))

    assert sorted(run.trial.id for run in result) == sorted(
        planned_trial.id for planned_trial in trials
    )
    homes = defaultdict(set)
    for trial_result in result:
        homes[trial_result.trial.benchmark.name].add(trial_result.host.name)
    assert all(len(home) == 1 for home in homes.values())
    assert len(set.union(*homes.values())) == 2


def test_both_sides_of_a_benchmark_are_run_on_one_machine_in_their_order(cluster, client, notes):
    ready(cluster, client, 2, notes)
    crew = Crew(client, notes)
    trials = [
        trial(name, run, side) for run in (1, 2) for name in "abcd" for side in ("old", "new")
    ]

    result = list(dispatcher(client, crew).run_trials(trials))

    assert sorted(crew.gave.values()) == [1] * 4
    homes, sides = defaultdict(set), defaultdict(list)
    for trial_result in result:
        name = trial_result.trial.benchmark.name
        homes[name].add(trial_result.host.name)
        sides[name].append((trial_result.trial.repetition, trial_result.trial.subject))
    assert all(len(home) == 1 for home in homes.values())
    assert list(sides.values()) == [[(1, "old"), (1, "new"), (2, "old"), (2, "new")]] * 4


def test_a_benchmark_goes_to_the_machine_that_has_measured_it_before(cluster, client, notes):
    ready(cluster, client, 2, notes)
    crew = Crew(client, notes)
    before = max(client.ncores())
    crew.homes = {"g.b": before, "g.c": before, "g.d": before, "g.e": "tcp://nobody"}

    result = list(
        dispatcher(client, crew).run_trials(trial(name, run) for run in (1, 2) for name in "abcde")
    )

    homes = defaultdict(set)
    for trial_result in result:
        homes[trial_result.trial.benchmark.name].add(trial_result.host.name)
    assert homes["b"] == homes["c"] == homes["d"] != homes["a"] == homes["e"]


def test_a_worker_does_one_trial_at_a_time(cluster, client, notes):
    ready(cluster, client, 2, notes)

    list(dispatcher(client, notes).run_trials(trial(name) for name in "abcdefgh"))

    for line in lines(notes).values():
        words = [word for word, *_ in line]
        assert words == ["begun", "ended"] * (len(line) // 2)


def test_workers_are_busy_at_the_same_time_where_trials_of_a_benchmark_follow_each_other(
    cluster, client, notes
):
    ready(cluster, client, 2, notes)
    trials = [trial(name, run) for name in "ab" for run in range(30)]

    result = list(dispatcher(client, notes).run_trials(trials))

    assert len(result) == 60
    spans = []
    for line in lines(notes).values():
        assert len({name for _, name, *_ in line}) == 1
        spans.append((float(line[0][3]), float(line[-1][3])))
    overlap_seconds = min(end for _, end in spans) - max(begin for begin, _ in spans)
    assert overlap_seconds > 0.6 * max(end - begin for begin, end in spans)


def test_what_is_known_and_not_begun_when_the_time_is_up_is_left_out(cluster, client, notes):
    ready(cluster, client, 1, notes)
    time_is_up = threading.Event()
    running = dispatcher(client, notes, allowed=lambda _: not time_is_up.is_set()).run_trials(
        trial("a", run) for run in range(20)
    )

    runs = [next(running)]
    time_is_up.set()
    runs += list(running)

    assert 1 <= len(runs) <= 3
    assert [run.trial.repetition for run in runs] == list(range(len(runs)))


def test_what_a_lost_worker_had_is_begun_anew_elsewhere(cluster, client, notes):
    ready(cluster, client, 2, notes)
    caveats = []
    trials = [trial(name, run) for run in (1, 2, 3, 4) for name in "abcd"]
    running = dispatcher(client, notes, caveats=caveats).run_trials(trials)

    runs = [next(running)]
    victim = cluster.workers[0]
    victim.kill()
    runs += list(running)

    assert sorted(run.trial.id for run in runs) == sorted(
        planned_trial.id for planned_trial in trials
    )
    assert [caveat.slug for caveat in caveats] == ["worker-lost"]
    ended = [
        tuple(rest[:2]) for line in lines(notes).values() for word, *rest in line if word == "ended"
    ]
    assert len(set(ended)) == len(trials)
    assert runs[-1].host.name == str(cluster.workers[1].pid)


def test_a_new_worker_gets_its_share(cluster, client, notes):
    ready(cluster, client, 1, notes)
    running = dispatcher(client, notes).run_trials(trial(f"b{n}") for n in range(60))

    runs = [next(running)]
    cluster.add(STOPPED="")
    runs += list(running)

    assert len(runs) == 60
    assert len({run.host.name for run in runs}) == 2


def test_what_a_lost_worker_has_made_and_nobody_has_is_made_anew(cluster, client, notes):
    ready(cluster, client, 2, notes)
    trials = [trial(name) for name in "abcdefgh"]
    running = dispatcher(client, notes).run_trials(trials)

    runs = [next(running)]
    time.sleep(0.5)  # both workers have ended what they had
    for worker in cluster.workers:
        if str(worker.pid) != runs[0].host.name:
            worker.kill()
            worker.wait()
    while len(client.ncores()) == 2:
        time.sleep(0.05)
    runs += list(running)

    assert sorted(run.trial.id for run in runs) == sorted(
        planned_trial.id for planned_trial in trials
    )
    assert {run.host.name for run in runs} == {runs[0].host.name}


def test_what_workers_were_given_is_given_anew_when_all_that_had_it_are_gone(
    cluster, client, notes
):
    ready(cluster, client, 1, notes)
    crew = Crew(client, notes)
    trials = [trial(name) for name in "abcdef"]
    running = dispatcher(client, crew).run_trials(trials)

    runs = [next(running)]
    cluster.workers[0].kill()
    cluster.add(STOPPED="")
    runs += list(running)

    assert sorted(run.trial.id for run in runs) == sorted(
        planned_trial.id for planned_trial in trials
    )
    assert runs[-1].host.name == str(cluster.workers[1].pid)
    assert sorted(crew.gave.values()) == [1, 1]


def wait_for_starts(notes, number=1):
    """Wait until so many trials have begun."""
    until = time.monotonic() + 60
    while sum(word == "begun" for line in lines(notes).values() for word, *_ in line) < number:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_scheduler_that_is_lost_ends_it_in_one_line(cluster, client, notes):
    ready(cluster, client, 1, notes)
    stop_calls, crew = [], Crew(client, notes)
    crew.stop_trials = lambda: stop_calls.append("stopped")

    def lose():
        wait_for_starts(notes)
        cluster.lose_scheduler()

    losing = threading.Thread(target=lose)
    losing.start()
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "3s"}),  # 30, to be sure
        pytest.raises(MachineError, match="the scheduler stopped answering; measurements"),
    ):
        list(dispatcher(client, crew, cluster_work.slow).run_trials([trial("a")]))
    losing.join()

    assert stop_calls == ["stopped"]


def test_a_client_that_has_given_its_scheduler_up_ends_it_in_one_line_too(
    cluster, client, notes, monkeypatch
):
    """It waits a while for one, and closes itself then, as where we were building meanwhile."""
    ready(cluster, client, 1, notes)
    crew = Crew(client, notes)
    crew.stop_trials = lambda: None
    cluster_dispatcher = dispatcher(client, crew)
    client.close()

    with pytest.raises(MachineError, match="the scheduler stopped answering; measurements"):
        list(cluster_dispatcher.run_trials([trial("a")]))


def test_a_connection_that_is_cut_has_cost_no_worker(cluster, client, notes):
    """More often than a trial may lose workers."""
    ready(cluster, client, 1, notes)
    cuts = 5

    def cut():
        for number in range(cuts):
            wait_for_starts(notes, number + 1)
            client.loop.add_callback(client.scheduler_comm.comm.abort)

    cutting = threading.Thread(target=cut)
    cutting.start()
    (run,) = dispatcher(client, notes, cluster_work.lasting).run_trials([trial("a")])
    cutting.join()

    assert run.trial.benchmark.name == "a"
    (worker_lines,) = lines(notes).values()
    assert [word for word, *_ in worker_lines].count("begun") > cuts > clusters._ATTEMPTS


def test_a_worker_that_cannot_be_used_is_named_once_and_left_alone(cluster, client, notes):
    ready(cluster, client, 2, notes)
    unwanted = next(iter(client.ncores()))
    caveats = []

    result = list(
        dispatcher(client, Crew(client, notes, {unwanted}), caveats=caveats).run_trials(
            trial(f"b{n}") for n in range(20)
        )
    )

    assert len(result) == 20
    assert len({run.host.name for run in result}) == 1
    assert [(caveat.slug, caveat.text) for caveat in caveats] == [
        ("worker-refused", f"{unwanted} is not wanted")
    ]


def test_a_worker_that_does_not_answer_yet_is_asked_again(cluster, client, notes, monkeypatch):
    monkeypatch.setattr(clusters, "_AGAIN_SECONDS", 0.1)
    ready(cluster, client, 2, notes)
    crew = Crew(client, notes)
    late = next(iter(client.ncores()))
    crew.silent[late] = 2
    caveats = []

    result = list(
        dispatcher(client, crew, caveats=caveats).run_trials(trial(f"b{n}") for n in range(60))
    )

    assert len({run.host.name for run in result}) == 2
    assert [(caveat.slug, caveat.text) for caveat in caveats] == [
        ("worker-silent", f"{late} does not answer; it is asked again every few seconds")
    ]


def test_a_worker_that_is_lost_while_others_are_given_what_they_need_ends_nothing(
    cluster, client, notes
):
    ready(cluster, client, 1, notes)
    crew = Crew(client, notes)
    crew.losses = 2

    result = list(dispatcher(client, crew).run_trials([trial("a"), trial("b")]))

    assert [run.trial.benchmark.name for run in result] == ["a", "b"]
    assert (crew.losses, sorted(crew.gave.values())) == (0, [1])


def test_workers_that_can_be_given_nothing_are_left_after_a_while(cluster, client, notes):
    ready(cluster, client, 1, notes)
    crew = Crew(client, notes)
    crew.losses = math.inf

    with pytest.raises(MachineError, match="cannot be sent to workers: a worker is gone"):
        list(dispatcher(client, crew, patience=0.5).run_trials([trial("a")]))


def test_a_trial_that_ends_its_workers_is_not_given_to_all_of_them(cluster, client, notes):
    ready(cluster, client, 4, notes)

    with pytest.raises(MachineError, match=r"g\.a lost 3 workers and may have crashed them"):
        list(dispatcher(client, notes, cluster_work.deadly).run_trials([trial("a")]))
    assert len(lines(notes)) == 3


def test_one_that_others_run_before_on_the_same_worker_is_not_either(cluster, client, notes):
    ready(cluster, client, 4, notes)
    caveats = []
    names = ["a", "b", "c", "d"] * 4 + [cluster_work.DEADLY]
    later_trials = (trial(name, run) for run in range(100, 120) for name in "abcd")
    trials = itertools.chain((trial(name, run) for run, name in enumerate(names)), later_trials)

    with pytest.raises(MachineError, match=r"g\.deadly lost 3 workers and may have crashed them"):
        list(dispatcher(client, notes, cluster_work.deadly_for_one, caveats).run_trials(trials))
    assert [caveat.slug for caveat in caveats] == ["worker-lost"] * 2
    last_entries = [
        (line[-2][0], line[-1][1])  # what was before it has ended
        for line in lines(notes).values()
        if line[-1][1] == cluster_work.DEADLY
    ]
    assert last_entries == [("ended", cluster_work.DEADLY)] * 3


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (cluster_work.broken, BuildFailed, "it does not build"),
        (cluster_work.faulty, MachineError, r"tcp://.* failed: ZeroDivisionError: oh"),
    ],
)
def test_what_a_worker_raises_is_raised_here(cluster, client, notes, work, error, message):  # noqa: PLR0917 a table
    ready(cluster, client, 1, notes)

    with pytest.raises(error, match=message):
        list(dispatcher(client, notes, work).run_trials([trial("a"), trial("b")]))


def test_no_more_is_handed_out_than_keeps_all_busy(cluster, client, notes):
    ready(cluster, client, 2, notes)
    trial_counter = itertools.count()

    def source():
        for number in range(10**6):
            next(trial_counter)
            yield trial(f"b{number}")

    running = dispatcher(client, notes).run_trials(source())
    for _ in range(10):
        next(running)
    running.close()

    assert next(trial_counter) < 10 + 2 * 4 + 2
    assert (notes.parent / "stopped").read_text() == "stopped\n" * 2


def test_all_trials_of_one_benchmark_are_not_known_at_once_either(cluster, client, notes):
    ready(cluster, client, 2, notes)
    trial_counter = itertools.count()

    def source():
        for number in range(10**6):
            next(trial_counter)
            yield trial("a", number)

    running = dispatcher(client, notes).run_trials(source())
    for _ in range(5):
        next(running)
    running.close()

    assert 100 < next(trial_counter) <= 5 + 2 * 64 + 2


def test_a_cluster_without_workers_is_left_after_a_while(cluster, client, notes):
    with pytest.raises(MachineError, match="the cluster has had no worker for 1 s"):
        list(dispatcher(client, notes, patience=1.0).run_trials([trial("a")]))


def test_a_ceiling_also_ends_the_wait_for_a_result(cluster, client, notes, monkeypatch):
    monkeypatch.setattr(clusters, "_FETCH_SECONDS", 2.0)
    ready(cluster, client, 2, notes)
    crew = Crew(client, notes)
    crew.stop_trials = lambda: None  # one that is halted stops nothing
    running = dispatcher(client, crew).run_trials([trial(name) for name in "abcdefgh"])
    result = next(running)
    time.sleep(0.5)  # both workers have ended what they had
    for worker in cluster.workers:
        if str(worker.pid) != result.host.name:
            worker.send_signal(signal.SIGSTOP)
    ceiling_timer = threading.Timer(2.0, setattr, (crew, "ends", True))  # when it is waited for
    ceiling_timer.start()

    with pytest.raises(MachineError, match="the money is gone"):
        list(running)
    ceiling_timer.join()


def test_a_ceiling_ends_what_runs(cluster, client, notes):
    ready(cluster, client, 2, notes)
    crew = Crew(client, notes)
    running = dispatcher(client, crew, cluster_work.lasting).run_trials(
        trial(f"b{number}") for number in range(10**6)
    )
    next(running)
    crew.ends = True

    with pytest.raises(MachineError, match="the money is gone"):
        list(running)

    assert (notes.parent / "stopped").read_text() == "stopped\n" * 2
