package zz_bench_audit_guest

import (
	"math"
	"strconv"
)

// look is a number of pairs after which the process may have decided.
type look struct {
	pairs    int
	critical float64
}

// When the mean log ratio of the pairs lies far enough above or below, or is as sure as it needs to
// be, the rest is not run.
var (
	looks           []look
	above, below    float64
	leastDeviation  float64
	enough          float64
	probes, sloweds []float64
	plains          []float64 // of the unchanged method beside them, where there is one
	stopped         bool
)

// readStop takes a line of the schedule in, if it is about stopping.
func readStop(fields []string) error {
	if fields[0] != "stop" && fields[0] != "look" && fields[0] != "quiet" {
		return nil
	}
	var numbers []float64
	for _, field := range fields[1:] {
		number, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return err
		}
		numbers = append(numbers, number)
	}
	switch {
	case fields[0] == "stop" && len(numbers) == 4:
		above, below, leastDeviation, enough = numbers[0], numbers[1], numbers[2], numbers[3]
	case fields[0] == "look" && len(numbers) == 2:
		looks = append(looks, look{int(numbers[0]), numbers[1]})
	case fields[0] == "quiet" && len(numbers) == 2:
		quietFrom, quietWithin = int(numbers[0]), numbers[1]
	}
	return nil
}

// measured takes the time of a measured block, and stops the process if its pairs have decided, or
// if all arms were quiet.
func measured(name string, seconds float64) {
	if blocks := quiet(name, seconds); blocks > 0 {
		stop(blocks)
		return
	}
	switch name {
	case "probe":
		probes = append(probes, seconds)
	case "slowed":
		sloweds = append(sloweds, seconds)
	case "plain":
		plains = append(plains, seconds)
	}
	for len(looks) > 0 && complete(looks[0].pairs) {
		now := looks[0]
		looks = looks[1:]
		if decided(now) {
			stop(now.pairs)
			return
		}
	}
}

// stop ends the process. blocks is of each arm; where calls are counted, all of them.
func stop(blocks int) {
	stopped = true
	write("stopped\t" + strconv.Itoa(blocks) + "\n")
}

// complete tells whether so many pairs are there, with the plain block of each if there are any.
func complete(pairs int) bool {
	for _, arm := range arms {
		if arm.name == "plain" && len(plains) < pairs {
			return false
		}
	}
	return len(probes) >= pairs && len(sloweds) >= pairs
}

// leastLeft is what a plain block and what the delay added to it come to at least, as a part of it.
const leastLeft = 0.01

// ratio is the logarithm of how many times as long an operation takes: of the probe's time, or of
// the plain one where that was measured beside it. Then it is what the delay added to that.
func ratio(pair int) float64 {
	if len(plains) == 0 {
		return math.Log(sloweds[pair] / probes[pair])
	}
	return math.Log(math.Max(leastLeft, 1+(sloweds[pair]-probes[pair])/plains[pair]))
}

func decided(now look) bool {
	n := float64(now.pairs)
	var sum, squares float64
	for pair := 0; pair < now.pairs; pair++ {
		sum += ratio(pair)
	}
	mean := sum / n
	for pair := 0; pair < now.pairs; pair++ {
		left := ratio(pair) - mean
		squares += left * left
	}
	deviation := math.Max(math.Sqrt(squares/(n-1)), leastDeviation)
	half := now.critical * deviation / math.Sqrt(n)
	return mean-half > above || mean+half < below || half <= enough
}
