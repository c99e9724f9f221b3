package ring

import (
	"testing"
	"time"
)

func BenchmarkWasted(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Wasted(float64(i))
	}
}

func refused(x uint64) (y uint64) {
	defer func() { y = recover().(uint64) }()
	return Refuse(x)
}

func BenchmarkRefuses(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = refused(sink + 1)
	}
}

func BenchmarkDepth(b *testing.B) {
	tree := Grow(7)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += uint64(tree.Depth())
	}
}

func timed(f func(uint64) uint64) time.Duration {
	began := time.Now()
	sink = f(sink + 1)
	return time.Since(began)
}

func same(x uint64) uint64 { return turn(50000, x) }

// BenchmarkLease renews four times in a row in time; who is late once starts again. What is in
// time is measured before and after, so a slow machine is not late, and a slower Renew always is.
func BenchmarkLease(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for renewed := 0; renewed < 4; renewed++ {
			before, took, after := timed(same), timed(Renew), timed(same)
			if took > before*13/10 && took > after*13/10 {
				renewed = -1
			}
		}
	}
}
