import io
from contextlib import suppress
from itertools import count

from rich.console import Console as Terminal

from auditor.cli.console import Console
from auditor.cli.progress import (
    BarWatcher,
    LineWatcher,
    PhaseProgress,
    ProgressWatcher,
    format_time_left,
    open_observer,
)
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostFacts
from auditor.core.outcome import Crashed, Measured
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import Schedule
from auditor.core.suite import Benchmark
from auditor.core.units import format_duration

MEASURED = Measured(())


def ended(outcome=MEASURED, repetition=1):
    trial = Trial(
        subject="s",
        purpose=Purpose.SUITE,
        benchmark=Benchmark(group="ring", name="B"),
        schedule=Schedule(arms=(), blocks=(), seconds=1.0),
        repetition=repetition,
        seed=1,
        timeout_seconds=1.0,
    )
    return Run(trial=trial, host=HostFacts("h"), outcome=outcome, started="", seconds=1.0)


def ticking(step):
    times = count(0, step)
    return lambda: float(next(times))


def test_the_time_left_is_the_plans_until_something_has_ended_and_then_the_pace():
    pace = PhaseProgress("suite", trials=10, seconds=100.0, started=0.0)
    assert pace.estimate_seconds_left(1.0) == 100.0

    pace.ended_trials, pace.run_seconds = 2, 30.0
    assert pace.estimate_seconds_left(30.0) == 120.0

    pace.ended_trials = 10
    assert pace.estimate_seconds_left(300.0) == 0.0


def test_what_is_known_already_takes_no_time():
    pace = PhaseProgress("suite", trials=10, seconds=50.0, started=0.0, ended_trials=8, reused=6)
    pace.run_seconds = 20.0

    assert pace.estimate_seconds_left(20.0) == 20.0


def test_the_first_of_many_runs_in_one_process_does_not_tell_the_pace_of_all():
    pace = PhaseProgress("suite", trials=40, seconds=20.0, started=0.0, ended_trials=1)
    pace.run_seconds = 0.5

    assert pace.estimate_seconds_left(4.0) == 39 * 0.5


def test_times_are_said_as_people_say_them():
    assert [format_duration(seconds) for seconds in (0.2, 59, 150, 7300)] == [
        "1 s",
        "59 s",
        "2 min",
        "2 h 2 min",
    ]
    assert (format_time_left(None), format_time_left(0.0)) == ("", "")


def test_without_a_terminal_there_is_at_most_one_line_in_five_seconds(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(1))
    lines.phase_started("suite", 20, 20.0)
    for _ in range(20):
        lines.trial_ended(ended(), reused=False)

    captured = capsys.readouterr()
    assert captured.out == ""
    assert 2 <= len(captured.err.splitlines()) <= 6
    assert captured.err.startswith("suite: 0 of 20, about 20 s left\n")


def test_going_on_is_said_once(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(0))
    lines.phase_started("suite", 5, 20.0)
    for repetition, reused in enumerate((True, True, True, False, False)):
        lines.trial_ended(ended(repetition=repetition), reused=reused)

    message = "going on where it stopped: 3 processes are known already"
    assert capsys.readouterr().err.count(message) == 1


def test_what_was_measured_a_moment_ago_is_no_going_on(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(0))
    lines.phase_started("counters", 1, 1.0)
    lines.trial_ended(ended(), reused=False)
    lines.phase_started("reach", 2, 1.0)
    lines.trial_ended(ended(), reused=True)
    lines.trial_ended(ended(repetition=2), reused=False)

    assert "going on" not in capsys.readouterr().err


def test_a_benchmark_that_fails_is_named(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(0))
    lines.phase_started("suite", 1, 20.0)
    lines.trial_ended(ended(Crashed(2, "")), reused=False)

    assert "ring.B: crashed" in capsys.readouterr().err


def test_no_line_begins_with_what_a_name_holds(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(9))
    lines.phase_started("suite\n::error::a", 1, 20.0)
    lines.report_caveat(Caveat("few-runs", "b\n::error::b\x1b[2J"))

    errors = capsys.readouterr().err
    assert errors.count("::error::") == 2
    assert not any(splitline.startswith("::") for splitline in errors.splitlines())
    assert "\x1b" not in errors


def test_what_is_said_keeps_its_lines_but_steers_no_terminal(capsys):
    Console({}, quiet=False).print_message("a\x1b]0;title\x07\u202e\x9b2J\nb")

    assert capsys.readouterr().err == "a\\x1b]0;title\\u202e\\x9b2J\nb\n"


def test_what_another_program_prints_stays_as_it_is(capfdbinary):
    console = Console({}, quiet=False)
    console.print_bytes(b"\x1b[31mred\xff")
    console.print_error_bytes(b"\x1b[2J")

    assert capfdbinary.readouterr() == (b"\x1b[31mred\xff", b"\x1b[2J")


def test_a_caveat_is_said_once_and_quiet_says_nothing(capsys):
    caveat = Caveat("few-runs", "two are few")
    for console in (Console({}, quiet=False), Console({}, quiet=True)):
        with open_observer(console, ticking(0)) as watching:
            watching.report_caveat(caveat)
            watching.report_caveat(caveat)
            watching.phase_started("suite", 1, 1.0)
            watching.trial_ended(ended(), reused=False)

    assert capsys.readouterr().err.count("note[few-runs]: two are few") == 1


def test_a_bar_shows_the_phase_and_braces_in_it_do_no_harm():
    console = Console({}, quiet=False)
    stream = io.StringIO()
    console._err = Terminal(file=stream, force_terminal=True, width=120, _environ={})
    with open_observer(console, ticking(1)) as watching:
        assert isinstance(watching, BarWatcher)
        watching.phase_started("suite {run} [1] of 5", 4, 8.0)
        watching.trial_ended(ended(), reused=False)
        watching.progress.refresh()

    assert "suite {run} [1] of 5" in stream.getvalue()
    assert "1/4" in stream.getvalue()
    assert "left" in stream.getvalue()


def test_events_before_a_phase_are_no_trouble():
    ProgressWatcher(Console({}, quiet=True), ticking(1)).trial_ended(ended(), reused=False)


def test_that_nothing_was_left_to_run_is_said(capsys):
    with open_observer(Console({}, quiet=False), ticking(0)) as watching:
        watching.phase_started("suite", 2, 2.0)
        for name in ("suite", "again"):
            watching.phase_started(name, 2, 2.0)
            for repetition in (1, 2):
                watching.trial_ended(ended(repetition=repetition), reused=True)

    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "nothing was run: 2 processes are known already"


def test_an_audit_that_is_refused_does_not_say_that_nothing_was_run(capsys):
    with suppress(KeyError), open_observer(Console({}, quiet=False), ticking(0)) as watching:
        watching.phase_started("suite", 2, 2.0)
        watching.trial_ended(ended(), reused=True)
        raise KeyError

    assert "nothing was run" not in capsys.readouterr().err


def test_steps_of_a_build_are_a_line_now_and_then(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(10))

    for number in range(8):
        lines.build_step(f"Maven: module {number}")

    assert capsys.readouterr().err.splitlines() == [
        "Maven: module 0",
        "Maven: module 3",
        "Maven: module 6",
    ]


def test_what_is_being_done_is_said_where_nothing_was_for_a_while(capsys):
    lines = LineWatcher(Console({}, quiet=False), ticking(1))

    lines.end_silence()
    lines.build_step("pip installs the project")
    lines.end_silence()
    lines.build_step("listing the benchmarks")
    lines.end_silence()
    lines.phase_started("suite", 4, 8.0)
    lines.end_silence()
    lines.end_silence()

    assert capsys.readouterr().err.splitlines() == [
        "still running: making the subject ready",
        "pip installs the project",
        "still running: listing the benchmarks",
        "suite: 0 of 4, about 8 s left",
        "suite: 0 of 4, about 8 s left",
    ]


def test_steps_of_a_build_stand_beside_the_spinner_and_are_cut_to_its_line():
    stream = io.StringIO()
    console = Console({}, quiet=False)
    console._err = Terminal(file=stream, force_terminal=True, width=120)

    with open_observer(console, ticking(1)) as hears:
        assert isinstance(hears, BarWatcher)
        hears.build_step(f"Maven: module {'x' * 100}")
        hears.progress.refresh()

    assert "Maven: module xxx" in stream.getvalue()
    assert "x" * 72 not in stream.getvalue()
