// Package naughty has benchmarks that misbehave.
package naughty

// Touch does next to nothing.
func Touch(x int) int { return x + 1 }
