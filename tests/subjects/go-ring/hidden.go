//go:build never

package ring

// Hidden is left out by its build tag.
func Hidden() {}
