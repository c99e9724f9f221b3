package broken

import "testing"

func BenchmarkBroken(b *testing.B) {
	var x int = "not a number"
}
