"""A method that is not in a benchmark's program is unreached without running anything."""

from dataclasses import replace

from toy_language import Machine, Memory, Words, parts, request

from auditor.abs.study import abs_audit
from auditor.core.mutant import VariantKind
from auditor.core.plan import Purpose
from auditor.core.subject import BuildInputs, Span
from auditor.core.suite import Benchmark, Suite

METHODS = ("toy.hop", "toy.skip", "toy.idle")
APART_BENCHMARK = Benchmark(group="apart", name="long")
BENCHMARKS = (Benchmark(group="toy", name="short"), APART_BENCHMARK)


class Spread(Words):
    """Each word is in a file of its own."""

    def find_methods(self, sources):
        return tuple(
            replace(method, span=Span(f"{method.name}.toy", 1, 1))
            for method in super().find_methods(sources)
        )


def _audited(machine, apart_words, store=None, toy_words=("hop", "skip", "idle")):
    """Audit; `apart_words` and `toy_words` are the words in the programs of the two groups."""
    audit_request = request(methods=METHODS)
    toy_parts = parts(audit_request, store=store, machine=machine)
    files = {"apart": apart_words, "toy": toy_words}
    closures = {
        group: BuildInputs(digest=group, files=frozenset(f"{name}.toy" for name in names))
        for group, names in files.items()
    }
    project = replace(toy_parts.project, closures=tuple(closures.items()), content="code")
    suite = Suite(BENCHMARKS)
    return abs_audit.audit_suite(
        audit_request, replace(toy_parts, project=project, suite=suite, mutator=Spread())
    )


def _counted(machine):
    return [
        (trial.benchmark, trial.subject)
        for trial in machine.ended_trials
        if trial.purpose is Purpose.REACH and trial.variant.kind is VariantKind.COUNTING
    ]


def test_a_benchmark_without_any_of_the_methods_is_not_counted():
    machine = Machine()
    verdict = _audited(machine, apart_words=())

    assert (APART_BENCHMARK, "apart") not in _counted(machine)
    reach = {(pair.method, pair.benchmark): pair.reach for pair in verdict.pairs}
    assert {reach[method, APART_BENCHMARK.id] for method in METHODS} == {"not at all"}


def test_counting_that_fails_leaves_no_doubt_about_a_method_that_is_not_there():
    machine = Machine(uncounted=frozenset({"long"}))
    verdict = _audited(machine, apart_words=("hop",))

    reach = {
        pair.method: pair.reach for pair in verdict.pairs if pair.benchmark == APART_BENCHMARK.id
    }
    assert reach == {"toy.hop": "unknown", "toy.skip": "not at all", "toy.idle": "not at all"}


def test_whether_counters_compile_is_asked_once_of_everything():
    first_machine, second_machine, store = Machine(), Machine(), Memory()
    verdict = _audited(first_machine, apart_words=("hop",), store=store)

    same = _audited(second_machine, apart_words=("hop",), store=store)

    assert [subject for _, subject in _counted(first_machine)] == ["code", "toy", "apart"]
    assert second_machine.ended_trials == []
    assert same == verdict
