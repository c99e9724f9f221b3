package ring

import "testing"

func BenchmarkWorker(b *testing.B) {
	w := Hire()
	defer w.Dismiss()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += uint64(w.Ask(3))
	}
}
