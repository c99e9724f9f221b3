package clash

import "testing"

func BenchmarkInvalid(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Invalid()
	}
}
