package zz_bench_audit_guest

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

type arm struct {
	name   string
	wait   string
	number float64
}

type scheduled struct {
	arm  int
	warm bool
}

// plannedSeconds is how long a block is to last.
var plannedSeconds float64

var (
	leaf       string
	operations int
	chunks     bool // whether RunParallel hands out chunks of several operations
	counting   bool
	repeats    bool // whether a call of testing's may hold several blocks
	arms       []arm
	blocks     []scheduled
	records    *os.File
	reported   bool
)

// take reads a variable and removes it: a process that the program starts is not measured.
func take(name string) string {
	value := os.Getenv(name)
	os.Unsetenv(name)
	return value
}

func init() {
	counters, path := take("BENCH_AUDIT_COUNTERS"), take("BENCH_AUDIT_RECORDS")
	schedule, asked := take("BENCH_AUDIT_SCHEDULE"), take("BENCH_AUDIT_OPERATIONS")
	leaf = take("BENCH_AUDIT_LEAF")
	plannedSeconds, _ = strconv.ParseFloat(take("BENCH_AUDIT_BLOCK_SECONDS"), 64)
	chunks = take("BENCH_AUDIT_CHUNKS") != "" && plannedSeconds > 0
	if path == "" {
		leaf = ""
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0666)
	if err != nil {
		os.Stderr.WriteString("bench-audit: " + err.Error() + "\n")
		leaf = ""
		return
	}
	records = file
	write("bench-audit-records 1\n")
	operations, _ = strconv.Atoi(asked)
	if counters != "" {
		counting, repeats = true, true
		err = keep(counters)
	} else {
		err = read(schedule)
	}
	if err != nil {
		write("failed\t" + strings.Join(strings.Fields(err.Error()), " ") + "\n")
		leaf = ""
	}
}

// read takes the schedule in.
func read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	clocked := false
	for _, line := range strings.Split(string(data), "\n") {
		fields := strings.Split(line, "\t")
		switch {
		case fields[0] == "arm" && len(fields) == 5:
			number, err := strconv.ParseFloat(fields[4], 64)
			if err != nil {
				return err
			}
			arms = append(arms, arm{fields[2], fields[3], number})
			repeats = repeats || fields[2] == "plain"
			clocked = clocked || fields[3] == "clock" || fields[3] == "spin" || fields[3] == "sleep"
		case fields[0] == "block" && len(fields) == 3:
			index, err := strconv.Atoi(fields[2])
			if err != nil {
				return err
			}
			blocks = append(blocks, scheduled{index, fields[1] == "warmup"})
		default:
			if err := readStop(fields); err != nil {
				return err
			}
		}
	}
	if clocked {
		measureClock()
		write("clock-cost\t" + text(cost/1e9) + "\n")
	}
	return nil
}

// Seen is called when a file that was changed is initialised, with the methods changed in it.
func Seen(changed ...int) bool {
	for _, method := range changed {
		write("present\t" + strconv.Itoa(method) + "\n")
	}
	return true
}

func write(line string) {
	if records != nil {
		records.WriteString(line)
	}
}

func text(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func record(elapsed, wall time.Duration, method, spent int64) {
	line := ""
	if !reported && atomic.LoadInt32(&ran) != 0 {
		reported = true
		line = "present\tran\n"
	}
	write(line + strings.Join([]string{
		"block", strconv.Itoa(block), strconv.Itoa(operations),
		text(float64(elapsed) / 1e9 / float64(operations)), text(wall.Seconds()),
		strconv.FormatInt(method, 10), text(float64(spent) / 1e9),
	}, "\t") + "\n")
}

// window writes the calls of a block, those before it, and how long those took that were clocked.
func window(elapsed time.Duration) {
	var lines bytes.Buffer
	begins := "0"
	if called {
		begins = "1"
	}
	lines.WriteString("window\t" + strconv.Itoa(operations) + "\t" + begins + "\n")
	for method := 0; method < methods; method++ {
		inside := atomic.LoadInt64(&counts[method]) - first[method]
		if inside > 0 {
			nested := strconv.FormatInt(atomic.LoadInt64(&counts[methods+method]), 10)
			lines.WriteString("count\t" + strconv.Itoa(method) + "\t" + strconv.FormatInt(inside, 10) + "\t" + nested + "\n")
		}
		if first[method] > 0 {
			lines.WriteString("outside\t" + strconv.Itoa(method) + "\t" + strconv.FormatInt(first[method], 10) + "\n")
		}
		library := atomic.LoadInt64(&counts[2*methods+method]) - blockCallers[method]
		others := atomic.LoadInt64(&counts[3*methods+method]) - blockCallers[methods+method]
		if library+others > 0 {
			lines.WriteString(strings.Join([]string{
				"callers", strconv.Itoa(method), strconv.FormatInt(library, 10), strconv.FormatInt(others, 10),
			}, "\t") + "\n")
		}
		if atomic.LoadInt32(&clocked[method]) != 0 && atomic.LoadInt32(&open[method]) == 0 {
			spent := text(float64(atomic.LoadInt64(&times[method])) / 1e9)
			lines.WriteString(strings.Join([]string{
				"clocked", strconv.Itoa(method), strconv.Itoa(operations), spent, text(elapsed.Seconds()),
			}, "\t") + "\n")
		}
	}
	write(lines.String())
}
