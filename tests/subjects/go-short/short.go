// Package short holds methods of 0.5 to 30 ns whose share of their operation is known.
//
// A name tells the kind, the nanoseconds and the share in per cent: Inlined8Share60 takes about
// 8 ns, which is 60 % of the operation of its benchmark.
package short

import (
	"bytes"
	"crypto/sha256"
	"hash/crc32"
	"math"
	"math/bits"
)

const odd = 0x2545F4914F6CDD1D

// mix is a chain of n steps of 1.5 ns. Each step needs the one before, so none overlap.
func mix(x uint64, n int) uint64 {
	for ; n > 0; n-- {
		x = (x ^ x>>29) * odd
	}
	return x
}

// multiply is a chain of n multiplications of 128 bits, each a single instruction.
func multiply(x uint64, n int) uint64 {
	for ; n > 0; n-- {
		high, low := bits.Mul64(x, odd)
		x = high ^ low
	}
	return x
}

// root is a chain of n square roots, each a single instruction.
func root(x float64, n int) float64 {
	for ; n > 0; n-- {
		x = math.Sqrt(x + 2)
	}
	return x
}

// ring is a cycle through 512 places: a load gives the place of the next one.
var ring = func() (next [512]uint16) {
	for i := range next {
		next[i] = uint16((i + 167) % len(next))
	}
	return next
}()

// walk is a chain of n loads from the first cache.
func walk(x uint16, n int) uint16 {
	for ; n > 0; n-- {
		x = ring[x%512]
	}
	return x
}

// Arithmetic that the compiler inlines.

func Inlined05Share100(x uint64) uint64 { return x + x>>7 }
func Inlined05Share90(x uint64) uint64  { return x + x>>7 }
func Inlined05Share25(x uint64) uint64  { return x + x>>7 }
func Inlined05Share10(x uint64) uint64  { return x + x>>7 }
func Inlined2Share100(x uint64) uint64  { return (x ^ x>>29) * odd }
func Inlined2Share10(x uint64) uint64   { return (x ^ x>>29) * odd }
func Inlined4Share75(x uint64) uint64   { return mix(x, 3) }
func Inlined4Share40(x uint64) uint64   { return mix(x, 2) }
func Inlined8Share60(x uint64) uint64   { return mix(x, 6) }
func Inlined30Share25(x uint64) uint64  { return mix(x, 20) }

// Arithmetic that the compiler calls.

//go:noinline
func Called2Share25(x uint64) uint64 { return (x ^ x>>29) * odd }

//go:noinline
func Called8Share75(x uint64) uint64 { return mix(x, 6) }

//go:noinline
func Called8Share40(x uint64) uint64 { return mix(x, 6) }

//go:noinline
func Called30Share60(x uint64) uint64 { return mix(x, 20) }

// Generic8Share75 is a generic function.
func Generic8Share75[T ~uint32 | ~uint64](x T) T {
	for n := 6; n > 0; n-- {
		x = (x ^ x>>15) * 0x2C1B3C6D
	}
	return x
}

// Box is a generic type.
type Box[T ~uint32 | ~uint64] struct{ value T }

// Generic8Share25 changes the value in the box.
func (b *Box[T]) Generic8Share25() {
	x := b.value
	for n := 6; n > 0; n-- {
		x = (x ^ x>>15) * 0x2C1B3C6D
	}
	b.value = x
}

// Mixer is called through an interface.
type Mixer interface {
	Interface8Share60(x uint64) uint64
	Interface8Share10(x uint64) uint64
}

// Plain and Other are both Mixers, so calls cannot be made direct.
type (
	Plain struct{}
	Other struct{}
)

func (Plain) Interface8Share60(x uint64) uint64 { return mix(x, 6) }
func (Plain) Interface8Share10(x uint64) uint64 { return mix(x, 6) }
func (Other) Interface8Share60(x uint64) uint64 { return x }
func (Other) Interface8Share10(x uint64) uint64 { return x }

// Intrinsic and assembly callees, memory, allocation.

func Multiply8Share40(x uint64) uint64  { return multiply(x, 6) }
func Root20Share75(x float64) float64   { return root(x, 3) }
func Memory8Share60(x uint16) uint16    { return walk(x, 6) }
func Memory30Share25(x uint16) uint16   { return walk(x, 20) }
func Allocate30Share90(x uint64) *Large { return &Large{x} }
func Allocate30Share10(x uint64) *Large { return &Large{x} }
func Index8Share90(text []byte) int     { return bytes.IndexByte(text, '.') }
func Copy30Share90(to, from []byte)     { copy(to, from) }

// Large has 64 bytes.
type Large [8]uint64

// What follows is called for nothing: its benchmark drops the result.

// DroppedChecksum is inlined and calls assembly, which the compiler cannot remove.
func DroppedChecksum(text []byte) uint32 { return crc32.ChecksumIEEE(text) }

// DroppedDigest is inlined and calls assembly, which the compiler cannot remove.
func DroppedDigest(text []byte) [32]byte { return sha256.Sum256(text) }

// DroppedCall is no dead code either: the compiler never removes a call.
//
//go:noinline
func DroppedCall(x uint64) uint64 { return mix(x, 6) }

// DroppedBits is dead code: it is inlined, and nothing is left of it.
func DroppedBits(x uint64) uint64 { return x ^ x>>7 ^ bits.Reverse64(x) }

// DroppedRoot is dead code: it is inlined, and nothing is left of it.
func DroppedRoot(x float64) float64 { return math.Sqrt(math.Sqrt(x+1) + 2) }
