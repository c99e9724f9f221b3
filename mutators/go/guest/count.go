package zz_bench_audit_guest

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// counts holds calls of the methods, then whether calls of them were nested (0 or 1), then the calls
// that the library itself made and those that other code made, by a sample. It lives in the file
// that BENCH_AUDIT_COUNTERS names, so that it outlives the process however that ends.
var (
	counts = make([]int64, 4*methods)
	active [methods + 1]int32
	habits [methods + 1]habit
)

// habit remembers what walks along the stack found in calls of a method while another one was
// under way. A walk takes microseconds, which in a recursion of a few nanoseconds would be hours:
// once all of many walks agreed, a sample of them must go on agreeing.
type habit struct{ met, inside, outside int64 }

const (
	settled = 1000 // walks that must agree first
	sampled = 256  // then one call in so many is looked at
)

// nested tells whether a call that began while another was under way belongs to the same goroutine.
func (h *habit) nested() bool {
	met := atomic.AddInt64(&h.met, 1)
	inside, outside := atomic.LoadInt64(&h.inside), atomic.LoadInt64(&h.outside)
	if (inside == 0) != (outside == 0) && inside+outside >= settled && met%sampled != 0 {
		return outside == 0
	}
	found := onStack()
	if found {
		atomic.AddInt64(&h.inside, 1)
	} else {
		atomic.AddInt64(&h.outside, 1)
	}
	return found
}

// Of some methods the outermost calls of a block are clocked: of all at once, each would hold the
// readings of those that it calls. Methods take turns, so that each has about so many blocks.
const blocksEach = 4

var (
	crowded [methods + 1]bool  // whether the clock would show mostly itself of the calls
	reading time.Duration      // what reading it takes at least
	clocked [methods + 1]int32 // whether calls that begin now are
	times   [methods + 1]int64 // nanoseconds in those of this block
	open    [methods + 1]int32 // those that have not ended
)

// choose takes the methods whose turn it is, of those that have been called. In the first block it
// takes none, so that what calls are like without a clock is known.
func choose() {
	groups, rank := asked()/blocksEach, 0
	for method := 0; method < methods; method++ {
		mine := int32(0)
		if groups > 0 && block > 0 && atomic.LoadInt64(&counts[method]) > 0 {
			if rank%groups == block%groups && !crowded[method] {
				mine = 1
			}
			rank++
		}
		atomic.StoreInt32(&clocked[method], mine)
	}
	forget()
}

// pace looks for methods that are called so often that what the clock shows of them would be mostly
// its own cost, and a block several times as long.
func pace(elapsed time.Duration) {
	const batches, size = 5, 200
	elapsed -= time.Duration(atomic.LoadInt64(&samplingTime))
	for batch := 0; batch < batches && block == 0; batch++ {
		start := now()
		for i := 1; i < size; i++ {
			now()
		}
		if each := time.Duration(now()-start) / size; reading == 0 || each < reading {
			reading = each
		}
	}
	for method := 0; method < methods; method++ {
		calls := atomic.LoadInt64(&counts[method]) - first[method]
		if time.Duration(calls)*reading > elapsed/2 {
			crowded[method] = true
		}
	}
}

const (
	minCountingTime = 2 * time.Second // a process counts at least so long before it ends early
	slowFactor      = 8               // times the planned time from which on counting is slow
	verySlowFactor  = 4               // times that: it ends even if few calls were clocked
	clockedBlocks   = 3               // MIN_CLOCKED_BLOCKS of runners/records.py
)

var countingStart time.Time

// stopSlowCounting ends a process that takes many times as long as planned: counters that several
// goroutines write to can make an operation a hundred times as long.
func stopSlowCounting() {
	if countingStart.IsZero() {
		countingStart = time.Now()
	}
	limit := time.Duration(slowFactor * plannedSeconds * float64(block) * 1e9)
	if limit < minCountingTime {
		limit = minCountingTime
	}
	elapsed, groups := time.Since(countingStart), asked()/blocksEach
	enough := block > clockedBlocks*groups || elapsed > verySlowFactor*limit && block > groups
	if elapsed > limit && enough && block < asked() {
		stop(block)
	}
}

// forget drops what was clocked so far.
func forget() {
	for method := 0; method < methods; method++ {
		atomic.StoreInt64(&times[method], 0)
	}
}

// keep maps the counters' file.
func keep(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	size := 32 * methods
	data, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	counts = (*[1 << 26]int64)(unsafe.Pointer(&data[0]))[: 4*methods : 4*methods]
	return nil
}

// Call is a call that is under way; start is zero unless it is clocked.
type Call struct {
	method int
	start  int64
}

// Count begins a call of a method and counts it if it is an outermost one.
func Count(method int) Call {
	if atomic.AddInt32(&active[method], 1) > 1 && habits[method].nested() {
		atomic.StoreInt64(&counts[methods+method], 1)
		return Call{method, 0}
	}
	call := atomic.AddInt64(&counts[method], 1)
	if call >= atomic.LoadInt64(&nextSamples[method]) {
		sampleCaller(method, call)
	}
	if atomic.LoadInt32(&clocked[method]) == 0 {
		return Call{method, 0}
	}
	atomic.AddInt32(&open[method], 1)
	return Call{method, now()}
}

// Done ends a call.
func Done(call Call) {
	if call.start != 0 {
		atomic.AddInt64(&times[call.method], now()-call.start)
		atomic.AddInt32(&open[call.method], -1)
	}
	atomic.AddInt32(&active[call.method], -1)
}

// onStack tells whether the method that called Count is on its goroutine's stack a second time.
// Another goroutine may be in the method too, so a number of active calls does not tell. Names,
// not entries, are compared: every shape of a generic function has an entry of its own.
func onStack() bool {
	var pcs [64]uintptr
	skip, name := 4, ""
	for {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			function := runtime.FuncForPC(pc - 1)
			if function == nil {
				continue
			}
			if name == "" {
				name = function.Name()
			} else if function.Name() == name {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
		skip += n
	}
}
