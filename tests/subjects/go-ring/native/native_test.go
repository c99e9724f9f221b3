//go:build cgo

package native

import "testing"

var sink uint64

func BenchmarkNative(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Turn(sink + 1)
	}
}
