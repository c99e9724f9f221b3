// Package jeweller is a client of beads.
package jeweller

import (
	"fmt"

	. "example.org/beads"
)

var first = Double(1) // as the program begins

// Polished is called by the library, and calls it.
func Polished(value int) int { return Double(value) }

type wrapped struct {
	Necklace
	name string
}

func label(x fmt.Stringer) string { return x.String() }

func sizes(shapes ...Shape) (sum int) {
	for _, one := range shapes {
		sum += one.Size()
	}
	return
}
