package ring

// Fib calls itself.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Even and Odd call each other.
func Even(n int) bool {
	if n == 0 {
		return true
	}
	return Odd(n - 1)
}

// Odd calls Even.
func Odd(n int) bool {
	if n == 0 {
		return false
	}
	return Even(n - 1)
}

// Tree is a binary tree.
type Tree struct {
	Left, Right *Tree
	Value       int
}

// Sum calls itself on the branches.
func (t *Tree) Sum() int {
	if t == nil {
		return 0
	}
	return t.Left.Sum() + t.Value + t.Right.Sum()
}

// Depth calls itself down the longer branches of a tree.
func (t *Tree) Depth() int {
	if t == nil {
		return 0
	}
	left, right := t.Left.Depth(), t.Right.Depth()
	if left > right {
		return left + 1
	}
	return right + 1
}

// Total is generic, takes any number of values and calls itself.
func Total[T int | float64](first T, rest ...T) T {
	if len(rest) == 0 {
		return first
	}
	return first + Total[T](rest[0], rest[1:]...)
}

// Stack is a generic type.
type Stack[T any] struct{ values []T }

// Put adds a value.
func (s *Stack[T]) Put(value T) { s.values = append(s.values[:0], value) }

// Top returns the last value.
func (s Stack[T]) Top() T { return s.values[len(s.values)-1] }

// Spread calls itself in two goroutines of their own, and in that of its caller.
func Spread(depth int, done chan<- int) {
	if depth == 0 {
		done <- 1
		return
	}
	inner := make(chan int, 3)
	go Spread(depth-1, inner)
	go func() { Spread(depth-1, inner) }()
	Spread(depth-1, inner)
	done <- <-inner + <-inner + <-inner
}

// Link is a chain by a field without a name.
type Link struct{ *Link }

// Length calls itself on the rest of the chain.
func (l *Link) Length() int {
	if l == nil {
		return 0
	}
	return l.Link.Length() + 1
}

// Stay lasts until it is told to leave.
func Stay(begun chan<- bool, leave <-chan bool) {
	begun <- true
	<-leave
}
