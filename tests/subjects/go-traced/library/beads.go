// Package beads is a library; how often its client's tests call each function is known.
package beads

import "errors"

// Shape is what some of its types are.
type Shape interface{ Size() int }

func Double(x int) int { return 2 * x }

// CountDown calls itself n times.
func CountDown(n int) int {
	if n == 0 {
		return 0
	}
	return CountDown(n - 1)
}

func Fail(why string) { panic(why) }

func Try(why string) error { return errors.New(why) }

// Each calls back what it is given.
func Each(function func(int) int, values ...int) []int {
	made := make([]int, 0, len(values))
	for _, value := range values {
		made = append(made, Double(function(value)))
	}
	return made
}

// Map has types that calls need not write.
func Map[F, T any](values []F, function func(F) T) []T {
	made := make([]T, 0, len(values))
	for _, value := range values {
		made = append(made, function(value))
	}
	return made
}

func Never() {}

// Necklace has methods of values and of pointers.
type Necklace struct{ Beads []int }

func New(beads ...int) *Necklace { return &Necklace{beads} }

func (n *Necklace) Add(bead int) *Necklace {
	n.Beads = append(n.Beads, bead)
	return n
}

func (n Necklace) Size() int { return len(n.Beads) }

func (n Necklace) String() string { return "necklace" }

// Bag is generic.
type Bag[T any] struct{ held []T }

func (b *Bag[T]) Put(one T) { b.held = append(b.held, one) }

func (b Bag[T]) Size() int { return len(b.held) }
