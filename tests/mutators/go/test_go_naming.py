"""An overlay's digest for one program does not hang on the methods of others."""

from go_making import benchmarks, library, overlay

from auditor.core.mutant import VariantKind
from mutators.go.mutator import name_methods

M = library("package m\nfunc F() {}\nfunc G() {}\n")
SECOND_PACKAGE = library("package n\nfunc H() {}\n", path="n/n.go", unit="example.org/m/n")
CHANGED = library("package n\nfunc H() {}\nfunc I() {}\n", path="n/n.go", unit="example.org/m/n")
TESTS = benchmarks("package m\nfunc BenchmarkF(b *testing.B) { F() }\n")


def _counting(*sources, names):
    return overlay(*sources, names=names, kind=VariantKind.COUNTING)


def test_counters_have_the_names_of_their_methods():
    text = b"zzG.Done(zzG.Count(12)); zzG.Seen(1, 12); zzG.Count(n)"

    assert name_methods(text, "zzG", {1: "m.B", 12: "m.A"}) == (
        b"zzG.Done(Count(m.A)); Seen(m.A, m.B); zzG.Count(n)"
    )


def test_methods_of_other_packages_do_not_change_what_is_laid_over_this_one():
    alone = _counting(M, SECOND_PACKAGE, TESTS, names=["F", "G"])
    more = _counting(M, CHANGED, TESTS, names=["/n.H", "/n.I", "F", "G"])

    assert alone.digest != more.digest
    assert alone.digest_without(["n/n.go"]) == more.digest_without(["n/n.go"])
    assert alone.digest_without([]) != more.digest_without([])


def test_other_methods_of_the_same_file_do():
    counting_f, counting_g = _counting(M, names=["F"]), _counting(M, names=["G"])

    assert counting_f.digest_without([]) != counting_g.digest_without([])


def test_a_guarded_delay_is_told_from_a_plain_one():
    plain, guarded = overlay(M, names=["F"]), overlay(M, names=["F"], guarded=True)

    assert plain.digest_without([]) != guarded.digest_without([])
