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
	stopped         bool
)

// readStop takes a line of the schedule in, if it is about stopping.
func readStop(fields []string) error {
	if fields[0] != "stop" && fields[0] != "look" {
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
	}
	return nil
}

// measured takes the time of a measured block, and stops the process if its pairs have decided.
func measured(name string, seconds float64) {
	switch name {
	case "probe":
		probes = append(probes, seconds)
	case "slowed":
		sloweds = append(sloweds, seconds)
	}
	for len(looks) > 0 && len(probes) >= looks[0].pairs && len(sloweds) >= looks[0].pairs {
		now := looks[0]
		looks = looks[1:]
		if decided(now) {
			stopped = true
			write("stopped\t" + strconv.Itoa(now.pairs) + "\n")
			return
		}
	}
}

func decided(now look) bool {
	n := float64(now.pairs)
	var sum, squares float64
	for pair := 0; pair < now.pairs; pair++ {
		sum += math.Log(sloweds[pair] / probes[pair])
	}
	mean := sum / n
	for pair := 0; pair < now.pairs; pair++ {
		left := math.Log(sloweds[pair]/probes[pair]) - mean
		squares += left * left
	}
	deviation := math.Max(math.Sqrt(squares/(n-1)), leastDeviation)
	half := now.critical * deviation / math.Sqrt(n)
	return mean-half > above || mean+half < below || half <= enough
}
