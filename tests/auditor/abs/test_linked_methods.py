"""A method that is not in a benchmark's program is unreached without running anything."""

from dataclasses import replace

from toy_language import Machine, Memory, Words, parts, request

from auditor.abs.study import abs_audit
from auditor.core.mutant import VariantKind
from auditor.core.plan import Purpose
from auditor.core.subject import BuildInputs, Span
from auditor.core.suite import Benchmark, Suite

METHODS = ("toy.hop", "toy.skip", "toy.idle")
APART = Benchmark(group="apart", name="long")
BENCHMARKS = (Benchmark(group="toy", name="short"), APART)


class Spread(Words):
    """Each word is in a file of its own."""

    def find_methods(self, sources):
        return tuple(
            replace(method, span=Span(f"{method.name}.toy", 1, 1))
            for method in super().find_methods(sources)
        )


def _audited(machine, apart, store=None, toy=("hop", "skip", "idle")):
    """Audit; `apart` and `toy` are the words in the programs of the two groups."""
    asked = request(methods=METHODS)
    known = parts(asked, store=store, machine=machine)
    files = {"apart": apart, "toy": toy}
    closures = {
        group: BuildInputs(digest=group, files=frozenset(f"{name}.toy" for name in names))
        for group, names in files.items()
    }
    project = replace(known.project, closures=tuple(closures.items()), content="code")
    suite = Suite(BENCHMARKS)
    return abs_audit.audit_suite(
        asked, replace(known, project=project, suite=suite, mutator=Spread())
    )


def _counted(machine):
    return [
        (trial.benchmark, trial.subject)
        for trial in machine.done
        if trial.purpose is Purpose.REACH and trial.variant.kind is VariantKind.COUNTING
    ]


def test_a_benchmark_without_any_of_the_methods_is_not_counted():
    machine = Machine()
    verdict = _audited(machine, apart=())

    assert (APART, "apart") not in _counted(machine)
    reach = {(pair.method, pair.benchmark): pair.reach for pair in verdict.pairs}
    assert {reach[method, APART.id] for method in METHODS} == {"not at all"}


def test_counting_that_fails_leaves_no_doubt_about_a_method_that_is_not_there():
    machine = Machine(uncounted=frozenset({"long"}))
    verdict = _audited(machine, apart=("hop",))

    reach = {pair.method: pair.reach for pair in verdict.pairs if pair.benchmark == APART.id}
    assert reach == {"toy.hop": "unknown", "toy.skip": "not at all", "toy.idle": "not at all"}


def test_whether_counters_compile_is_asked_once_of_everything():
    first, again, store = Machine(), Machine(), Memory()
    verdict = _audited(first, apart=("hop",), store=store)

    same = _audited(again, apart=("hop",), store=store)

    assert [subject for _, subject in _counted(first)] == ["code", "toy", "apart"]
    assert again.done == []
    assert same == verdict
