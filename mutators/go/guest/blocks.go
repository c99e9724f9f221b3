package zz_bench_audit_guest

import (
	"sync/atomic"
	"time"
)

// bench is what is needed of a *testing.B; its field N comes as a pointer.
type bench interface {
	Name() string
	Elapsed() time.Duration
	StopTimer()
	Failed() bool
	Skipped() bool
	SkipNow()
}

// The measured call of the selected benchmark. Benchmarks run one at a time.
var (
	inside  int32
	current bench
	number  *int
	began   time.Time
	block   int
	first   []int64
)

// Begin is called where a benchmark's function begins, before its own code. It acts in the
// outermost such function of the selected benchmark only.
//
// Whether this is the measured call is known for sure at its end only: testing calls a function
// that counts to b.N once with N=1 and then with N as asked, one that uses b.Loop only once. So
// the arm of the next block is chosen each time, and a block is recorded if N ends as asked.
func Begin(b bench, n *int) bool {
	if leaf == "" || atomic.LoadInt32(&inside) != 0 || b.Name() != leaf {
		return false
	}
	if stopped {
		b.SkipNow() // not os.Exit: the program may have to tidy up
	}
	atomic.StoreInt32(&inside, 1)
	current, number = b, n
	if counting {
		first = append(first[:0], counts[:methods]...)
	} else if block < len(blocks) {
		arm := arms[blocks[block].arm]
		clear()
		set(arm.wait, arm.number)
	}
	began = time.Now()
	return true
}

// Reset is called where the benchmark resets its timer: what ran before is not the block's.
func Reset() {
	if atomic.LoadInt32(&inside) != 0 && !counting {
		clear()
	}
}

// End is called where the function is left.
func End(owner bool) {
	if !owner {
		return
	}
	elapsed := current.Elapsed()
	wall := time.Since(began)
	current.StopTimer() // what is written from here on is not allocated by the benchmark
	method, time := atomic.LoadInt64(&calls), atomic.LoadInt64(&spent)
	set("none", 0)
	atomic.StoreInt32(&inside, 0)
	if *number != operations || current.Failed() || current.Skipped() {
		return
	}
	if counting {
		window()
		return
	}
	if block >= len(blocks) {
		write("failed\tthe benchmark ran more often than there are blocks\n")
		return
	}
	record(elapsed, wall, method, time)
	if now := blocks[block]; !now.warm {
		measured(arms[now.arm].name, elapsed.Seconds())
	}
	block++
}
