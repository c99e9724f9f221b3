package ring

import "math"

// Refuse panics after about 1 µs.
func Refuse(x uint64) uint64 {
	panic(turn(500, x))
}

// Renew takes about 100 µs. BenchmarkLease gives it little more.
func Renew(x uint64) uint64 { return turn(50000, x) }

// Wasted is inlined, and so removed where nobody uses its result; with anything added it is called.
func Wasted(x float64) float64 {
	x = math.Sqrt(x + 1)
	x = math.Sqrt(x + 2)
	x = math.Sqrt(x + 3)
	x = math.Sqrt(x + 4)
	x = math.Sqrt(x + 5)
	x = math.Sqrt(x + 6)
	return math.Sqrt(x + 7)
}

// Grow makes a full tree: called by set-up only.
func Grow(depth int) *Tree {
	if depth == 0 {
		return nil
	}
	return &Tree{Left: Grow(depth - 1), Right: Grow(depth - 1), Value: depth}
}
