package ring

import "testing"

func BenchmarkHeight(b *testing.B) {
	tree := Grow(7)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += uint64(tree.Height())
	}
}
