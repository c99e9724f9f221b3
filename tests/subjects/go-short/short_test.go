package short

import (
	"bytes"
	"testing"
)

var (
	sink    uint64
	place   uint16
	number  float64
	kept    *Large
	text    = append(bytes.Repeat([]byte("x"), 255), '.')
	target  = make([]byte, 2048)
	source  = make([]byte, 2048)
	mixers  = []Mixer{Plain{}, Other{}}
	message = make([]byte, 64)
)

const seed = 88172645463325252

func BenchmarkInlined05Share100(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = Inlined05Share100(x)
	}
	sink = x
}

// BenchmarkInlined05Share90 makes sixteen calls an operation.
func BenchmarkInlined05Share90(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = Inlined05Share90(Inlined05Share90(Inlined05Share90(Inlined05Share90(x))))
		x = Inlined05Share90(Inlined05Share90(Inlined05Share90(Inlined05Share90(x))))
		x = Inlined05Share90(Inlined05Share90(Inlined05Share90(Inlined05Share90(x))))
		x = Inlined05Share90(Inlined05Share90(Inlined05Share90(Inlined05Share90(x))))
	}
	sink = x
}

func BenchmarkInlined05Share25(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = Inlined05Share25(x)
		x += x >> 9
		x += x >> 11
		x += x >> 13
	}
	sink = x
}

func BenchmarkInlined05Share10(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Inlined05Share10(x), 4)
	}
	sink = x
}

func BenchmarkInlined2Share100(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = Inlined2Share100(x)
	}
	sink = x
}

func BenchmarkInlined2Share10(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Inlined2Share10(x), 9)
	}
	sink = x
}

func BenchmarkInlined4Share75(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Inlined4Share75(x), 1)
	}
	sink = x
}

func BenchmarkInlined4Share40(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Inlined4Share40(x), 3)
	}
	sink = x
}

func BenchmarkInlined8Share60(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Inlined8Share60(x), 4)
	}
	sink = x
}

func BenchmarkInlined30Share25(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Inlined30Share25(x), 60)
	}
	sink = x
}

func BenchmarkCalled2Share25(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Called2Share25(x), 3)
	}
	sink = x
}

func BenchmarkCalled8Share75(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Called8Share75(x), 2)
	}
	sink = x
}

func BenchmarkCalled8Share40(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Called8Share40(x), 9)
	}
	sink = x
}

func BenchmarkCalled30Share60(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Called30Share60(x), 13)
	}
	sink = x
}

func BenchmarkGeneric8Share75(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = mix(Generic8Share75(x), 2)
	}
	sink = x
}

func BenchmarkGeneric8Share25(b *testing.B) {
	box := Box[uint64]{seed}
	for i := 0; i < b.N; i++ {
		box.Generic8Share25()
		box.value = mix(box.value, 18)
	}
	sink = box.value
}

func BenchmarkInterface8Share60(b *testing.B) {
	x, mixer := uint64(seed), mixers[0]
	for i := 0; i < b.N; i++ {
		x = mix(mixer.Interface8Share60(x), 4)
	}
	sink = x
}

func BenchmarkInterface8Share10(b *testing.B) {
	x, mixer := uint64(seed), mixers[0]
	for i := 0; i < b.N; i++ {
		x = mix(mixer.Interface8Share10(x), 54)
	}
	sink = x
}

func BenchmarkMultiply8Share40(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		x = multiply(Multiply8Share40(x), 9)
	}
	sink = x
}

func BenchmarkRoot20Share75(b *testing.B) {
	x := 1.5
	for i := 0; i < b.N; i++ {
		x = root(Root20Share75(x), 1)
	}
	number = x
}

func BenchmarkMemory8Share60(b *testing.B) {
	x := uint16(1)
	for i := 0; i < b.N; i++ {
		x = walk(Memory8Share60(x), 4)
	}
	place = x
}

func BenchmarkMemory30Share25(b *testing.B) {
	x := uint16(1)
	for i := 0; i < b.N; i++ {
		x = walk(Memory30Share25(x), 60)
	}
	place = x
}

func BenchmarkAllocate30Share90(b *testing.B) {
	for i := 0; i < b.N; i++ {
		kept = Allocate30Share90(1)
	}
}

func BenchmarkAllocate30Share10(b *testing.B) {
	x := uint64(seed)
	for i := 0; i < b.N; i++ {
		kept = Allocate30Share10(x)
		x = mix(x, 200)
	}
	sink = x
}

func BenchmarkIndex8Share90(b *testing.B) {
	x := 0
	for i := 0; i < b.N; i++ {
		x ^= Index8Share90(text[x&1:])
	}
	sink = uint64(x)
}

func BenchmarkCopy30Share90(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Copy30Share90(target, source)
	}
}

func BenchmarkDroppedChecksum(b *testing.B) {
	for i := 0; i < b.N; i++ {
		DroppedChecksum(message)
	}
}

func BenchmarkDroppedDigest(b *testing.B) {
	for i := 0; i < b.N; i++ {
		DroppedDigest(message)
	}
}

func BenchmarkDroppedCall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		DroppedCall(sink)
	}
}

func BenchmarkDroppedBits(b *testing.B) {
	for i := 0; i < b.N; i++ {
		DroppedBits(uint64(i))
	}
}

func BenchmarkDroppedRoot(b *testing.B) {
	for i := 0; i < b.N; i++ {
		DroppedRoot(float64(i))
	}
}
