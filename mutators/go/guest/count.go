package zz_bench_audit_guest

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// counts holds calls of the methods, then whether calls of them were nested (0 or 1). It lives in
// the file that BENCH_AUDIT_COUNTERS names, so that it outlives the process however that ends.
var (
	counts = make([]int64, 2*methods)
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

// open maps the counters' file.
func open(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	size := 16 * methods
	data, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	counts = (*[1 << 26]int64)(unsafe.Pointer(&data[0]))[: 2*methods : 2*methods]
	return nil
}

// Count begins a call of a method and counts it if it is an outermost one.
func Count(method int) int {
	if atomic.AddInt32(&active[method], 1) > 1 && habits[method].nested() {
		atomic.StoreInt64(&counts[methods+method], 1)
	} else {
		atomic.AddInt64(&counts[method], 1)
	}
	return method
}

// Done ends a call.
func Done(method int) { atomic.AddInt32(&active[method], -1) }

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
