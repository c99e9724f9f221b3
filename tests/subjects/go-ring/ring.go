// Package ring is a bounded queue and some functions whose cost is known.
package ring

import "errors"

// Ring is a bounded queue.
type Ring struct {
	values     []int
	head, size int
}

// New makes an empty ring: called by set-up only.
func New(capacity int) *Ring {
	if capacity < 1 {
		capacity = 1
	}
	return &Ring{values: make([]int, capacity)}
}

// Push adds a value, over the oldest one if the ring is full.
func Push(r *Ring, value int) {
	r.values[(r.head+r.size)%len(r.values)] = value
	if r.size < len(r.values) {
		r.size++
		return
	}
	r.head = (r.head + 1) % len(r.values)
}

// Pop takes the oldest value.
func (r *Ring) Pop() (value int, ok bool) {
	if r.size == 0 {
		return
	}
	value, ok = r.values[r.head], true
	r.head = (r.head + 1) % len(r.values)
	r.size--
	return
}

// Len has a receiver without a name.
func (Ring) Len() int { return 0 }

//go:noinline
func turn(n int, x uint64) uint64 {
	for ; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// Tiny takes about 20 ns.
//
//go:noinline
func Tiny(x uint64) uint64 {
	for n := 10; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// Small takes about 1 µs.
func Small(x uint64) uint64 { return turn(500, x) }

// Large takes about 100 µs.
func Large(x uint64) uint64 { return turn(50000, x) }

// Slight takes a tenth of the operation that calls it.
func Slight(x uint64) uint64 { return turn(200, x) }

// Unused is called by nobody.
func Unused(x uint64) uint64 { return x }

// Divide has named results and several ways out.
func Divide(a, b int) (quotient, rest int, err error) {
	if b == 0 {
		err = errors.New("division by zero")
		return
	}
	for quotient = 0; a >= b; quotient++ {
		a -= b
		if quotient > 1000 {
			return quotient, a, errors.New("too many turns")
		}
	}
	return quotient, a, nil
}

// Positive panics unless x is.
func Positive(x int) int {
	if x <= 0 {
		panic("not positive")
	}
	return x
}

// Safe turns the panic of Positive into an error.
func Safe(x int) (y int, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = errors.New("recovered")
		}
	}()
	return Positive(x), nil
}
