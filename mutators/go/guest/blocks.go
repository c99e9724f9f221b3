package zz_bench_audit_guest

import (
	"flag"
	"math"
	"reflect"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

// bench is what is needed of a *testing.B; its field N comes as a pointer.
type bench interface {
	Name() string
	Elapsed() time.Duration
	ResetTimer()
	StartTimer()
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
	called  bool // whether the window is the first of a call of testing's
	first   []int64
)

// What samples blocks replaces these. allEnd is called once no block is left.
var (
	blockBegins = func(body func()) {}
	blockEnds   = func() {}
	allEnd      = func() {}
)

// Run calls a benchmark's own code, the body of a function that testing may call. It acts in the
// outermost such function of the selected benchmark only.
//
// Whether this is the measured call is known for sure at its end only: testing calls a function
// that counts to b.N once with N=1 and then with N as asked, one that uses b.Loop only once. So
// the arm of the next block is chosen each time, and a block is recorded if N ends as asked.
//
// Around each call testing does more than a short block takes: it collects garbage twice. So
// where the blocks are not compared with those of other processes, a call with N as asked holds all
// that are left. What the body leaves for the end of the call would be kept until then, so such a
// body is called by testing for each block; so is one once its garbage is too much, as a program
// may have switched off that it is collected.
func Run(b bench, n *int, body func()) {
	if leaf == "" || atomic.LoadInt32(&inside) != 0 || b.Name() != leaf {
		body()
		return
	}
	if stopped {
		b.SkipNow() // not os.Exit: the program may have to tidy up
	}
	again := repeats && *n == operations
	called = true
	most := 4*heap() + roomy
	once(b, n, body)
	for again && !stopped && block < asked() && *n == operations && !b.Failed() && !tidies(b) && heap() < most {
		b.ResetTimer()
		b.StartTimer()
		once(b, n, body)
	}
	if stopped || block >= asked() {
		ask(1) // testing needs not call again
		allEnd()
	}
}

// once is a call of the body: a block, if it counts to N as asked.
func once(b bench, n *int, body func()) {
	if chunks && *n == operations {
		setPreviousRun(b)
	}
	atomic.StoreInt32(&inside, 1)
	current, number = b, n
	if counting {
		first = append(first[:0], counts[:methods]...)
		startSample()
		choose()
	} else if block < len(blocks) {
		arm := arms[blocks[block].arm]
		clear()
		set(arm.wait, arm.number)
	}
	blockBegins(body)
	began = time.Now()
	defer end() // also where the body ends its goroutine
	body()
}

// Reset is called where the benchmark resets its timer: what ran before is not the block's.
func Reset() {
	if atomic.LoadInt32(&inside) == 0 {
		return
	}
	if counting {
		forget()
	} else {
		clear()
	}
}

func end() {
	elapsed := current.Elapsed()
	wall := time.Since(began)
	blockEnds()
	current.StopTimer() // what is written from here on is not allocated by the benchmark
	method, time := atomic.LoadInt64(&calls), atomic.LoadInt64(&spent)
	set("none", 0)
	atomic.StoreInt32(&inside, 0)
	if *number != operations || current.Failed() || current.Skipped() {
		return
	}
	if counting {
		window(elapsed)
		pace(elapsed)
		called = false
		block++
		stopSlowCounting()
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

// setPreviousRun sets what testing remembers of the previous run: a block as it is planned.
// RunParallel hands each goroutine a chunk of about 100 microseconds of operations by that. After a
// run of one operation chunks would be small, and goroutines would contend for the shared counter.
func setPreviousRun(b bench) {
	fields := reflect.ValueOf(b).Elem()
	previousN, previousDuration := fields.FieldByName("previousN"), fields.FieldByName("previousDuration")
	if previousN.Kind() == reflect.Int && previousDuration.Kind() == reflect.Int64 {
		*(*int)(unsafe.Pointer(previousN.UnsafeAddr())) = operations
		*(*int64)(unsafe.Pointer(previousDuration.UnsafeAddr())) = int64(plannedSeconds * 1e9)
	}
}

// tidies tells whether something is to be done at the end of testing's call; what of it cannot be
// seen is to be.
func tidies(b bench) bool {
	left := reflect.ValueOf(b).Elem().FieldByName("cleanups")
	return left.Kind() != reflect.Slice || left.Len() > 0
}

// roomy is what the heap may grow by, whatever it was when testing had collected its garbage.
const roomy = 256 << 20

var objects = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}

// heap returns the bytes of all objects that have not been collected, reachable or not; what is not
// told may be any number.
func heap() float64 {
	metrics.Read(objects)
	if objects[0].Value.Kind() != metrics.KindUint64 {
		return math.Inf(1)
	}
	return float64(objects[0].Value.Uint64())
}

var count = 0

// asked returns how many blocks testing was asked for.
func asked() int {
	if count == 0 {
		count = 1
		if known := flag.Lookup("test.count"); known != nil {
			count, _ = strconv.Atoi(known.Value.String())
		}
	}
	return count
}

// ask makes testing call so often; a program may have put its own flags in the place of testing's.
func ask(often int) {
	if known := flag.Lookup("test.count"); known != nil {
		known.Value.Set(strconv.Itoa(often))
	}
}
