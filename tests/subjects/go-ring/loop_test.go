//go:build go1.24

package ring_test

import (
	. "testing"

	"example.org/ring"
)

var kept uint64

func BenchmarkLoop(b *B) {
	r := ring.New(4)
	ring.Push(r, 1)
	for b.Loop() {
		kept = ring.Small(kept + 1)
		ring.Push(r, 2)
	}
}
