// Package zz_bench_audit_guest runs inside the audited program. It imports the standard library
// only, keeps to Go 1.16's language, and talks through the files described in runners/records.py.
package zz_bench_audit_guest

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"
)

// The ways to wait. The zero value turns the loop no times, so a program is a probe until told.
const (
	work int64 = iota
	spin
	sleep
	clock
	allocate // wastes memory, not time
)

var (
	probed int32 // whether calls go to the changed copy of a method that was left beside it
	mode   int64
	turns  int64
	factor uint64 // the bits of the relative slowdown of spin and sleep
	wasted int64  // bytes that each call allocates
	last   unsafe.Pointer
	calls  int64
	spent  int64
	ran    int32
	cost   float64 // what the clock shows for an empty method, in nanoseconds
	origin = time.Now()
)

// now returns nanoseconds, never zero: zero means "not clocked".
func now() int64 { return int64(time.Since(origin)) + 1 }

// Probed tells whether a call is one of the changed method, not of the unchanged one beside it.
func Probed() bool { return atomic.LoadInt32(&probed) != 0 }

// Enter begins an outermost call of the slowed method; what it returns is for Exit.
func Enter() int64 {
	if atomic.LoadInt64(&mode) == work {
		return 0
	}
	start := now()
	fence()
	return start
}

// settle orders memory only, but costs a probe little: fences would keep the method from running
// beside what follows it, and take as long as a short method itself.
// The variable is on the stack, so threads do not contend for it.
func settle(x int64) int64 {
	var fence int64
	return atomic.AddInt64(&fence, x)
}

// Exit ends the call, however it is left.
func Exit(start int64) {
	if start != 0 {
		pass(start)
		return
	}
	turn(atomic.LoadInt64(&turns))
	if atomic.LoadInt32(&ran) == 0 {
		atomic.StoreInt32(&ran, 1)
	}
}

// turn passes the time of n turns. A turn is one multiplication that needs the one before it.
//
// Without settling even a long loop would hide behind the code around it. A dozen turns still
// hide behind a method that waits for arithmetic only, so their number is calibrated in place.
func turn(n int64) {
	n = settle(n)
	x := n | 1
	for ; n > 0; n-- {
		x *= x
	}
	settle(x)
}

// pass waits in one of the ways that need the clock.
func pass(start int64) {
	fence()
	end := now()
	elapsed := end - start
	extra := int64((float64(elapsed) - cost) * math.Float64frombits(atomic.LoadUint64(&factor)))
	switch atomic.LoadInt64(&mode) {
	case spin:
		for now() < end+extra {
		}
	case sleep:
		time.Sleep(time.Duration(extra))
	case clock:
		atomic.AddInt64(&calls, 1)
		atomic.AddInt64(&spent, elapsed)
	case allocate:
		atomic.AddInt64(&calls, 1)
		burden(atomic.LoadInt64(&wasted))
	}
	if atomic.LoadInt32(&ran) == 0 {
		atomic.StoreInt32(&ran, 1)
	}
}

// burden allocates n bytes at once. Whoever reads last may be anybody, so they are on the heap.
func burden(n int64) {
	if n > 0 {
		atomic.StorePointer(&last, unsafe.Pointer(&make([]byte, n)[0]))
	}
}

// set makes the next calls wait, or allocate, as an arm asks.
func set(wait string, number float64) {
	atomic.StoreInt64(&turns, 0)
	atomic.StoreUint64(&factor, 0)
	atomic.StoreInt64(&wasted, 0)
	changed := int32(1)
	switch wait {
	case "work":
		atomic.StoreInt64(&turns, int64(number))
		atomic.StoreInt64(&mode, work)
	case "spin":
		atomic.StoreUint64(&factor, math.Float64bits(number))
		atomic.StoreInt64(&mode, spin)
	case "sleep":
		atomic.StoreUint64(&factor, math.Float64bits(number))
		atomic.StoreInt64(&mode, sleep)
	case "clock":
		atomic.StoreInt64(&mode, clock)
	case "allocate":
		atomic.StoreInt64(&wasted, int64(number))
		atomic.StoreInt64(&mode, allocate)
	default:
		atomic.StoreInt64(&mode, work)
		changed = 0
	}
	atomic.StoreInt32(&probed, changed)
}

// empty is a clocked method that does nothing.
func empty() {
	defer Exit(Enter())
}

// measureClock finds what an empty clocked method shows per call: the least mean of some batches,
// since a disturbance only ever adds. They lie apart, so that one does not reach all of them.
func measureClock() {
	const batches, size = 25, 1000
	const apart = 200 * time.Microsecond
	before := atomic.LoadInt32(&ran)
	least := math.MaxFloat64
	set("clock", 0)
	for batch := 0; batch < batches; batch++ {
		time.Sleep(apart)
		clear()
		for i := 0; i < size; i++ {
			empty()
		}
		least = math.Min(least, float64(atomic.LoadInt64(&spent))/size)
	}
	set("none", 0)
	clear()
	atomic.StoreInt32(&ran, before)
	cost = least
}

func clear() {
	atomic.StoreInt64(&calls, 0)
	atomic.StoreInt64(&spent, 0)
}
