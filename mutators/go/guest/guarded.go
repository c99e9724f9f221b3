package zz_bench_audit_guest

import (
	"context"
	"runtime/pprof"
	"unsafe"
)

// The labels of a goroutine, for profilers, are the one thing that a program can keep per goroutine
// at the price of a few instructions. Goroutines started inside a call inherit them, so what they
// do counts as inside.

//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer

//go:linkname label runtime/pprof.runtime_setProfLabel
func label(labels unsafe.Pointer)

// busy marks a goroutine that is inside of the slowed method; it is a real set of labels, as a
// profiler may read it.
var busy = func() unsafe.Pointer {
	before := labels()
	defer label(before)
	inside := pprof.WithLabels(context.Background(), pprof.Labels("bench-audit", "inside"))
	pprof.SetGoroutineLabels(inside)
	return labels()
}()

// EnterGuarded begins a call that waits only if no call of the method is under way.
func EnterGuarded() (int64, unsafe.Pointer) {
	before := labels()
	if before != busy {
		label(busy)
		return Enter(), before
	}
	return 0, before
}

// ExitGuarded ends it.
func ExitGuarded(start int64, before unsafe.Pointer) {
	if before != busy {
		Exit(start)
		label(before)
	}
}
