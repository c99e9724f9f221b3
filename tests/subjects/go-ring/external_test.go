package ring_test // outside of the package

import (
	bench "testing"

	"example.org/ring"
)

var outside int

func BenchmarkDivide(b *bench.B) {
	for i := 0; i < b.N; i++ {
		q, _, _ := ring.Divide(100+i%2, 7)
		outside += q
	}
}

func BenchmarkStack(b *bench.B) {
	var s ring.Stack[int]
	for i := 0; i < b.N; i++ {
		s.Put(i)
		outside += s.Top()
	}
}
