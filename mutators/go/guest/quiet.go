package zz_bench_audit_guest

import "math"

// lows are the two least of the measured blocks of an arm, and how many there are of it.
type lows struct {
	blocks        int
	least, second float64
}

// From how many blocks of each arm on the process ends once they were quiet (0: never), and by what
// part the second least block may be longer than the least then.
var (
	quietFrom   int
	quietWithin float64
	calm        = map[string]lows{}
)

// quiet takes a measured block; it returns after how many of each arm all were quiet, else 0.
func quiet(name string, seconds float64) int {
	if quietFrom == 0 {
		return 0
	}
	mine, known := calm[name]
	if !known {
		mine.least, mine.second = math.Inf(1), math.Inf(1)
	}
	mine.blocks++
	mine.second = math.Min(mine.second, math.Max(mine.least, seconds))
	mine.least = math.Min(mine.least, seconds)
	calm[name] = mine
	for _, arm := range arms {
		other := calm[arm.name]
		if other.blocks != mine.blocks || other.second > other.least*(1+quietWithin) {
			return 0
		}
	}
	if mine.blocks < quietFrom {
		return 0
	}
	return mine.blocks
}
