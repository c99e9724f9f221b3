"""The guest's own Go, tested by Go."""

import os
import shutil
import subprocess

import pytest
from go_making import library, overlay

pytestmark = pytest.mark.subject

_TEST = """package zz_bench_audit_guest

import (
	"sync"
	"testing"
)

func enter(t *testing.T, nested bool) func() {
	start, seat := EnterGuarded()
	if (seat == nil) != nested {
		t.Errorf("nested: %v instead of %v", seat == nil, nested)
	}
	return func() { ExitGuarded(start, seat) }
}

// TestCrowd has more goroutines inside than there are seats.
func TestCrowd(t *testing.T) {
	const many = 5000
	var inside, ended sync.WaitGroup
	inside.Add(many)
	ended.Add(many)
	for i := 0; i < many; i++ {
		go func() {
			defer ended.Done()
			defer enter(t, false)()
			inside.Done()
			inside.Wait()
			defer enter(t, true)()
		}()
	}
	inside.Wait()
	ended.Wait()
	for _, row := range rows {
		if row != [seats]uintptr{} {
			t.Fatal("somebody still sits")
		}
	}
	if crowd != 0 || len(standing) != 0 {
		t.Fatal("somebody still stands")
	}
	defer enter(t, false)()
}

func TestStood(t *testing.T) {
	done := make(chan bool)
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = 1
		}
	}
	go func() {
		defer close(done)
		defer enter(t, false)()
		for i := range rows {
			rows[i] = [seats]uintptr{}
		}
		defer enter(t, true)()
	}()
	<-done
	if crowd != 0 {
		t.Fatal("somebody still stands")
	}
}

func TestInherited(t *testing.T) {
	begin, done := make(chan bool), make(chan bool)
	func() {
		defer enter(t, false)()
		go func() {
			defer close(done)
			defer enter(t, false)()
			<-begin
			defer enter(t, true)()
		}()
	}()
	close(begin)
	<-done
}

func TestPanics(t *testing.T) {
	func() {
		defer func() { recover() }()
		defer enter(t, false)()
		panic("out")
	}()
	defer enter(t, false)()
}
"""
_SYSTEM = {"PATH": os.environ["PATH"], "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}


@pytest.fixture(name="cache", scope="module")
def _cache(warm, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    warm.go(cache)
    return cache


@pytest.fixture(name="go")
def _go(guest, cache):
    """Return a function that calls Go there and tells whether all was well."""

    def call(*arguments, **environment):
        caches = {"GOCACHE": str(cache), "GOPATH": str(cache / "path"), "HOME": str(cache)}
        answer = subprocess.run(
            ["go", *arguments], cwd=guest, env=_SYSTEM | caches | environment, check=False
        )
        return answer.returncode == 0

    return call


@pytest.fixture(name="guest")
def _guest(tmp_path):
    """Write the guest of a guarded delay, a module of its own."""
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    go_overlay = overlay(library("package m\nfunc F() {}\n"), names=["F"], guarded=True)
    for file in go_overlay.files:
        if file.path.startswith("zz_bench_audit_guest/"):
            (tmp_path / file.path.split("/")[1]).write_bytes(file.text)
    (tmp_path / "go.mod").write_text("module example.org/zz_bench_audit_guest\n\ngo 1.16\n")
    (tmp_path / "guest_test.go").write_text(_TEST)
    return tmp_path


def test_a_goroutine_is_inside_by_its_own_calls_only(go):
    assert go("test", "-vet=asmdecl", "-count=1", ".")


def test_so_it_is_where_the_runtime_has_to_be_asked_for_its_number(guest, go):
    for file in guest.glob("goroutine*"):
        if file.name != "goroutine_other.go":
            file.unlink()
    fallback_file = guest / "goroutine_other.go"
    unconstrained_lines = [
        line for line in fallback_file.read_text().splitlines() if "build" not in line
    ]
    fallback_file.write_text("\n".join(unconstrained_lines))

    assert go("test", "-vet=off", "-count=1", ".")


@pytest.mark.parametrize("architecture", ["arm64", "386"])
def test_the_guest_compiles_for_other_processors(go, architecture):
    assert go("vet", "-asmdecl", ".", GOARCH=architecture)
