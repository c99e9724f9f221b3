package ring

import (
	"fmt"
	"testing"
)

var sink uint64

func TestFib(t *testing.T) {
	if Fib(10) != 55 {
		t.Fatal("wrong")
	}
}

func TestSafe(t *testing.T) {
	if _, err := Safe(-1); err == nil {
		t.Fatal("no error")
	}
	if got := Total(1, 2, 3); got != 6 {
		t.Fatal(got)
	}
	tree := &Tree{Left: &Tree{Value: 1}, Right: &Tree{Value: 2}, Value: 4}
	if tree.Sum() != 7 {
		t.Fatal(tree.Sum())
	}
}

func BenchmarkTiny(b *testing.B) {
	x := uint64(88172645463325252)
	for i := 0; i < b.N; i++ {
		x = Tiny(x)
	}
	sink = x
}

func BenchmarkSmall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Small(sink + 1)
	}
}

func BenchmarkLarge(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Large(sink + 1)
	}
}

func other(x uint64) uint64 {
	for n := 1800; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func BenchmarkSlight(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Slight(other(sink + 1))
	}
}

func BenchmarkPushPop(b *testing.B) {
	r := New(8)
	Push(r, 1)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Push(r, i)
		Push(r, i)
		r.Pop()
	}
}

func BenchmarkFib(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += uint64(Fib(10))
	}
}

func BenchmarkEven(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if Even(10) {
			sink++
		}
	}
}

func BenchmarkSum(b *testing.B) {
	tree := &Tree{Left: &Tree{Value: 1}, Right: &Tree{Left: &Tree{Value: 2}}, Value: 4}
	for i := 0; i < b.N; i++ {
		sink += uint64(tree.Sum())
	}
}

func BenchmarkPrepared(b *testing.B) {
	for i := 0; i < 100; i++ {
		sink += Large(sink)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += Large(sink)
	}
}

var turns int

// BenchmarkStay begins a call that ends in the next operation, and so one that outlasts the block.
func BenchmarkStay(b *testing.B) {
	for i := 0; i < b.N; i++ {
		leave, begun := make(chan bool), make(chan bool)
		go Stay(begun, leave)
		<-begun
		sink += Small(sink)
		if before != nil {
			close(before)
		}
		before = leave
	}
}

var before chan bool

// BenchmarkSeldom calls a method in one of a hundred operations.
func BenchmarkSeldom(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if turns++; turns%100 == 0 {
			sink += uint64(Positive(turns))
		}
	}
}

func BenchmarkSpread(b *testing.B) {
	done := make(chan int, 1)
	for i := 0; i < b.N; i++ {
		Spread(2, done)
		sink += uint64(<-done)
	}
}

func BenchmarkLength(b *testing.B) {
	chain := &Link{&Link{&Link{}}}
	for i := 0; i < b.N; i++ {
		sink += uint64(chain.Length())
	}
}

func BenchmarkTotal(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += uint64(Total(1, 2, 3) + int(Total(1.5, 2.5)))
	}
}

func BenchmarkRecovers(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if _, err := Safe(-1); err == nil {
			b.Fatal("not recovered")
		}
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		x := uint64(88172645463325252)
		for pb.Next() {
			x = Small(x)
		}
		if x == 0 {
			b.Error("zero")
		}
	})
}

func size(n int) func(*testing.B) {
	return func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink = turn(n, sink+1)
		}
	}
}

func small(b *testing.B) { small2(b, 1) }

func small2(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		sink = Small(sink + uint64(n))
	}
}

func BenchmarkSub(b *testing.B) {
	New(2)
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("size=%d", n), size(n))
	}
	b.Run("a", small)
	b.Run("a/b", small)
	b.Run("two words", small)
	b.Run("two words", small)
	b.Run("", small)
	b.Run("a|b(c", func(b *testing.B) { small(b) })
	b.Run("deep-2", func(b *testing.B) {
		b.Run("er", small)
	})
}

func BenchmarkMetric(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Small(sink + 1)
	}
	b.ReportMetric(float64(b.N), "turns")
}
