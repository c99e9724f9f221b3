package zz_bench_audit_guest

import (
	"context"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// This file samples the stacks of a benchmark's timed blocks with Go's own CPU profiler. Each block
// labels its goroutine, and so the goroutines that it starts: "BLOCK.EPOCH". The epoch grows as the
// timer is reset, so the samples of set-up have an earlier one. While the timer stands still there
// is no label.

const label = "bench-audit"

var (
	profile   *os.File
	hertz     int
	profiling bool
	epoch     int
	timers    sync.Mutex      // goroutines of RunParallel may all reset the timer
	timed     context.Context // labels of the block that runs, nil between blocks
	untimed   = context.Background()
	used      time.Duration // processor time of the process as the profile began
	delayed   time.Duration // time that its threads were ready without a processor, likewise
	since     time.Time
	bodies    = map[uintptr]bool{} // code of the benchmark's own functions
)

func init() {
	path, asked := take("BENCH_AUDIT_PROFILE"), take("BENCH_AUDIT_PROFILE_HERTZ")
	if path == "" {
		return
	}
	hertz, _ = strconv.Atoi(asked)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0666)
	if err != nil {
		os.Stderr.WriteString("bench-audit: " + err.Error() + "\n")
		return
	}
	profile = file
	blockBegins, blockEnds, allEnd = beginSampling, pauseSampling, endSampling
}

func beginSampling(body func()) {
	bodies[runtime.FuncForPC(reflect.ValueOf(body).Pointer()).Entry()] = true
	if !profiling {
		profiling = true
		// StartCPUProfile asks for 100 Hz, which is ignored where a rate is set; it says so.
		runtime.SetCPUProfileRate(hertz)
		if err := pprof.StartCPUProfile(profile); err != nil {
			write("failed\tno CPU profile: " + strings.Join(strings.Fields(err.Error()), " ") + "\n")
			return
		}
		used, delayed, since = processorTime(), queueTime(), time.Now()
	}
	epoch = 0
	resume()
}

// resume labels what runs from here on as timed.
func resume() {
	name := strconv.Itoa(block) + "." + strconv.Itoa(epoch)
	timed = pprof.WithLabels(untimed, pprof.Labels(label, name))
	pprof.SetGoroutineLabels(timed)
}

func pauseSampling() { pprof.SetGoroutineLabels(untimed) }

// Timer is called in front of calls of a timer's methods; x is what has the timer.
func Timer(x interface{}, event int) {
	if !profiling || x != interface{}(current) {
		return
	}
	timers.Lock()
	defer timers.Unlock()
	if caller, _, _, ok := runtime.Caller(1); ok {
		bodies[runtime.FuncForPC(caller).Entry()] = true
	}
	switch event {
	case 0:
		epoch++
		resume()
	case 1:
		pprof.SetGoroutineLabels(untimed)
	case 2:
		pprof.SetGoroutineLabels(timed)
	}
}

func endSampling() {
	if !profiling || profile == nil {
		return
	}
	cpu, waited, wall := processorTime()-used, queueTime()-delayed, time.Since(since)
	pprof.StopCPUProfile()
	profile.Close()
	taken, _ := os.ReadFile(profile.Name())
	profile = nil
	write(strings.Join([]string{
		"profile", text(cpu.Seconds()), text(waited.Seconds()), text(wall.Seconds()),
	}, "\t") + "\n")
	write(codeLines())
	write(leafLines(taken))
}

// processorTime returns the processor time of all threads so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// queueTime returns how long all threads were ready to run and had no processor; 0 where the
// system does not tell.
func queueTime() time.Duration {
	var total time.Duration
	names, _ := os.ReadDir("/proc/self/task")
	for _, name := range names {
		data, _ := os.ReadFile("/proc/self/task/" + name.Name() + "/schedstat")
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			waited, _ := strconv.ParseInt(fields[1], 10, 64)
			total += time.Duration(waited)
		}
	}
	return total
}

const mostCode = 1 << 16 // bytes of a function that are looked through

// codeLines says of which functions the instructions of the benchmark's own code are: those that
// the compiler has put in the place of calls are there, those that it has removed are not.
func codeLines() string {
	seen := map[string]bool{}
	var lines strings.Builder
	for entry := range bodies {
		for pc := entry + 1; pc < entry+mostCode; pc++ {
			frames := inlined(pc)
			if len(frames) == 0 {
				if f := runtime.FuncForPC(pc); f == nil || f.Entry() > entry {
					break
				}
				continue
			}
			if frames[0].Entry != entry {
				break
			}
			for _, frame := range frames {
				line := strings.Join([]string{
					"code", frame.Function, frame.File, strconv.Itoa(frame.Line),
				}, "\t") + "\n"
				if !seen[line] {
					seen[line] = true
					lines.WriteString(line)
				}
			}
		}
	}
	return lines.String()
}
